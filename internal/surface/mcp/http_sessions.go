package mcp

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// sessions are those that are open.
type sessions struct {
	most int
	life time.Duration // how long one may be idle

	mu  sync.Mutex // guards all
	all map[string]*session
}

func newSessions(most int, life time.Duration) *sessions {
	return &sessions{most: most, life: life, all: map[string]*session{}}
}

func (s *sessions) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

func (s *sessions) find(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[id]
}

func (s *sessions) remove(one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, one.id)
}

// add takes a session in. Where there are too many, the one that has been idle
// for longest gives way. It reports false if all are in use.
func (s *sessions) add(one *session) bool {
	s.mu.Lock()
	var over *session
	if s.most > 0 && len(s.all) >= s.most {
		if over = s.longestIdle(); over == nil {
			s.mu.Unlock()
			return false
		}
		delete(s.all, over.id) // at once: others come at the same time
	}
	s.all[one.id] = one
	s.mu.Unlock()
	if over != nil {
		_ = over.Close()
	}
	return true
}

func (s *sessions) longestIdle() *session {
	var found *session
	var foundSince time.Time
	for _, one := range s.all {
		if since, idle := one.idle(); idle && (found == nil || since.Before(foundSince)) {
			found, foundSince = one, since
		}
	}
	return found
}

// watch ends sessions that have been idle for too long, and has others tidy up,
// until ctx ends.
func (s *sessions) watch(ctx context.Context, tidy func(time.Time)) {
	every := 30 * time.Second
	if s.life > 0 {
		every = min(every, max(s.life/4, 10*time.Millisecond))
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			for _, one := range s.expired(now) {
				_ = one.Close()
			}
			tidy(now)
		case <-ctx.Done():
			return
		}
	}
}

// expired lists the sessions whose time is over.
func (s *sessions) expired(now time.Time) []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	var over []*session
	for _, one := range s.all {
		if since, idle := one.idle(); idle && s.life > 0 && now.Sub(since) > s.life {
			over = append(over, one)
		}
	}
	return over
}

// list is those that there are now.
func (s *sessions) list() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.all))
}
