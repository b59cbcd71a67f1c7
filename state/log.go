package state

import (
	"blipd/event"
	"blipd/event/pack"
)

// The log of operations on ledgers, from the newest generation on: with it
// recovery does again what was done, in the same order.

// redo does logged operations again, and says how many.
func (p *Partition) redo(value []byte, changed []bool) (n int64, err error) {
	var operations []operation
	if err := unseal("operations on ledgers", value, func(r *pack.Reader) { operations = p.unpackOperations(r) }); err != nil {
		return 0, err
	}
	for _, op := range operations {
		if op.experiment < 0 || changed[op.experiment] {
			continue
		}
		var t *event.Trajectory
		if op.kind != opComplete {
			k, err := p.readClosed(op.at, "a trajectory in the log of ledgers")
			if err != nil {
				return 0, err
			}
			if t = p.fold.contribution(k, op.experiment); t == nil {
				return 0, damaged("a trajectory of partition %d, in block %d, is in the log of ledgers and has no outcome", p.number, op.at.block)
			}
		}
		p.fold.operate(op, t)
	}
	return int64(len(operations)), nil
}

// sealOperations names the experiments: their places may change, their names
// not.
func (p *Partition) sealOperations(operations []operation) []byte {
	return seal(func(w *pack.Writer) {
		w.Int(int64(len(p.options.Rules)))
		for x := range p.options.Rules {
			w.Text(p.options.Rules[x].Experiment.Name)
		}
		w.Int(int64(len(operations)))
		for i := range operations {
			op := &operations[i]
			w.Byte(byte(op.kind))
			w.Ints([]int64{int64(op.experiment), op.period, op.at.block, op.at.offset})
		}
	})
}

// unpackOperations reads what sealOperations wrote; the experiment is -1 where it
// is no longer configured.
func (p *Partition) unpackOperations(r *pack.Reader) (operations []operation) {
	experiments := make([]int, r.Count())
	for i := range experiments {
		experiments[i] = p.fold.experiment(r.Text())
	}
	for range r.Count() {
		op := operation{kind: opKind(r.Byte())}
		x := r.Int()
		op.period, op.at = r.Int(), place{r.Int(), r.Int()}
		if op.kind >= opKinds || x < 0 || x >= int64(len(experiments)) {
			r.Fail()
			return nil
		}
		op.experiment = experiments[x]
		operations = append(operations, op)
	}
	return operations
}
