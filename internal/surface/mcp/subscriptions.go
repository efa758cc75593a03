package mcp

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/ops/resource"
)

// The notifications about resources.
const (
	resourceUpdated      = "notifications/resources/updated"
	resourcesListChanged = "notifications/resources/list_changed"
	subscriptionsAck     = "notifications/subscriptions/acknowledged"
)

// resourceKey returns the key of the resource that a URI names.
func (s *Server) resourceKey(ctx context.Context, uri string) (resource.Key, error) {
	ctx, cancel := s.limited(ctx)
	defer cancel()
	if uri != resource.ContextURI {
		return s.options.Resources.Key(ctx, uri)
	}
	block, err := s.options.Context(ctx)
	if err == nil {
		s.subscriptions.noteContext(block)
	}
	return contextKey, err
}

type listenKey struct{}

// subscribe adds a file to what a session, or a call of subscriptions/listen under way, hears about.
func (s *Server) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	uri := req.Params.URI
	key, err := s.resourceKey(ctx, uri)
	if err != nil {
		return s.resourceError(err, uri, req.Params)
	}
	if listener, ok := ctx.Value(listenKey{}).(*subscriber); ok {
		listener.uris[uri] = key
		return nil
	}
	s.updateSession(req.Session, func(subscriber *subscriber) { subscriber.uris[uri] = key })
	return nil
}

func (s *Server) unsubscribe(ctx context.Context, req *sdk.UnsubscribeRequest) error {
	if ctx.Value(listenKey{}) == nil {
		s.updateSession(req.Session, func(subscriber *subscriber) { delete(subscriber.uris, req.Params.URI) })
	}
	return nil
}

// initialized notes that a session has begun: sessions hear about changed lists without asking.
func (s *Server) initialized(_ context.Context, req *sdk.InitializedRequest) {
	s.updateSession(req.Session, func(subscriber *subscriber) { subscriber.lists, subscriber.prompts = true, true })
}

// updateSession changes what a session hears about. Its notifications are sent outside of any call.
func (s *Server) updateSession(session *sdk.ServerSession, change func(*subscriber)) {
	send := func(method string, params sdk.Params) {
		_, _ = s.send(context.Background(), method, &sdk.ServerRequest[sdk.Params]{Session: session, Params: params})
	}
	s.subscriptions.update(session, send, change)
}

// Forget implements transport.Server.
func (s *Server) Forget(session *sdk.ServerSession) { s.subscriptions.forget(session) }

// listen serves a call of subscriptions/listen, which lasts until the client cancels it.
func (s *Server) listen(ctx context.Context, method string, req *sdk.SubscriptionsListenRequest, next sdk.MethodHandler) (sdk.Result, error) {
	listener := &subscriber{session: req.Session, uris: map[string]resource.Key{}}
	defer s.subscriptions.remove(listener)
	return next(context.WithValue(ctx, listenKey{}, listener), method, req)
}

// acknowledge starts the notifications of a listener when the SDK acknowledges its subscription: the listener hears
// about every change from then on, but not before that message. The message names the call, whose id the SDK reveals
// nowhere else.
func (s *Server) acknowledge(next sdk.MethodHandler) sdk.MethodHandler {
	s.send = next
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		listener, listens := ctx.Value(listenKey{}).(*subscriber)
		agreed, ok := req.GetParams().(*sdk.SubscriptionsAcknowledgedParams)
		if !listens || !ok || method != subscriptionsAck {
			return next(ctx, method, req)
		}
		call, id := context.WithoutCancel(ctx), agreed.Meta[sdk.MetaKeySubscriptionID]
		listener.lists, listener.prompts = agreed.Notifications.ResourcesListChanged, agreed.Notifications.PromptsListChanged
		var acknowledged gate
		listener.send = func(method string, params sdk.Params) {
			params.SetMeta(map[string]any{sdk.MetaKeySubscriptionID: id})
			acknowledged.do(func() {
				_, _ = next(call, method, &sdk.ServerRequest[sdk.Params]{Session: listener.session, Params: params})
			})
		}
		s.subscriptions.add(listener)
		result, err := next(ctx, method, req)
		if err != nil {
			s.subscriptions.remove(listener)
			return result, err
		}
		acknowledged.open()
		return result, nil
	}
}

// gate holds work back, in order, until it is opened.
type gate struct {
	mu     sync.Mutex // guards what follows, and keeps the order
	isOpen bool
	held   []func()
}

func (g *gate) do(work func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.isOpen {
		g.held = append(g.held, work)
		return
	}
	work()
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.isOpen = true
	for _, work := range g.held {
		work()
	}
	g.held = nil
}

// Follow implements transport.Server.
func (s *Server) Follow(ctx context.Context) (done func()) {
	if s.options.Resources == nil {
		return func() {}
	}
	changes := s.options.Resources.Changes(ctx)
	quiet := make(chan struct{})
	go func() {
		defer close(quiet)
		if s.options.Prompts != nil {
			s.notify(ctx, resource.Changed{}) // a client may have listed the prompts while the vault could not be read
		}
		for changed := range changes {
			s.notify(ctx, changed)
		}
	}()
	return func() {
		select {
		case <-quiet:
		case <-time.After(time.Second):
		}
	}
}

// notify tells the subscribers about one change, each about each URI once. A panic costs no more than that.
func (s *Server) notify(ctx context.Context, changed resource.Changed) {
	defer func() {
		if problem := recover(); problem != nil {
			s.options.Log.Error("panic in a notification", "panic", fmt.Sprint(problem), "stack", string(debug.Stack()))
		}
	}()
	live := map[*sdk.ServerSession]bool{}
	for session := range s.sdk.Sessions() {
		live[session] = true
	}
	s.subscriptions.keep(live)
	keys := make(map[resource.Key]bool, len(changed.Paths))
	for _, path := range changed.Paths {
		keys[path.Key()] = true
	}
	if s.subscriptions.contextChanged(ctx, s.options.Context) {
		keys[contextKey] = true
	}
	prompts := s.options.Prompts != nil && (len(changed.Paths) == 0 || s.options.Prompts.TouchesPrompts(changed)) && s.promptsChanged(ctx)
	for _, notice := range s.subscriptions.notices(keys, changed.Listed, prompts) {
		if notice.prompts {
			notice.to.send(promptsListChanged, &sdk.PromptListChangedParams{})
		}
		if notice.list {
			notice.to.send(resourcesListChanged, &sdk.ResourceListChangedParams{})
		}
		for _, uri := range notice.uris {
			notice.to.send(resourceUpdated, &sdk.ResourceUpdatedNotificationParams{URI: uri})
		}
	}
}
