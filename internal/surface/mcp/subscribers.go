package mcp

import (
	"context"
	"maps"
	"slices"
	"sync"

	"obsidian-mcp/internal/ops/resource"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// subscriber is one who wants to be told of changes: a session, or in versions
// without sessions a call of subscriptions/listen. The SDK knows one such call
// a session; clients may make several.
type subscriber struct {
	session *sdk.ServerSession
	send    func(method string, params sdk.Params)

	lists bool                    // whether it is told of files that come and go
	uris  map[string]resource.Key // as the client spells them
}

// subscriptions knows the subscribers.
type subscriptions struct {
	mu          sync.Mutex // guards what follows, and the subscribers in it
	all         map[*subscriber]bool
	sessions    map[*sdk.ServerSession]*subscriber
	lastContext string // as it was when a subscriber last heard of it
}

func newSubscriptions() *subscriptions {
	return &subscriptions{all: map[*subscriber]bool{}, sessions: map[*sdk.ServerSession]*subscriber{}}
}

func (s *subscriptions) add(one *subscriber) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[one] = true
}

func (s *subscriptions) remove(one *subscriber) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, one)
}

// change changes what a session wants to be told of.
func (s *subscriptions) change(session *sdk.ServerSession, send func(string, sdk.Params), how func(*subscriber)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.sessions[session]
	if one == nil {
		one = &subscriber{session: session, send: send, uris: map[string]resource.Key{}}
		s.sessions[session], s.all[one] = one, true
	}
	how(one)
}

// forget drops a session that has ended.
func (s *subscriptions) forget(session *sdk.ServerSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.sessions[session]; one != nil {
		delete(s.sessions, session)
		delete(s.all, one)
	}
}

// keep forgets the subscribers whose sessions have ended.
func (s *subscriptions) keep(live map[*sdk.ServerSession]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.all, func(one *subscriber, _ bool) bool { return !live[one.session] })
	maps.DeleteFunc(s.sessions, func(session *sdk.ServerSession, _ *subscriber) bool { return !live[session] })
}

// notice is what one subscriber is to be told.
type notice struct {
	to   *subscriber
	list bool
	uris []string
}

// concerned lists whom a change concerns.
func (s *subscriptions) concerned(keys map[resource.Key]bool, listed bool) []notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	var notices []notice
	for one := range s.all {
		told := notice{to: one, list: listed && one.lists}
		for uri, key := range one.uris {
			if keys[key] {
				told.uris = append(told.uris, uri)
			}
		}
		slices.Sort(told.uris)
		if told.list || len(told.uris) > 0 {
			notices = append(notices, told)
		}
	}
	return notices
}

// contextKey stands for the context block among the keys of files. No path has
// it, since a path does not start with a slash.
const contextKey resource.Key = "/context"

// contextChanged reports whether somebody wants to be told that the context
// block is another now.
func (s *subscriptions) contextChanged(ctx context.Context, block func(context.Context) (string, error)) bool {
	if len(s.concerned(map[resource.Key]bool{contextKey: true}, false)) == 0 {
		return false
	}
	now, err := block(ctx)
	return err == nil && s.isNewContext(now)
}

// knowContext notes what the first to subscribe to the context block knows.
func (s *subscriptions) knowContext(block string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lastContext == "" {
		s.lastContext = block
	}
}

func (s *subscriptions) isNewContext(block string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.lastContext != block
	s.lastContext = block
	return changed
}
