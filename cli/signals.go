package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// signals ends a context with the first SIGINT or SIGTERM. The second one ends
// the process at once.
func signals() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	arrived := make(chan os.Signal, 2)
	signal.Notify(arrived, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-arrived:
			cancel()
		case <-ctx.Done():
			signal.Stop(arrived)
			return
		}
		<-arrived
		os.Exit(exitFailure)
	}()
	return ctx, cancel
}

// onHangup calls do for each SIGHUP, one call at a time, until stop.
func onHangup(do func()) (stop func()) {
	arrived, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(arrived, syscall.SIGHUP)
	go func() {
		for {
			select {
			case <-arrived:
				do()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(arrived)
		close(done)
	}
}
