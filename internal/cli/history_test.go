package cli

import (
	"bytes"
	"strings"
	"testing"
)

// TestDiffsInColour: on a terminal what was added is green and what was removed
// red; what notes hold for terminals is shown and not obeyed, there or in a
// pipe.
func TestDiffsInColour(t *testing.T) {
	text := "change x: y\n\n--- a/A.md\n+++ b/A.md\n@@ -1,2 +1,2 @@\n same\n-old\x1b[2J\n+new\u202e\u009b31m\ttab\x7f\r\n"
	for coloured, want := range map[bool]string{
		false: "change x: y\n\n--- a/A.md\n+++ b/A.md\n@@ -1,2 +1,2 @@\n same\n-old␛[2J\n+new\ufffd\ufffd31m\ttab␡␍\n",
		true: "\x1b[1mchange x: y\x1b[0m\n\n\x1b[1m--- a/A.md\x1b[0m\n\x1b[1m+++ b/A.md\x1b[0m\n\x1b[36m@@ -1,2 +1,2 @@\x1b[0m\n same\n" +
			"\x1b[31m-old␛[2J\x1b[0m\n\x1b[32m+new\ufffd\ufffd31m\ttab␡␍\x1b[0m\n",
	} {
		var out bytes.Buffer
		p := Program{Out: &out, Coloured: func() bool { return coloured }}
		if err := p.printDiff(text); err != nil || out.String() != want {
			t.Errorf("in colour %v: %v\ngot  %q\nwant %q", coloured, err, out.String(), want)
		}
	}
}

// TestHistoryGoesToTheEnd of what is read: a reader that has gone ends it.
func TestHistoryGoesToTheEnd(t *testing.T) {
	p := Program{Out: closedPipe{}}
	if err := p.printDiff(strings.Repeat("line\n", 10)); err == nil {
		t.Error("nobody reads, and nobody noticed")
	}
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, bytes.ErrTooLarge }
