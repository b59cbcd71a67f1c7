package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/pprof"
	"time"

	"blipd/daemon"
	"blipd/demo"
	"blipd/event"
)

// benchParts are the jobs, each done in a process of its own. They answer when
// they are done; the broker does when it is ready, and goes on.
var benchParts = map[string]func(ctx context.Context, p *process, j *job) error{
	"broker":   benchBroker,
	"raw":      benchRaw,
	"decode":   benchDecode,
	"daemon":   benchDaemon,
	"refit":    benchRefit,
	"estimate": benchEstimate,
}

func benchBroker(ctx context.Context, p *process, j *job) error {
	return demo.Broker(ctx, j.Topics, func(address string) { _ = p.answer(&result{Address: address}) })
}

// benchRaw fetches the log and only counts: the floor of all consumption.
func benchRaw(ctx context.Context, p *process, j *job) error {
	begin := costNow()
	records, _, err := demo.Consume(ctx, j.Broker, j.Topic, j.Partitions, j.Events)
	if err != nil {
		return err
	}
	r := &result{Events: records, Cost: costNow().since(begin)}
	r.Resident, r.Peak = resident()
	return p.answer(r)
}

// decodeAtOnce is how many records lie in memory while they are decoded, and
// decodeAtMost how many are: one costs what the other does.
const (
	decodeAtOnce = 20_000
	decodeAtMost = 300_000
)

// benchDecode decodes the first records of the log, made anew, in one
// goroutine. Only decoding counts, and what the collector does meanwhile.
func benchDecode(_ context.Context, p *process, j *job) error {
	w := standard(j.Events)
	cfg, err := w.configuration(j, dimensions...)
	if err != nil {
		return err
	}
	j.Events = min(j.Events, decodeAtMost)
	reader := event.NewReader(event.Decoder{Schema: cfg.Schema()})
	r := &result{}
	var e event.Event
	var records []event.Record
	flush := func() error {
		begin := costNow()
		for i := range records {
			if fault := reader.Read(records[i], &e); fault != nil {
				return fault
			}
		}
		r.Cost = r.Cost.plus(costNow().since(begin))
		r.Events += int64(len(records))
		records = records[:0]
		return nil
	}
	for key, value := range w.records(j.Events) {
		records = append(records, event.Record{Key: key, Value: value})
		if len(records) == decodeAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	r.Resident, r.Peak = resident()
	return p.answer(r)
}

// countEvery is how often the counters of the daemon are looked at.
const countEvery = 10 * time.Millisecond

// benchDaemon runs the whole daemon on an empty directory until it has counted
// all events.
func benchDaemon(ctx context.Context, p *process, j *job) error {
	cfg, err := standard(j.Events).configuration(j, dimensions...)
	if err != nil {
		return err
	}
	p.limitMemory(cfg.State.Memory) // as the command run does
	var words, profile bytes.Buffer
	begin := costNow()
	if j.Profile {
		if err := pprof.StartCPUProfile(&profile); err != nil {
			return err
		}
	}
	d, err := daemon.New(*cfg, version(), slog.New(slog.NewTextHandler(&words, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	r := &result{}
	for r.Events, r.Decisions = counted(d); r.Events < j.Events; r.Events, r.Decisions = counted(d) {
		select {
		case err := <-done:
			return errors.Join(err, fmt.Errorf("the daemon ended after %d of %d events: %s", r.Events, j.Events, &words))
		case <-time.After(countEvery):
		}
	}
	r.Cost = costNow().since(begin)
	r.Resident, r.Peak = resident()
	if j.Profile {
		pprof.StopCPUProfile()
		r.Profile = profile.Bytes()
	}
	if n := rejected(d); n > 0 {
		return fmt.Errorf("%d events were set aside", n)
	}
	stop()
	if err := <-done; err != nil {
		return err
	}
	return p.answer(r)
}

// counted is how many records the daemon has taken in, and how many decisions
// among them were randomized.
func counted(d *daemon.Daemon) (records, decisions int64) {
	for _, p := range d.Live().Partitions {
		records += p.Records
		for _, e := range p.Experiments {
			for _, n := range e.Assigned {
				decisions += n
			}
		}
	}
	return records, decisions
}

func rejected(d *daemon.Daemon) int64 {
	sum := int64(0)
	for _, p := range d.Live().Partitions {
		for _, n := range p.Rejected {
			sum += n
		}
	}
	return sum
}
