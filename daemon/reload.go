package daemon

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"blipd/state"
	"blipd/web"
)

// Reloaded is what a reload has done.
type Reloaded struct {
	Applied      []string `json:"applied"`                 // keys, and what changed of which experiment
	Epochs       []Epoch  `json:"epochs,omitempty"`        // that began, at the next offset of each partition
	NeedsRestart []string `json:"needs_restart,omitempty"` // keys that differ from what is in effect until blipd is started again
	Intake       bool     `json:"intake_restarted"`        // partitions were opened anew
}

// Epoch is an analysis epoch of an experiment.
type Epoch struct {
	Experiment string `json:"experiment"`
	Epoch      int    `json:"epoch"`
}

// reloads is what is known of how the configuration was read.
type reloads struct {
	one sync.Mutex // held by the reload under way

	mu      sync.Mutex // guards all below
	at      time.Time  // when one was good
	refused error      // why the last one was not; nil: it was
	restart []string   // keys of the last good one that only a restart puts into effect
}

func (r *reloads) begin(now time.Time) { r.at = now }

// last is how the last one went, for metrics.
func (r *reloads) last() web.Reload {
	r.mu.Lock()
	defer r.mu.Unlock()
	return web.Reload{Successful: r.refused == nil, LastOK: r.at}
}

// notes say what is not in effect of what the file has.
func (r *reloads) notes() (notes []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused != nil {
		notes = append(notes, fmt.Sprintf("the configuration was refused when it was last read, the one before is in effect: %v", r.refused))
	}
	if len(r.restart) > 0 {
		notes = append(notes, fmt.Sprintf("the configuration has other %s: restart blipd for them", strings.Join(r.restart, ", ")))
	}
	return notes
}

// ended notes how a reload went.
func (r *reloads) ended(now time.Time, restart []string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused = err; err == nil {
		r.at, r.restart = now, restart
	}
}

// Reload reads the configuration again and puts into effect what has changed,
// but for keys that need a restart, which it names. Where partitions go by what
// has changed they stop behind the batch in hand and are opened anew; pages are
// served meanwhile. After an error of the configuration everything is as before;
// such an error is a *web.Problem. After any other the daemon ends.
func (d *Daemon) Reload() (*Reloaded, error) {
	d.reloads.one.Lock()
	defer d.reloads.one.Unlock()
	done, err := d.reload()
	if err != nil {
		d.log.Error("configuration not reloaded, the one before is in effect", "err", err)
		d.reloads.ended(time.Now(), nil, err)
		return nil, err
	}
	d.reloads.ended(time.Now(), done.NeedsRestart, nil)
	d.log.Info("configuration reloaded", "applied", done.Applied, "epochs", done.Epochs, "intake_restarted", done.Intake)
	if len(done.NeedsRestart) > 0 {
		d.log.Warn("the configuration has changes that need a restart", "keys", done.NeedsRestart)
	}
	return done, nil
}

// reload does all that can be refused before it touches anything.
func (d *Daemon) reload() (*Reloaded, error) {
	now := d.config.Load()
	if now.Reread == nil {
		return nil, &web.Problem{Type: "no-file", Status: http.StatusConflict, Detail: "this daemon was not started from a configuration file: there is nothing to read again"}
	}
	next, err := now.Reread()
	if err != nil {
		return nil, &web.Problem{Type: "bad-configuration", Status: http.StatusUnprocessableEntity, Detail: err.Error()}
	}
	diff := compare(now, next)
	if len(diff.other) > 0 {
		return nil, &web.Problem{Type: "other-log", Status: http.StatusUnprocessableEntity,
			Detail: fmt.Sprintf("%s changed: this is the configuration of another log or of other state, and nothing of it was applied; restart blipd for it", strings.Join(diff.other, ", "))}
	}
	effective := *next
	effective.Kafka, effective.State, effective.Web = now.Kafka, now.State, now.Web
	effective.Web.GroupsPerDimension, effective.Reread = next.Web.GroupsPerDimension, now.Reread
	done := &Reloaded{Applied: diff.applied, NeedsRestart: diff.restart, Intake: diff.intake}
	if done.Applied == nil {
		done.Applied = []string{}
	}
	if !diff.intake {
		d.config.Store(&effective)
		return done, nil
	}
	if d.rebuilds.underWay() != nil {
		return nil, refusal("rebuild-under-way", "a rebuild is under way, and %s would open its partitions anew: wait for it, or end it with DELETE /api/v1/rebuild", strings.Join(diff.applied, ", "))
	}
	if err := d.change("the configuration was reloaded, and partitions are opened anew", func() error { return d.reopen(&effective) }); err != nil {
		return nil, err
	}
	for _, name := range diff.epochs {
		done.Epochs = append(done.Epochs, Epoch{name, d.epochOf(&effective, name)})
	}
	return done, nil
}

// errEnding is why nothing can be changed any more.
var errEnding = &web.Problem{Type: "ending", Status: http.StatusServiceUnavailable, Detail: "blipd is being stopped: start it again"}

// change runs call while nobody uses partitions or the store but pages; why says
// so in readiness. When call fails the daemon ends with its error.
func (d *Daemon) change(why string, call func() error) error {
	d.house.Lock()
	defer d.house.Unlock()
	if d.closed {
		return errEnding
	}
	err := d.consumer.Between(func() error {
		d.intake.waits(why)
		defer d.intake.waits("")
		return call()
	})
	if err != nil {
		select {
		case d.broken <- err:
		default:
		}
	}
	return err
}

// changes ends the daemon when a change has failed.
func (d *Daemon) changes(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-d.broken:
		return err
	}
}

// reopen opens all partitions anew under another configuration; it runs within
// change. What pages show is of the old ones until all of the new are there.
func (d *Daemon) reopen(next *Config) error {
	d.intake.forget()
	fresh := map[int]*state.Partition{}
	for _, p := range d.intake.owned() {
		number := p.Stats().Partition
		p.Close()
		var err error
		if fresh[number], err = d.restore(number, next); err != nil {
			return err
		}
		d.opened(fresh[number])
	}
	d.consumer.Schema = next.Schema()
	d.intake.mu.Lock()
	defer d.intake.mu.Unlock()
	d.intake.partitions = fresh
	d.config.Store(next)
	return nil
}

// epochOf is the number of an experiment's epoch, 0 before there is state of it.
func (d *Daemon) epochOf(cfg *Config, experiment string) int {
	newest := 0
	for x := range cfg.Experiments {
		if cfg.Experiments[x].Rules.Experiment.Name != experiment {
			continue
		}
		for _, p := range d.intake.owned() {
			number, _ := p.Epoch(x)
			newest = max(newest, number)
		}
	}
	return newest
}

// actions are what the daemon can be told to do over HTTP.
func (d *Daemon) actions() []web.Action {
	return append(web.HoldActions(d, d.setHolds), []web.Action{
		{Name: "reload", Path: "/-/reload", Methods: []string{http.MethodPost, http.MethodPut},
			Do: func(context.Context, *web.Order) (any, error) { return answer(d.Reload()) }},
		{Name: "rebuild", Path: "/api/v1/rebuild", Methods: []string{http.MethodPost},
			Do: func(ctx context.Context, o *web.Order) (any, error) {
				var body struct {
					Partial bool `json:"partial"` // though the log no longer has all that was counted
				}
				if err := o.Decode(&body, true); err != nil {
					return nil, err
				}
				return answer(d.Rebuild(ctx, body.Partial))
			}},
		{Name: "end rebuild", Path: "/api/v1/rebuild", Methods: []string{http.MethodDelete},
			Do: func(context.Context, *web.Order) (any, error) { return answer(d.EndRebuild()) }},
	}...)
}

// answer keeps a nil pointer from being an answer.
func answer[T any](done *T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return done, nil
}
