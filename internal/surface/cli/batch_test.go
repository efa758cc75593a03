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

// endless writes until it has had enough of a program that does not end.
type endless struct{ bytes.Buffer }

func (e *endless) Write(data []byte) (int, error) {
	if e.Len() > 1<<20 {
		return 0, errors.New("there is no end to it")
	}
	return e.Buffer.Write(data)
}

// TestBatchEnds where its input cannot be read on, after what came before; a
// line that is too long is told of, and the next one is read.
func TestBatchEnds(t *testing.T) {
	long := io.MultiReader(strings.NewReader(strings.Repeat("x", maxLine+1)+"\nnot json\n"), iotest.ErrReader(io.EOF))
	for name, c := range map[string]struct {
		in       io.Reader
		args     []string
		results  int
		messages string
	}{
		"a folder":        {nil, []string{"batch", t.TempDir()}, 0, "obsidian-mcp: FILE: read "},
		"a disk is gone":  {io.MultiReader(strings.NewReader("not json\n{\"to"), iotest.ErrReader(errors.New("input/output error"))), []string{"batch"}, 1, "obsidian-mcp: FILE: input/output error\nbatch reads"},
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
			if status != 2 || strings.Count(out.String(), "\n") != c.results || !strings.HasPrefix(messages.String(), c.messages) || c.messages == "" && messages.Len() > 0 {
				t.Errorf("status %d, %s\n%s", status, out.String(), messages.String())
			}
		})
	}
}
