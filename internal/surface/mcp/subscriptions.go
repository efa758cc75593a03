package mcp

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"obsidian-mcp/internal/ops/resource"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The notifications about resources.
const (
	resourceUpdated      = "notifications/resources/updated"
	resourcesListChanged = "notifications/resources/list_changed"
	subscriptionsAck     = "notifications/subscriptions/acknowledged"
)

// resourceKey is what a URI stands for.
func (s *Server) resourceKey(ctx context.Context, uri string) (resource.Key, error) {
	ctx, cancel := s.limited(ctx)
	defer cancel()
	if uri != resource.ContextURI {
		return s.options.Resources.Key(ctx, uri)
	}
	block, err := s.options.Context(ctx)
	if err == nil {
		s.subscriptions.knowContext(block)
	}
	return contextKey, err
}

type listenKey struct{}

// subscribe has a session be told of a file, or a call of subscriptions/listen
// that is under way.
func (s *Server) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	uri := req.Params.URI
	key, err := s.resourceKey(ctx, uri)
	if err != nil {
		return s.resourceError(err, uri, req.Params)
	}
	if one, listens := ctx.Value(listenKey{}).(*subscriber); listens {
		one.uris[uri] = key
		return nil
	}
	s.subscriptions.change(req.Session, s.sender(req.Session), func(one *subscriber) { one.uris[uri] = key })
	return nil
}

func (s *Server) unsubscribe(ctx context.Context, req *sdk.UnsubscribeRequest) error {
	if ctx.Value(listenKey{}) == nil {
		s.subscriptions.change(req.Session, s.sender(req.Session), func(one *subscriber) { delete(one.uris, req.Params.URI) })
	}
	return nil
}

// greeted notes that a session has begun: it is told of lists without asking.
func (s *Server) greeted(_ context.Context, req *sdk.InitializedRequest) {
	s.subscriptions.change(req.Session, s.sender(req.Session), func(one *subscriber) { one.lists = true })
}

// sender sends to a session outside of any call.
func (s *Server) sender(session *sdk.ServerSession) func(string, sdk.Params) {
	return func(method string, params sdk.Params) {
		_, _ = s.send(context.Background(), method, &sdk.ServerRequest[sdk.Params]{Session: session, Params: params})
	}
}

// listen serves a call of subscriptions/listen, which lasts until the client
// cancels it.
func (s *Server) listen(ctx context.Context, method string, req *sdk.SubscriptionsListenRequest, next sdk.MethodHandler) (sdk.Result, error) {
	one := &subscriber{session: req.Session, uris: map[string]resource.Key{}}
	defer s.subscriptions.remove(one)
	return next(context.WithValue(ctx, listenKey{}, one), method, req)
}

// acknowledge begins to tell a listener of changes when it is told what it will
// be told of: what changes from then on it hears, and not before that message.
// The message names the call, whose id the SDK tells nowhere else.
func (s *Server) acknowledge(next sdk.MethodHandler) sdk.MethodHandler {
	s.send = next
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		one, listens := ctx.Value(listenKey{}).(*subscriber)
		agreed, ok := req.GetParams().(*sdk.SubscriptionsAcknowledgedParams)
		if !listens || !ok || method != subscriptionsAck {
			return next(ctx, method, req)
		}
		call, id := context.WithoutCancel(ctx), agreed.Meta[sdk.MetaKeySubscriptionID]
		one.lists = agreed.Notifications.ResourcesListChanged
		var greeted afterwards
		one.send = func(method string, params sdk.Params) {
			params.SetMeta(map[string]any{sdk.MetaKeySubscriptionID: id})
			greeted.do(func() {
				_, _ = next(call, method, &sdk.ServerRequest[sdk.Params]{Session: one.session, Params: params})
			})
		}
		s.subscriptions.add(one)
		result, err := next(ctx, method, req)
		if err != nil {
			s.subscriptions.remove(one)
			return result, err
		}
		greeted.begin()
		return result, nil
	}
}

// afterwards holds back what is to be done until something else is done.
type afterwards struct {
	mu   sync.Mutex // guards what follows, and keeps the order
	may  bool
	held []func()
}

func (a *afterwards) do(work func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.may {
		a.held = append(a.held, work)
		return
	}
	work()
}

func (a *afterwards) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.may = true
	for _, work := range a.held {
		work()
	}
	a.held = nil
}

// follow tells the subscribers of changes, until ctx ends. Then done waits for
// what is just being told, but not for a client that does not read it.
func (s *Server) follow(ctx context.Context) (done func()) {
	if s.options.Resources == nil {
		return func() {}
	}
	changes := s.options.Resources.Changes(ctx)
	quiet := make(chan struct{})
	go func() {
		defer close(quiet)
		for changed := range changes {
			s.tell(ctx, changed)
		}
	}()
	return func() {
		select {
		case <-quiet:
		case <-time.After(time.Second):
		}
	}
}

// tell tells the subscribers of one change, each of each URI once. A panic
// costs no more than that.
func (s *Server) tell(ctx context.Context, changed resource.Changed) {
	defer func() {
		if problem := recover(); problem != nil {
			s.options.Log.Error("telling of changes ended in a panic", "panic", fmt.Sprint(problem), "stack", string(debug.Stack()))
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
	for _, told := range s.subscriptions.concerned(keys, changed.Listed) {
		if told.list {
			told.to.send(resourcesListChanged, &sdk.ResourceListChangedParams{})
		}
		for _, uri := range told.uris {
			told.to.send(resourceUpdated, &sdk.ResourceUpdatedNotificationParams{URI: uri})
		}
	}
}
