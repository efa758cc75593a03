package cli

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/tool"
)

// An interruption has its own status: it is not a failed check.
func TestDoctorStatusWhenInterrupted(t *testing.T) {
	newTestHome(t, 0)
	for name, c := range map[string]struct {
		interrupt bool
		status    int
		messages  string
	}{
		"a check failed": {false, 1, ""},
		"Ctrl-C":         {true, 130, "obsidian-mcp: interrupted\n"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var out, messages bytes.Buffer
		p := Program{
			Tools: tool.NewRegistry(nil), Out: &out, Err: &messages, Lookup: func(string) (string, bool) { return "", false },
			Watched: func() bool { return false }, Width: func() int { return 80 },
			Progress: func(ctx context.Context, _ func(int64)) context.Context { return ctx },
			Doctor: func(context.Context, doctor.Request) error {
				if c.interrupt {
					cancel()
				}
				return errors.New("a check failed")
			},
		}
		if status := Run(ctx, p, []string{"doctor"}); status != c.status || messages.String() != c.messages {
			t.Errorf("%s: %d %s", name, status, messages.String())
		}
	}
}
