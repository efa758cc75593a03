package mcp

import (
	"context"
	"maps"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/ops/resource"
)

// subscriber wants to hear about changes: a session, or in versions without sessions a call of subscriptions/listen.
// The SDK allows one such call per session; clients may make several.
type subscriber struct {
	session *sdk.ServerSession
	send    func(method string, params sdk.Params)

	lists   bool                    // whether it hears about files that appear and disappear
	prompts bool                    // whether it hears about changes of the list of prompts
	uris    map[string]resource.Key // as the client spells them
}

// subscriptions holds the subscribers.
type subscriptions struct {
	mu          sync.Mutex // guards what follows, and the subscribers in it
	all         map[*subscriber]bool
	sessions    map[*sdk.ServerSession]*subscriber
	lastContext string // the context block that subscribers know
}

func newSubscriptions() *subscriptions {
	return &subscriptions{all: map[*subscriber]bool{}, sessions: map[*sdk.ServerSession]*subscriber{}}
}

func (s *subscriptions) add(listener *subscriber) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[listener] = true
}

func (s *subscriptions) remove(listener *subscriber) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, listener)
}

// update changes what a session subscribes to.
func (s *subscriptions) update(session *sdk.ServerSession, send func(string, sdk.Params), change func(*subscriber)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.sessions[session]
	if found == nil {
		found = &subscriber{session: session, send: send, uris: map[string]resource.Key{}}
		s.sessions[session], s.all[found] = found, true
	}
	change(found)
}

// forget drops a session that has ended.
func (s *subscriptions) forget(session *sdk.ServerSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.sessions[session]; found != nil {
		delete(s.sessions, session)
		delete(s.all, found)
	}
}

// keep drops the subscribers whose sessions have ended.
func (s *subscriptions) keep(live map[*sdk.ServerSession]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.all, func(listener *subscriber, _ bool) bool { return !live[listener.session] })
	maps.DeleteFunc(s.sessions, func(session *sdk.ServerSession, _ *subscriber) bool { return !live[session] })
}

// notice is what a subscriber is to hear about a change.
type notice struct {
	to      *subscriber
	list    bool
	prompts bool
	uris    []string
}

// notices lists who is to hear about a change.
func (s *subscriptions) notices(keys map[resource.Key]bool, listed, prompts bool) []notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	var notices []notice
	for listener := range s.all {
		next := notice{to: listener, list: listed && listener.lists, prompts: prompts && listener.prompts}
		for uri, key := range listener.uris {
			if keys[key] {
				next.uris = append(next.uris, uri)
			}
		}
		slices.Sort(next.uris)
		if next.list || next.prompts || len(next.uris) > 0 {
			notices = append(notices, next)
		}
	}
	return notices
}

// contextKey stands for the context block among the keys of files. It clashes with no file, because a path does not
// start with a slash.
const contextKey resource.Key = "/context"

// contextChanged reports whether the context block has changed, if anybody subscribes to it.
func (s *subscriptions) contextChanged(ctx context.Context, block func(context.Context) (string, error)) bool {
	if len(s.notices(map[resource.Key]bool{contextKey: true}, false, false)) == 0 {
		return false
	}
	now, err := block(ctx)
	return err == nil && s.replaceContext(now)
}

// noteContext remembers the block as the first subscriber knows it.
func (s *subscriptions) noteContext(block string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lastContext == "" {
		s.lastContext = block
	}
}

// replaceContext remembers the current block, and reports whether it is different from the last one.
func (s *subscriptions) replaceContext(block string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.lastContext != block
	s.lastContext = block
	return changed
}
