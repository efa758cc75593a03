package mcp

import (
	"slices"
	"sync"
	"time"
)

// archive holds the streams that have ended, of all sessions, for clients that
// were cut off before they had heard everything. The oldest give way to time,
// and to others when they are too much.
type archive struct {
	mu    sync.Mutex // guards what follows
	all   []archived // the oldest first
	bytes int
}

type archived struct {
	session *session
	stream  *stream
	bytes   int
	since   time.Time
}

// Limits of the archive.
const (
	archiveBytes   = 32 << 20
	archiveStreams = 4096
	archiveTime    = 2 * time.Minute
)

// add takes in a stream that has ended.
func (a *archive) add(s *session, one *stream) {
	a.mu.Lock()
	next := archived{s, one, one.size(), time.Now()}
	a.all = append(a.all, next)
	a.bytes += next.bytes
	over := a.tooMuch(next.since)
	a.mu.Unlock()
	forget(over)
}

// drop forgets the streams of a session that is over.
func (a *archive) drop(over *session) {
	if !over.hasKept() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = slices.DeleteFunc(a.all, func(one archived) bool {
		if one.session == over {
			a.bytes -= one.bytes
		}
		return one.session == over
	})
}

// tidy drops what is too old.
func (a *archive) tidy(now time.Time) {
	a.mu.Lock()
	over := a.tooMuch(now)
	a.mu.Unlock()
	forget(over)
}

// tooMuch takes out what has to go.
func (a *archive) tooMuch(now time.Time) []archived {
	count := 0
	for count < len(a.all) && (a.bytes > archiveBytes || len(a.all)-count > archiveStreams || now.Sub(a.all[count].since) > archiveTime) {
		a.bytes -= a.all[count].bytes
		count++
	}
	over := slices.Clone(a.all[:count])
	clear(a.all[:count])
	a.all = a.all[count:]
	return over
}

func forget(over []archived) {
	for _, one := range over {
		one.session.forget(one.stream)
	}
}
