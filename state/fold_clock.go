package state

import (
	"math"

	"blipd/event"
)

// clock is the stream time of a partition: the largest t such that events of
// two different trajectories have reached t. One event from the future moves
// nothing, time never goes back, and the order of events does not matter.
type clock struct {
	begun  event.Time // the first stream time there was; event.NoTime before
	now    event.Time // stream time; event.NoTime before two trajectories
	ahead  event.Time // the latest time seen; event.NoTime before any
	leader string     // the trajectory that has reached it
}

func newClock() clock { return clock{begun: event.NoTime, now: event.NoTime, ahead: event.NoTime} }

// see counts an event of a trajectory at t. Invariant: now is the latest time
// of any trajectory but leader, ahead that of leader.
func (c *clock) see(trajectory string, t event.Time) {
	switch {
	case c.ahead == event.NoTime || trajectory == c.leader:
		c.leader = trajectory
		c.ahead = max(c.ahead, t)
	case t > c.ahead:
		c.now, c.ahead, c.leader = c.ahead, t, trajectory
	default:
		c.now = max(c.now, t)
	}
	if c.begun == event.NoTime {
		c.begun = c.now
	}
}

// since is the stream time of a moment; one before stream time began is where
// it did, and event.NoTime as long as it has not.
func (c *clock) since(moment event.Time) event.Time {
	if moment == event.NoTime {
		return c.begun
	}
	return moment
}

// noPeriod is the start period of what started before stream time began. It
// lies before all others, and is past as soon as there is a stream time.
const noPeriod = -1 << 63

// allPeriods is above all periods: below it everything is complete.
const allPeriods = math.MaxInt64

// periodOf is the number of the span of length that holds t.
func periodOf(t event.Time, length int64) int64 {
	if t == event.NoTime {
		return noPeriod
	}
	p := int64(t) / length
	if int64(t)%length < 0 {
		p--
	}
	return p
}
