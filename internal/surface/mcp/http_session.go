package mcp

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/access/auth"
)

// session is a client's session over HTTP, and the SDK's connection to it. In
// versions of the protocol without sessions, one without an id carries the
// calls of all clients with the same rights.
type session struct {
	id        string
	owner     string // who opened it, and with which rights
	server    *Server
	transport transport
	sdk       *sdk.ServerSession
	calls     *calls
	slots     chan struct{} // one for each call in flight

	incoming chan jsonrpc.Message
	ending   sync.Once
	done     chan struct{} // closed when the session ends
	onEnd    func(*session)

	standing *stream     // nil: it has none
	told     atomic.Bool // whether it has been given the context block

	mu      sync.Mutex // guards what follows
	streams map[string]*stream
	busy    int       // requests that are being served
	used    time.Time // when the last of them ended
}

// transport is how a session's client talks.
type transport int

const (
	streamable  transport = iota
	eventStream           // the oldest one: everything goes to the standing stream
)

// rejected is the SDK's code for a message that could not be delivered, which
// is no reason to end the session.
const rejected = -32005

var errUndelivered = &jsonrpc.Error{Code: rejected, Message: "the client cannot be reached"}

// newSession makes a session and connects it to the server.
func newSession(server *Server, id string, slots int, onEnd func(*session)) (*session, error) {
	s := &session{
		id: id, server: server, calls: newCalls(), slots: make(chan struct{}, limit(slots)),
		incoming: make(chan jsonrpc.Message), done: make(chan struct{}), onEnd: onEnd,
		used: time.Now(),
	}
	connected, err := server.sdk.Connect(context.Background(), s, nil)
	s.sdk = connected
	return s, err
}

// Connect makes a session its own transport: it serves one connection.
func (s *session) Connect(context.Context) (sdk.Connection, error) { return s, nil }

// SessionID implements the SDK's connection.
func (s *session) SessionID() string { return s.id }

// SupportsProtocolVersion implements the SDK's transport: a session with an id
// has a version that has sessions.
func (s *session) SupportsProtocolVersion(version string) bool {
	return slices.Contains(sdk.SupportedProtocolVersions(), version) && (s.id == "" || version < sessionless)
}

// Close implements the SDK's connection, and ends the session.
func (s *session) Close() error {
	s.ending.Do(func() {
		close(s.done)
		s.calls.abandon()
		if s.onEnd != nil {
			s.onEnd(s)
		}
	})
	return nil
}

// isOver reports whether the session has ended.
func (s *session) isOver() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Read gives the SDK the next message.
func (s *session) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message := <-s.incoming:
		return message, nil
	case <-s.done:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// take hands a message to the SDK. It reports false when the session is over.
func (s *session) take(message jsonrpc.Message) bool {
	select {
	case s.incoming <- message:
		return true
	case <-s.done:
		return false
	}
}

// Write sends a message of the SDK: an answer to where it is waited for, what
// belongs to a call to the call's stream, everything else to the standing one.
func (s *session) Write(ctx context.Context, message jsonrpc.Message) error {
	if response, ok := message.(*jsonrpc.Response); ok {
		return s.calls.respond(response)
	}
	to := s.standing
	from, ofCall := ctx.Value(callerKey{}).(*caller)
	if ofCall && from.stream != nil && !from.stream.curt {
		to = from.stream
	}
	request := message.(*jsonrpc.Request)
	if request.IsCall() {
		if s.id == "" || to == s.standing && !to.isRead() {
			return errUndelivered
		}
		if !s.calls.ask(request) || ofCall && !from.place.ask() {
			return errUndelivered
		}
	}
	if to == nil {
		return errUndelivered // there is nobody in particular to tell
	}
	encoded, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	to.put(s.calls.unaliased(encoded))
	return nil
}

// caller is who makes a call, and where what belongs to it is heard.
type caller struct {
	principal *auth.Principal
	session   *session
	stream    *stream // nil: the session's standing one
	place     *place
}

// canBeAsked reports whether a question would reach the caller. In the era
// without sessions it is an answer, and always does.
func (c *caller) canBeAsked() bool {
	if c.session.id == "" {
		return true
	}
	heard := c.stream != nil && !c.stream.curt || c.session.standing.isRead()
	return heard && c.session.calls.canAsk() && c.place.canAsk()
}

type callerKey struct{}

// callerExtra is where a caller travels through the SDK.
const callerExtra = "caller"

// with gives a message for the SDK its caller.
func (c *caller) with(request *jsonrpc.Request, header http.Header) *jsonrpc.Request {
	extra := &sdk.RequestExtra{Header: header, TokenInfo: &sdkauth.TokenInfo{Extra: map[string]any{callerExtra: c}}}
	if c.stream != nil && c.stream.keeps {
		extra.CloseSSEStream = func(args sdk.CloseSSEStreamArgs) { c.stream.part(args.RetryAfter) }
	}
	request.Extra = extra
	return request
}

// knowCaller puts the caller that came with a message into its context.
func knowCaller(ctx context.Context, req sdk.Request) context.Context {
	extra := req.GetExtra()
	if extra == nil || extra.TokenInfo == nil {
		return ctx
	}
	from, ok := extra.TokenInfo.Extra[callerExtra].(*caller)
	if !ok {
		return ctx
	}
	return auth.With(context.WithValue(ctx, callerKey{}, from), from.principal)
}

// keep keeps a stream for a client that is cut off and comes back. The archive
// has its own lock, and takes ours: none is held when it is called.
func (s *session) keep(one *stream, in *archive) {
	s.mu.Lock()
	if s.streams == nil {
		s.streams = map[string]*stream{}
	}
	one.id = rand.Text()
	s.streams[one.id] = one
	s.mu.Unlock()
	one.mu.Lock()
	one.onEnd = func() { in.add(s, one) }
	ended := one.finished()
	one.mu.Unlock()
	if ended {
		in.add(s, one)
	}
}

// stream is the one with an id, if it is still kept.
func (s *session) stream(id string) *stream {
	if id == s.standing.id {
		return s.standing
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[id]
}

// hasKept reports whether any stream is kept.
func (s *session) hasKept() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.streams) > 0
}

// forget drops a stream that nobody will come back for.
func (s *session) forget(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, one.id)
}

// maxUnread is how much may wait for the client of an event stream before it
// is given more to read.
const maxUnread = 8 << 20

// hasRoom waits until a client has read most of what it was sent.
func (s *session) hasRoom(ctx context.Context) bool {
	if s.transport != eventStream {
		return true
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for s.standing.size() > maxUnread {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// hasUnsent reports whether answers are still being written to somebody.
func (s *session) hasUnsent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.streams {
		if one.hasUnsent() {
			return true
		}
	}
	return s.transport == eventStream && s.standing.hasUnsent()
}

// begin notes that a request is being served; it is over when done is called.
func (s *session) begin() (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.busy--
		s.used = time.Now()
	}
}

// idle tells since when nobody has used the session. One in use is not idle.
func (s *session) idle() (since time.Time, isIdle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.busy == 0
}
