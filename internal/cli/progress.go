package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// progress is a line on a terminal that says how far a command is. In a pipe
// there is none.
type progress struct {
	out  io.Writer // nil: nobody watches
	what string

	mu      sync.Mutex // guards what follows
	percent int
	shown   bool
}

// progress makes a line for counting things.
func (p Program) progress(what string) *progress {
	line := &progress{what: what, percent: -1}
	if p.Watched != nil && p.Watched() {
		line.out = p.Err
	}
	return line
}

// show brings the line up to date whenever another percent is done.
func (l *progress) show(done, total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	percent := 100
	if total > 0 {
		percent = done * 100 / total
	}
	if l.out == nil || percent == l.percent {
		return
	}
	l.percent, l.shown = percent, true
	fmt.Fprintf(l.out, "\r\x1b[K%d of %d %s (%d%%)", done, total, l.what, percent)
}

// print writes a line of its own, in place of this one.
func (l *progress) print(to io.Writer, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	fmt.Fprintln(to, text)
}

// clear takes the line away.
func (l *progress) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
}

func (l *progress) erase() {
	if l.shown {
		fmt.Fprint(l.out, "\r\x1b[K")
		l.shown, l.percent = false, -1
	}
}

// printable is a text of the database's that does nothing to a terminal.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(text)
	}
	return text
}
