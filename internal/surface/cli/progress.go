package cli

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"
)

// How often progress is printed: a person wants to see it move, a log should stay short.
const (
	redraw    = 100 * time.Millisecond
	plainLine = 5 * time.Second
)

// progress shows on stderr how far a command is: on a terminal as a bar, which disappears when the work is done, elsewhere
// as an occasional line, and not at all with --quiet. The cursor stays at the start of the bar, so that other output
// overwrites it.
type progress struct {
	out   io.Writer // nil with --quiet
	width func() int
	bar   bool
	what  string
	now   func() time.Time
	fades time.Duration // how long the bar stays without an update; 0 for ever

	mu      sync.Mutex // guards what follows
	began   time.Time
	printed time.Time
	shown   bool
	fade    *time.Timer
}

// progress makes a bar for counting things.
func (p Program) progress(cmd *cobra.Command, what string) *progress {
	l := &progress{what: what, now: time.Now, width: p.Width}
	if quiet, _ := cmd.Flags().GetBool("quiet"); quiet {
		return l
	}
	l.out, l.bar = p.Err, p.Watched != nil && p.Watched()
	return l
}

// quiet reports whether only errors are to be printed.
func (l *progress) quiet() bool { return l.out == nil }

// showing returns a context in which waiting for the index updates the bar.
func (p Program) showing(ctx context.Context, l *progress) context.Context {
	if p.Progress == nil {
		return ctx
	}
	return p.Progress(ctx, func(files int64) { l.show(int(files), 0) })
}

// show updates the progress. A total of 0 means that it is not known yet.
func (l *progress) show(done, total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.quiet() {
		return
	}
	now := l.now()
	if l.began.IsZero() {
		l.began = now
		if !l.bar {
			l.printed = now // short work needs no line
		}
	}
	between := plainLine
	if l.bar {
		between = redraw
	}
	isLast := l.bar && total > 0 && done >= total
	if !l.printed.IsZero() && now.Sub(l.printed) < between && !isLast {
		return
	}
	l.printed = now
	state := tally{done, total, l.what, now.Sub(l.began)}
	if !l.bar {
		_, _ = io.WriteString(l.out, "obsidian-mcp: "+state.words()+"\n")
		return
	}
	_, _ = io.WriteString(l.out, erase+state.draw(l.columns())+"\r")
	l.shown = true
	l.fadeLater()
}

// erase clears the line.
const erase = "\r\x1b[K"

// columns returns the current width: a terminal may be resized.
func (l *progress) columns() int {
	if l.width == nil {
		return 80
	}
	return l.width()
}

// fadeLater removes the bar unless it is shown again in time.
func (l *progress) fadeLater() {
	switch {
	case l.fades == 0:
	case l.fade == nil:
		l.fade = time.AfterFunc(l.fades, l.clear)
	default:
		l.fade.Reset(l.fades)
	}
}

// print writes a line of its own, in place of the bar.
func (l *progress) print(to io.Writer, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	_, _ = io.WriteString(to, text+"\n")
}

// clear removes the bar.
func (l *progress) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
}

func (l *progress) erase() {
	if l.fade != nil {
		l.fade.Stop()
	}
	if l.shown {
		_, _ = io.WriteString(l.out, erase)
		l.shown = false
	}
}

// over returns a writer that removes the bar before it writes.
func (l *progress) over(to io.Writer) io.Writer { return overBar{l, to} }

type overBar struct {
	bar *progress
	to  io.Writer
}

func (o overBar) Write(data []byte) (int, error) {
	o.bar.mu.Lock()
	defer o.bar.mu.Unlock()
	o.bar.erase()
	return o.to.Write(data)
}
