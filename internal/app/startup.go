package app

import (
	"context"
	"log/slog"
	"time"

	"obsidian-mcp/internal/fault"
)

// probeTime is how long the first contact with a database may take before it counts as away. Tests give it more.
var probeTime = 3 * time.Second

// startup is the first contact with the vault's store, while the program already serves. A database that will never let
// us in ends the program; a database that is away does not.
type startup struct {
	log  *slog.Logger // for everything that may fail during the start
	held *heldLog
	stop context.CancelFunc
	over chan struct{} // closed when err is known
	err  error         // why the program must end
}

func newStartup(log *slog.Logger) *startup {
	held := &heldLog{}
	return &startup{log: slog.New(held.over(log.Handler())), held: held, stop: func() {}, over: make(chan struct{})}
}

// begin makes the contact in the background. If that takes too long it may still succeed later; calls fail until then.
func (s *startup) begin(opened openedStore) {
	ctx, stop := context.WithTimeout(context.Background(), probeTime)
	s.stop = stop
	go func() {
		defer stop()
		err := opened.reach(ctx)
		if !opened.endsProgram(err) {
			err = nil
		}
		s.settle(err)
	}()
}

// await makes the contact for a command, which cannot do anything without it.
func (s *startup) await(ctx context.Context, opened openedStore, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s.settle(opened.reach(ctx))
	return s.err
}

func (s *startup) settle(err error) {
	s.err = err
	if err != nil {
		s.held.drop()
	} else {
		s.held.release()
	}
	close(s.over)
}

// end stops the first contact, and waits until it is over.
func (s *startup) end() {
	s.stop()
	<-s.over
}

// guard runs serve until it ends, or until the start has failed. Input that ends before the database has answered does
// not hide the failure.
func (s *startup) guard(ctx context.Context, serve func(context.Context) error) error {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		<-s.over
		if s.err != nil {
			stop()
		}
	}()
	err := serve(serving)
	select {
	case <-s.over:
		if s.err != nil {
			return startFailure(s.err)
		}
	case <-ctx.Done():
	}
	return err
}

// startFailure is an error that keeps the program from starting: one line, whatever its kind.
func startFailure(err error) error {
	message := err.Error()
	if hint := fault.HintOf(err); hint != "" {
		message += "; " + hint
	}
	return &fault.Error{Kind: fault.Internal, Message: message, Err: err}
}
