package cli

import (
	"cmp"
	"slices"
	"strings"
)

// stage is a part of the daemon's work and its share of the processor.
type stage struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// stagesOf sums up how much each stage took, the largest first.
func (s stacks) stagesOf() []stage { return s.shares(stageOf) }

// functionsOf sums up how much each function took itself, the largest first.
func (s stacks) functionsOf() []stage {
	return s.shares(func(stack []string) string {
		if len(stack) == 0 {
			return "(unknown)"
		}
		return stack[0]
	})
}

func (s stacks) shares(name func([]string) string) []stage {
	sums, total := map[string]int64{}, int64(0)
	for _, one := range s {
		sums[name(one.stack)] += one.value
		total += one.value
	}
	var all []stage
	for name, sum := range sums {
		all = append(all, stage{name, float64(sum) / float64(total)})
	}
	slices.SortFunc(all, func(a, b stage) int { return cmp.Or(cmp.Compare(b.Share, a.Share), strings.Compare(a.Name, b.Name)) })
	return all
}

// Stages of the daemon.
const (
	stageFetch   = "fetch"
	stageDecode  = "decode"
	stageFold    = "state fold, packing"
	stageDisk    = "Badger"
	stageSums    = "moments"
	stageRefit   = "refit"
	stageCollect = "garbage collection"
	stageOther   = "other (scheduler, web, relay)"
)

// owners say to whom a function belongs by the beginning of its name. In a
// stack, the innermost that has an owner decides. Package event is asked by
// several: what it does belongs to who asks, and to decode if that is ingest.
var owners = []struct{ prefix, stage string }{
	{"blipd/daemon.(*Daemon).Refit", stageRefit},
	{"blipd/daemon.(*sums).", stageRefit},
	{"blipd/daemon.(*Config).reports", stageRefit},
	{"blipd/estimators.", stageSums},
	{"blipd/config.", stageSums}, // compiled expressions
	{"github.com/dgraph-io/", stageDisk},
	{"blipd/state.", stageFold},
	{"blipd/ingest/kafka.", stageFetch},
	{"github.com/segmentio/kafka-go", stageFetch},
	{"blipd/ingest.", stageDecode},
	{"runtime.gcBgMarkWorker", stageCollect},
	{"runtime.bgsweep", stageCollect},
	{"runtime.bgscavenge", stageCollect},
}

func stageOf(stack []string) string {
	owner := stageOther
	for _, function := range stack {
		for _, o := range owners {
			if !strings.HasPrefix(function, o.prefix) {
				continue
			}
			if o.stage == stageRefit {
				return stageRefit // whatever it asks for
			}
			if owner == stageOther {
				owner = o.stage
			}
			break
		}
	}
	return owner
}
