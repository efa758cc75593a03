package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// On a terminal added lines are green and removed lines red. Control characters in notes are made visible, on a terminal
// and in a pipe.
func TestDiffsInColour(t *testing.T) {
	text := "change x: y\n\n--- a/A.md\n+++ b/A.md\n@@ -1,3 +1,3 @@\n same\n-old\x1b[2J\n+new\u202e\u009b31m\ttab\x7f\r\n--- fence\n\\ No newline\n+++ plus\n--- a/B.md\n@@ -1,1 +0,0 @@\n-@@ x\n"
	for coloured, want := range map[bool]string{
		false: "change x: y\n\n--- a/A.md\n+++ b/A.md\n@@ -1,3 +1,3 @@\n same\n-old␛[2J\n+new\ufffd\ufffd31m\ttab␡␍\n--- fence\n\\ No newline\n+++ plus\n--- a/B.md\n@@ -1,1 +0,0 @@\n-@@ x\n",
		true: "\x1b[1mchange x: y\x1b[0m\n\n\x1b[1m--- a/A.md\x1b[0m\n\x1b[1m+++ b/A.md\x1b[0m\n\x1b[36m@@ -1,3 +1,3 @@\x1b[0m\n same\n" +
			"\x1b[31m-old␛[2J\x1b[0m\n\x1b[32m+new\ufffd\ufffd31m\ttab␡␍\x1b[0m\n\x1b[31m--- fence\x1b[0m\n\\ No newline\n\x1b[32m+++ plus\x1b[0m\n" +
			"\x1b[1m--- a/B.md\x1b[0m\n\x1b[36m@@ -1,1 +0,0 @@\x1b[0m\n\x1b[31m-@@ x\x1b[0m\n",
	} {
		var out bytes.Buffer
		p := Program{Out: &out, Coloured: func() bool { return coloured }}
		if err := p.printDiff(text); err != nil || out.String() != want {
			t.Errorf("coloured %v: %v\ngot  %q\nwant %q", coloured, err, out.String(), want)
		}
	}
}

func TestListMarksUndoneChanges(t *testing.T) {
	var out bytes.Buffer
	err := Program{Out: &out}.printChanges(tool.Answer{
		JSON: []byte(`{"changes": [{"id": "b", "tool": "undo_change", "summary": "undid: created A"}, {"id": "a", "tool": "create_note", "summary": "created A", "client": "x"}]}`),
		Meta: map[string]any{"undone": []string{"a"}},
	})
	if got := out.String(); err != nil || strings.Count(got, "(undone)") != 1 || !strings.Contains(got, "create_note  created A (undone)  x\n") {
		t.Errorf("%v\n%s", err, got)
	}
}

// Printing stops when the reader has closed the pipe.
func TestDiffStopsAtClosedPipe(t *testing.T) {
	p := Program{Out: closedPipe{}}
	if err := p.printDiff(strings.Repeat("line\n", 10)); err == nil {
		t.Error("writing to a closed pipe returned no error")
	}
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, bytes.ErrTooLarge }

// Errors name what a person types instead of tools and their parameters. The kind of error stays.
func TestErrorsNameCommands(t *testing.T) {
	hash := strings.Repeat("0123456789abcdef", 4)
	for name, c := range map[string]struct {
		err           error
		message, hint string
	}{
		"no such change": {fault.NotFound.Errorf("no change has the id 'x'").WithHint("list_changes lists them"), "no change has the id 'x'", "obsidian-mcp history lists them"},
		"changed since":  {fault.Conflict.Errorf("'A' had the hash %s, and now it has %s", hash, hash).WithHint("force=true puts it back"), "'A' had the hash 01234567…, and now it has 01234567…", "--force puts it back"},
		"many notes":     {fault.InvalidArgument.Errorf("%w", &tool.NeedsConfirm{Notes: 5272, ID: "abc"}), "this changes 5,272 notes", "--confirm abc goes ahead"},
		"something else": {fault.Timeout.Errorf("slow, by force=true").WithHint("wait"), "slow, by force=true", "wait"},
	} {
		got := inCommands(c.err)
		if got.Error() != c.message || fault.HintOf(got) != c.hint || fault.KindOf(got) != fault.KindOf(c.err) || !errors.Is(got, c.err) {
			t.Errorf("%s: %v; %s", name, got, fault.HintOf(got))
		}
	}
	if inCommands(nil) != nil {
		t.Error("nil became an error")
	}
}
