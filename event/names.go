package event

import (
	"bytes"
	"encoding/binary"

	"blipd/event/pack"
)

// The decisions of a trajectory mostly bear the same names: of the agent, of the
// members of state and scores, of the arms. Packed one behind the other, each of
// these groups of names is written when it first comes or changes; a decision
// whose group is the one written last says so in a byte.
const (
	namesOfAgent = iota
	namesOfState
	namesOfScores
	namesOfArms

	nameGroups // their number
)

const (
	namesAsBefore = 0
	namesFollow   = 1
)

// names are where the groups were last written, in the bytes of a Writer; 0 is
// nowhere.
type names [nameGroups]uint32

// namesSize is what names take at the head of a Packed.
const namesSize = 4 * nameGroups

func (n *names) load(head []byte) {
	for g := range n {
		n[g] = binary.LittleEndian.Uint32(head[4*g:])
	}
}

func (n *names) store(head []byte) {
	for g, at := range n {
		binary.LittleEndian.PutUint32(head[4*g:], at)
	}
}

// write writes a group of names of a decision, or that it is as before.
func (n *names) write(w *pack.Writer, group int, d *Decision) {
	if last := int(n[group]); last > 0 {
		written := pack.Reader{B: w.B[last:]}
		if names := (pack.Reader{B: written.Raw()}); d.hasNames(group, &names) {
			w.Byte(namesAsBefore)
			return
		}
	}
	w.Byte(namesFollow)
	n[group] = uint32(len(w.B))
	w.Int(int64(groupSize(group, d)))
	d.packNames(w, group)
}

// hasNames tells whether packNames would write what r has.
func (d *Decision) hasNames(group int, r *pack.Reader) bool {
	same := true
	next := func(name string) bool {
		same = same && string(r.Raw()) == name
		return same
	}
	switch group {
	case namesOfAgent:
		next(d.Agent.Name)
		next(d.Agent.Version)
		next(d.Agent.Model)
	case namesOfState:
		for i := 0; i < len(d.State) && next(d.State[i].Name); i++ {
		}
	case namesOfScores:
		for i := 0; i < len(d.Scores) && next(d.Scores[i].Name); i++ {
		}
	case namesOfArms:
		for i := 0; i < len(d.Assignment.Probabilities) && next(d.Assignment.Probabilities[i].Arm); i++ {
		}
	}
	return same && r.Err() == nil
}

// packNames writes the names of a group one behind the other.
func (d *Decision) packNames(w *pack.Writer, group int) {
	switch group {
	case namesOfAgent:
		w.Text(d.Agent.Name)
		w.Text(d.Agent.Version)
		w.Text(d.Agent.Model)
	case namesOfState:
		packMemberNames(w, d.State)
	case namesOfScores:
		packMemberNames(w, d.Scores)
	case namesOfArms:
		for i := range d.Assignment.Probabilities {
			w.Text(d.Assignment.Probabilities[i].Arm)
		}
	}
}

func packMemberNames(w *pack.Writer, ms []Member) {
	for i := range ms {
		w.Text(ms[i].Name)
	}
}

// groupSize is what packNames will write, in bytes.
func groupSize(group int, d *Decision) int {
	size := 0
	switch group {
	case namesOfAgent:
		size = textSize(d.Agent.Name) + textSize(d.Agent.Version) + textSize(d.Agent.Model)
	case namesOfState:
		size = memberNamesSize(d.State)
	case namesOfScores:
		size = memberNamesSize(d.Scores)
	case namesOfArms:
		for i := range d.Assignment.Probabilities {
			size += textSize(d.Assignment.Probabilities[i].Arm)
		}
	}
	return size
}

func memberNamesSize(ms []Member) int {
	size := 0
	for i := range ms {
		size += textSize(ms[i].Name)
	}
	return size
}

// textSize is what pack.Writer.Text writes: a length of seven bits a byte after
// its sign, and the bytes.
func textSize(s string) int {
	size := 1 + len(s)
	for n := len(s) >> 6; n > 0; n >>= 7 {
		size++
	}
	return size
}

// groups are the names written last, while decisions are read one behind the
// other. What it has read it keeps: mostly the next trajectory has the same names.
type groups [nameGroups]struct {
	written []byte   // as they were written
	names   []string // as they were read
	has     bool     // in the trajectory at hand
}

// begin is the begin of a trajectory.
func (g *groups) begin() {
	for i := range g {
		g[i].has = false
	}
}

// read is the names of a group; they are valid until the next call.
func (g *groups) read(r *pack.Reader, group int) []string {
	last := &g[group]
	switch r.Byte() {
	case namesFollow:
		written := r.Raw()
		if last.has = true; bytes.Equal(written, last.written) {
			break
		}
		last.written, last.names = append(last.written[:0], written...), last.names[:0]
		in := pack.Reader{B: last.written, Names: r.Names}
		for len(in.B) > 0 {
			last.names = append(last.names, in.Name())
		}
		if in.Failed() {
			*last = groups{}[group]
			r.Fail()
		}
	case namesAsBefore:
		if !last.has {
			r.Fail()
		}
	default:
		r.Fail()
	}
	if r.Failed() {
		return nil
	}
	return last.names
}

// agree tells whether the head of p points to the groups that were read last:
// the next decision is written against them.
func (g *groups) agree(p Packed) bool {
	if len(p) == 0 {
		return true
	}
	var n names
	n.load(p)
	for group, at := range n {
		if !g[group].has {
			if at != 0 {
				return false
			}
			continue
		}
		if at == 0 || int(at) >= len(p) {
			return false
		}
		r := pack.Reader{B: p[at:]}
		if !bytes.Equal(r.Raw(), g[group].written) || r.Failed() {
			return false
		}
	}
	return true
}
