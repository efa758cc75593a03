package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/tool"
)

// endless fails once a program that does not stop has written too much.
type endless struct{ written bytes.Buffer }

func (e *endless) Write(data []byte) (int, error) {
	if e.written.Len() > 1<<20 {
		return 0, errors.New("the output does not end")
	}
	return e.written.Write(data)
}

// Batch stops where its input can no longer be read, after running what came before. A line that is too long is
// reported, and the next one is read.
func TestBatchStopsAtUnreadableInput(t *testing.T) {
	long := io.MultiReader(strings.NewReader(strings.Repeat("x", maxLine+1)+"\nnot json\n"), iotest.ErrReader(io.EOF))
	gone := io.MultiReader(strings.NewReader("not json\n{\"to"), iotest.ErrReader(errors.New("input/output error")))
	for name, c := range map[string]struct {
		in       io.Reader
		args     []string
		results  int
		messages string
	}{
		"a folder":        {nil, []string{"batch", t.TempDir()}, 0, "obsidian-mcp: FILE: read "},
		"a disk is gone":  {gone, []string{"batch"}, 1, "obsidian-mcp: FILE: input/output error\nbatch reads"},
		"a line too long": {long, []string{"batch"}, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out endless
			var messages bytes.Buffer
			p := Program{
				Tools: tool.NewRegistry(nil), In: c.in, Out: &out, Err: &messages, Lookup: func(string) (string, bool) { return "", false },
				IsTerminal: func() bool { return false }, Watched: func() bool { return false }, Width: func() int { return 80 },
				Open: func(context.Context, config.Config) (*tool.Registry, io.Closer, error) {
					return tool.NewRegistry(nil), io.NopCloser(nil), nil
				},
				Progress: func(ctx context.Context, _ func(int64)) context.Context { return ctx },
			}
			t.Setenv("HOME", t.TempDir())
			t.Setenv("XDG_CONFIG_HOME", os.Getenv("HOME"))
			status := Run(t.Context(), p, c.args)
			if got := strings.Count(out.written.String(), "\n"); status != 2 || got != c.results {
				t.Errorf("status %d and %d results, want 2 and %d: %s", status, got, c.results, out.written.String())
			}
			if got := messages.String(); !strings.HasPrefix(got, c.messages) || c.messages == "" && got != "" {
				t.Errorf("printed %q, want %q", got, c.messages)
			}
		})
	}
}
