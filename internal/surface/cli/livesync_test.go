package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/transfer"
	"obsidian-mcp/internal/tool"
)

// runLiveSync runs a command with stand-ins for the operations on the vault.
func runLiveSync(t *testing.T, watched bool, commands LiveSync, args ...string) (status int, out, messages string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := Program{
		Tools: tool.NewRegistry(nil), LiveSync: commands, Out: &stdout, Err: &stderr,
		IsTerminal: func() bool { return false }, Watched: func() bool { return watched },
		Lookup: func(string) (string, bool) { return "", false },
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	status = Run(t.Context(), p, append([]string{"livesync"}, args...))
	return status, stdout.String(), stderr.String()
}

// copies returns a stand-in for a copy with these outcomes.
func copies(err error, outcomes ...transfer.Outcome) copyFunc {
	return func(_ context.Context, _ config.Config, _ string, o CopyOptions) (transfer.Summary, error) {
		summary := transfer.Summary{Created: 3}
		o.Notice("a notice")
		for i, outcome := range outcomes {
			o.Transfer.Report(outcome)
			o.Transfer.Progress(i+1, len(outcomes))
			switch outcome.Result {
			case transfer.Different:
				summary.Different++
			case transfer.Unreadable:
				summary.Unreadable++
			case transfer.Refused:
				summary.Refused++
			}
			if summary.First == nil {
				summary.First = outcome.Err
			}
		}
		return summary, err
	}
}

func TestCopyStatus(t *testing.T) {
	different := transfer.Outcome{Path: "d/A.md", Result: transfer.Different}
	unreadable := transfer.Outcome{Path: "B.md", Result: transfer.Unreadable, Err: fault.StoreUnavailable.Errorf("a chunk is missing").WithHint("wait")}
	refused := transfer.Outcome{Path: "C.md", Result: transfer.Refused, Err: fault.PermissionDenied.Errorf("not here")}
	for name, c := range map[string]struct {
		err      error
		outcomes []transfer.Outcome
		status   int
		out      string
		messages string
	}{
		"all is copied": {nil, []transfer.Outcome{{Path: "X.md", Result: transfer.Created}}, 0, "3 files created, 0 replaced, 0 the same; 0 bytes written\n", ""},
		"differences":   {nil, []transfer.Outcome{different}, 6, "1 different and left alone (--overwrite replaces them);", "d/A.md: differs, left alone\n"},
		"unreadable":    {nil, []transfer.Outcome{different, unreadable, refused}, 7, "1 unreadable, 1 refused;", "B.md: unreadable: a chunk is missing; wait\nC.md: refused: not here\n"},
		"refused":       {nil, []transfer.Outcome{different, refused}, 4, "1 different and left alone (--overwrite replaces them), 1 refused;", "C.md: refused: not here\n"},
		"away":          {fault.StoreUnavailable.Errorf("away"), nil, 7, "3 files created", "obsidian-mcp: away\n"},
		"Ctrl-C":        {fmt.Errorf("reading: %w", context.Canceled), nil, 1, "3 files created", "obsidian-mcp: stopped\nrun the same command again to continue\n"},
		"escapes": {nil, []transfer.Outcome{{Path: "\x1b[2J.md", Result: transfer.Different}}, 6, "1 different",
			`"\x1b[2J.md": differs, left alone` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, messages := runLiveSync(t, false, LiveSync{Pull: copies(c.err, c.outcomes...)}, "pull", "dir")
			if status != c.status || !strings.Contains(out, c.out) || !strings.HasPrefix(messages, "obsidian-mcp: a notice\n") || !strings.HasSuffix(messages, c.messages) {
				t.Errorf("status %d\n%s\n%s", status, out, messages)
			}
			if strings.ContainsAny(out+messages, "\r\x1b") {
				t.Errorf("progress is drawn in a pipe: %q", messages)
			}
		})
	}
}

func TestCopyOptions(t *testing.T) {
	var got []string
	record := func(direction string) copyFunc {
		return func(_ context.Context, _ config.Config, dir string, o CopyOptions) (transfer.Summary, error) {
			got = append(got, fmt.Sprint(direction, " ", dir, " ", o.Transfer.Overwrite))
			return transfer.Summary{}, nil
		}
	}
	commands := LiveSync{Pull: record("pull"), Push: record("push")}
	for _, args := range [][]string{{"pull", "a"}, {"push", "b"}, {"pull", "--overwrite", "c"}, {"push", "d", "--overwrite"}} {
		if status, _, messages := runLiveSync(t, false, commands, args...); status != 0 {
			t.Errorf("%v: %d %s", args, status, messages)
		}
	}
	if want := "pull a false, push b false, pull c true, push d true"; strings.Join(got, ", ") != want {
		t.Errorf("%v", got)
	}
}

// The bar takes one line, and other lines replace it.
func TestProgressOnTerminal(t *testing.T) {
	many := make([]transfer.Outcome, 400)
	for i := range many {
		many[i] = transfer.Outcome{Path: "X.md", Result: transfer.Created}
	}
	many[200] = transfer.Outcome{Path: "A.md", Result: transfer.Different}
	_, _, messages := runLiveSync(t, true, LiveSync{Push: copies(nil, many...)}, "push", "dir")
	if !strings.Contains(messages, erase+"A.md: differs") || !strings.Contains(messages, "1 of 400 files (0%)") || !strings.HasSuffix(messages, "400 of 400 files (100%)\r"+erase) {
		t.Errorf("%q", messages)
	}
}

// With --quiet only errors are printed, on a terminal or not.
func TestQuietCopy(t *testing.T) {
	outcomes := []transfer.Outcome{
		{Path: "A.md", Result: transfer.Different}, {Path: "B.md", Result: transfer.Refused, Err: fault.PermissionDenied.Errorf("not here")},
	}
	for _, watched := range []bool{true, false} {
		commands := LiveSync{Pull: func(ctx context.Context, c config.Config, dir string, o CopyOptions) (transfer.Summary, error) {
			if o.Notice != nil {
				t.Error("notices are printed with --quiet")
			}
			o.Notice = func(string) {}
			return copies(nil, outcomes...)(ctx, c, dir, o)
		}}
		status, out, messages := runLiveSync(t, watched, commands, "pull", "dir", "--quiet")
		if status != 4 || messages != "B.md: refused: not here\n" || !strings.Contains(out, "1 refused") {
			t.Errorf("status %d\n%s\n%q", status, out, messages)
		}
	}
}

func TestVerifyCommand(t *testing.T) {
	for name, c := range map[string]struct {
		found  []Problem
		err    error
		status int
		out    string
	}{
		"all is well": {nil, nil, 0, "7 files (99 bytes), 2 in the trash; all is well\n"},
		"a problem":   {[]Problem{{"A.md", "missing chunk (h:1)", "open it"}}, nil, 1, "A.md: missing chunk (h:1): open it\n7 files (99 bytes), 2 in the trash; 1 problem\n"},
		"away":        {[]Problem{{"A.md", "damaged", "open it"}}, fault.StoreUnavailable.Errorf("away"), 7, "A.md: damaged: open it\n"},
		"Ctrl-C":      {nil, errors.Join(context.Canceled), 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			verify := func(_ context.Context, _ config.Config, o VerifyOptions) (Verified, error) {
				for _, found := range c.found {
					o.Found(found)
				}
				o.Progress(0, 0)
				return Verified{Files: 7, Trashed: 2, Bytes: 99, Problems: len(c.found)}, c.err
			}
			status, out, messages := runLiveSync(t, false, LiveSync{Verify: verify}, "verify")
			if status != c.status || out != c.out || (messages == "") != (c.err == nil) {
				t.Errorf("status %d\n%s\n%s", status, out, messages)
			}
		})
	}
}

func TestVerifyLost(t *testing.T) {
	for name, c := range map[string]struct {
		found  []LostLine
		err    error
		status int
		out    string
	}{
		"nothing": {nil, nil, 0, "2 files, 5 revisions; no line was lost\n"},
		"a line": {
			[]LostLine{{"A.md", 3, "buy milk\x1b", "2-ab", time.Unix(0, 0), "dropped"}}, nil, 1,
			"A.md:3: \"buy milk\\x1b\" (revision 2-ab of 1970-01-01T00:00:00Z: dropped)\n2 files, 5 revisions; 1 line lost\n",
		},
		"away": {nil, fault.StoreUnavailable.Errorf("away"), 7, ""},
	} {
		t.Run(name, func(t *testing.T) {
			lost := func(_ context.Context, _ config.Config, o LostOptions) (LostSummary, error) {
				for _, line := range c.found {
					o.Found(line)
				}
				o.Progress(1, 1)
				return LostSummary{Notes: 2, Revisions: 5, Lines: len(c.found)}, c.err
			}
			status, out, messages := runLiveSync(t, false, LiveSync{Lost: lost}, "verify", "--lost")
			if status != c.status || out != c.out || (messages == "") != (c.err == nil) {
				t.Errorf("status %d\n%s\n%s", status, out, messages)
			}
		})
	}
}
