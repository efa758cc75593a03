package cli

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"
)

// How often progress is told: a person watches it move, a log is to stay short.
const (
	redraw    = 100 * time.Millisecond
	plainLine = 5 * time.Second
)

// progress tells on stderr how far a command is: a bar on a terminal, which goes
// away when the work is done, and a line now and then elsewhere. Nothing is told
// with --quiet. The cursor stays at the beginning of the bar, so that whatever
// else is written takes its place.
type progress struct {
	out   io.Writer // nil: nobody wants to know
	width func() int
	bar   bool
	what  string
	now   func() time.Time
	fades time.Duration // a bar that is not brought up to date goes away; 0: it stays

	mu    sync.Mutex // guards what follows
	began time.Time
	told  time.Time
	shown bool
	fade  *time.Timer
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

// showing is a context in which whoever waits for the index shows it.
func (p Program) showing(ctx context.Context, l *progress) context.Context {
	if p.Progress == nil {
		return ctx
	}
	return p.Progress(ctx, func(files int64) { l.show(int(files), 0) })
}

// show brings the progress up to date. A total of 0 is not known yet.
func (l *progress) show(done, total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil {
		return
	}
	now := l.now()
	if l.began.IsZero() {
		l.began = now
		if !l.bar {
			l.told = now // what is done in a moment needs no line
		}
	}
	between := plainLine
	if l.bar {
		between = redraw
	}
	isLast := l.bar && total > 0 && done >= total
	if !l.told.IsZero() && now.Sub(l.told) < between && !isLast {
		return
	}
	l.told = now
	state := tally{done, total, l.what, now.Sub(l.began)}
	if !l.bar {
		_, _ = io.WriteString(l.out, "obsidian-mcp: "+state.words()+"\n")
		return
	}
	_, _ = io.WriteString(l.out, erase+state.draw(l.columns())+"\r")
	l.shown = true
	l.fadeLater()
}

// erase takes away what is in the line.
const erase = "\r\x1b[K"

// columns is how much room there is now: a terminal may change its size.
func (l *progress) columns() int {
	if l.width == nil {
		return 80
	}
	return l.width()
}

// fadeLater has the bar go away unless it is shown again.
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

// clear takes the bar away.
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

// over is a writer to what the bar is in the way of.
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
