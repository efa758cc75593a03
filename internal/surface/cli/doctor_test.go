package cli

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/tool"
)

// TestDoctorIsInterrupted: to be stopped by a person is no failed check.
func TestDoctorIsInterrupted(t *testing.T) {
	newDesk(t, 0)
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
			Doctor: func(context.Context, config.Config, Examination) error {
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
