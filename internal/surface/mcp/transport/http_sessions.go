package transport

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// sessions holds the open sessions.
type sessions struct {
	most int
	life time.Duration // how long a session may be idle

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

func (s *sessions) remove(ended *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, ended.id)
}

// add takes a session in. If there are too many, the one idle for longest is closed. It returns false if all are in use.
func (s *sessions) add(opened *session) bool {
	s.mu.Lock()
	var evicted *session
	if s.most > 0 && len(s.all) >= s.most {
		if evicted = s.longestIdle(); evicted == nil {
			s.mu.Unlock()
			return false
		}
		delete(s.all, evicted.id) // under the lock: other sessions may be added at the same time
	}
	s.all[opened.id] = opened
	s.mu.Unlock()
	if evicted != nil {
		_ = evicted.Close()
	}
	return true
}

func (s *sessions) longestIdle() *session {
	var found *session
	var foundSince time.Time
	for _, candidate := range s.all {
		if since, idle := candidate.idle(); idle && (found == nil || since.Before(foundSince)) {
			found, foundSince = candidate, since
		}
	}
	return found
}

// watch ends sessions that have been idle for too long, and calls tidy regularly, until ctx ends.
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
			for _, expired := range s.expired(now) {
				_ = expired.Close()
			}
			tidy(now)
		case <-ctx.Done():
			return
		}
	}
}

// expired lists the sessions that have been idle for too long.
func (s *sessions) expired(now time.Time) []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	var expired []*session
	for _, candidate := range s.all {
		if since, idle := candidate.idle(); idle && s.life > 0 && now.Sub(since) > s.life {
			expired = append(expired, candidate)
		}
	}
	return expired
}

// list returns the sessions that are open now.
func (s *sessions) list() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.all))
}
