package transport

import (
	"slices"
	"sync"
	"time"
)

// archive holds the finished streams of all sessions, for clients that were cut off before they had read everything.
// The oldest streams are dropped after a while, or earlier when there are too many.
type archive struct {
	mu    sync.Mutex // guards what follows
	all   []archived // oldest first
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

// add takes in a stream that has finished.
func (a *archive) add(s *session, finished *stream) {
	a.mu.Lock()
	next := archived{s, finished, finished.size(), time.Now()}
	a.all = append(a.all, next)
	a.bytes += next.bytes
	dropped := a.shrink(next.since)
	a.mu.Unlock()
	forget(dropped)
}

// drop removes the streams of a session that has ended.
func (a *archive) drop(ended *session) {
	if !ended.hasKept() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = slices.DeleteFunc(a.all, func(entry archived) bool {
		if entry.session == ended {
			a.bytes -= entry.bytes
		}
		return entry.session == ended
	})
}

// tidy drops streams that are too old.
func (a *archive) tidy(now time.Time) {
	a.mu.Lock()
	dropped := a.shrink(now)
	a.mu.Unlock()
	forget(dropped)
}

// shrink removes the oldest entries until the limits are kept, and returns them. The caller holds the lock.
func (a *archive) shrink(now time.Time) []archived {
	count := 0
	for count < len(a.all) &&
		(a.bytes > archiveBytes || len(a.all)-count > archiveStreams || now.Sub(a.all[count].since) > archiveTime) {
		a.bytes -= a.all[count].bytes
		count++
	}
	dropped := slices.Clone(a.all[:count])
	clear(a.all[:count])
	a.all = a.all[count:]
	return dropped
}

func forget(dropped []archived) {
	for _, entry := range dropped {
		entry.session.forget(entry.stream)
	}
}
