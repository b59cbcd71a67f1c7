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
	begin := len(w.B)
	w.Byte(namesFollow)
	at := len(w.B)
	w.Int(int64(groupSize(group, d)))
	d.packNames(w, group)
	if last := int(n[group]); last > 0 && last < begin {
		written := pack.Reader{B: w.B[last:begin]}
		now := pack.Reader{B: w.B[at:]}
		if bytes.Equal(written.Raw(), now.Raw()) && !written.Failed() {
			w.B = append(w.B[:begin], namesAsBefore)
			return
		}
	}
	n[group] = uint32(at)
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
// other.
type groups struct {
	last [nameGroups][]byte
	has  [nameGroups]bool
}

// read is a reader of the names of a group.
func (g *groups) read(r *pack.Reader, group int) pack.Reader {
	switch r.Byte() {
	case namesFollow:
		g.last[group], g.has[group] = r.Raw(), true
	case namesAsBefore:
		if !g.has[group] {
			r.Fail()
		}
	default:
		r.Fail()
	}
	if r.Failed() {
		return pack.Reader{}
	}
	return pack.Reader{B: g.last[group], Names: r.Names}
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
		if !g.has[group] {
			if at != 0 {
				return false
			}
			continue
		}
		if at == 0 || int(at) >= len(p) {
			return false
		}
		r := pack.Reader{B: p[at:]}
		if !bytes.Equal(r.Raw(), g.last[group]) || r.Failed() {
			return false
		}
	}
	return true
}
