package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/fault"
)

// TestStartup: how serving ends while the first contact with the database is made.
func TestStartup(t *testing.T) {
	wrong := fault.PermissionDenied.Errorf("wrong password").WithHint("set another")
	away := fault.StoreUnavailable.Errorf("away")
	for name, c := range map[string]struct {
		answers time.Duration // when the database answers
		err     error
		serves  time.Duration // until the input ends
		want    error
		took    time.Duration
	}{
		"a database that is there":               {time.Second, nil, time.Minute, nil, time.Minute},
		"a wrong password":                       {time.Second, wrong, time.Minute, wrong, time.Second},
		"a wrong password, and no input":         {time.Second, wrong, 0, wrong, time.Second},
		"a database that is away":                {time.Second, away, time.Minute, nil, time.Minute},
		"a database that says nothing":           {time.Hour, nil, time.Minute, nil, time.Minute},
		"a database that says nothing, no input": {time.Hour, nil, 0, nil, probeTime},
		"a wrong password, found too late":       {time.Hour, wrong, time.Minute, nil, time.Minute},
		"a database that is there, and no input": {time.Second, nil, 0, nil, time.Second},
		"a folder that is there":                 {0, nil, 0, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				begun := newStartup(slog.New(slog.DiscardHandler))
				begun.begin(openedStore{probe: func(ctx context.Context) error {
					select {
					case <-time.After(c.answers):
						return c.err
					case <-ctx.Done():
						return fault.StoreUnavailable.Errorf("nothing yet: %w", ctx.Err())
					}
				}})
				err := begun.guard(t.Context(), func(ctx context.Context) error {
					select {
					case <-time.After(c.serves):
					case <-ctx.Done():
					}
					return nil
				})
				if took := time.Since(began); took != c.took || (err == nil) != (c.want == nil) || c.want != nil && !errors.Is(err, c.want) {
					t.Errorf("%v after %v", err, took)
				}
				if err != nil && (fault.KindOf(err) != fault.Internal || err.Error() != "wrong password; set another") {
					t.Errorf("%v: %v", fault.KindOf(err), err)
				}
				begun.end()
			})
		})
	}
}

// TestClosingDoesNotWaitForTheDatabase: closing a vault stops the first contact.
func TestClosingDoesNotWaitForTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		begun := newStartup(slog.New(slog.DiscardHandler))
		begun.begin(openedStore{probe: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}})
		begun.end()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := begun.guard(ctx, func(context.Context) error { return nil }); err != nil || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestHeldLog: a failed start logs nothing, a successful one everything, except an error that repeats the one before.
func TestHeldLog(t *testing.T) {
	t.Parallel()
	record := func(decide func(*heldLog)) []string {
		var out bytes.Buffer
		held := &heldLog{}
		log := slog.New(held.over(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelInfo}))).With("with", 1).WithGroup("g")
		log.Debug("not asked for")
		log.Warn("one", "error", "away")
		log.Error("two", "error", "away")
		if out.Len() > 0 {
			t.Errorf("logged before the start was decided: %s", &out)
		}
		decide(held)
		log.Error("three", "error", "away")
		log.Error("four", "error", "elsewhere")
		log.Info("five")
		log.Error("six", "error", "elsewhere")
		log.Info("seven")
		log.Info("seven")
		var messages []string
		for line := range strings.Lines(out.String()) {
			if !strings.Contains(line, "with=1") {
				t.Errorf("attributes are lost: %s", line)
			}
			_, rest, _ := strings.Cut(line, "msg=")
			messages = append(messages, strings.Fields(rest)[0])
		}
		return messages
	}
	if got := strings.Join(record((*heldLog).release), " "); got != "one four five six seven seven" {
		t.Errorf("released: %s", got)
	}
	if got := record((*heldLog).drop); len(got) != 0 {
		t.Errorf("dropped: %v", got)
	}
}
