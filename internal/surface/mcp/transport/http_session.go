package transport

import (
	"context"
	"crypto/rand"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// session is a client's session over HTTP, and the SDK's connection to it. In versions without sessions, a session
// without an id carries the calls of all clients with the same rights.
type session struct {
	id     string
	owner  string // who opened it, and with which rights
	server Server
	kind   sessionKind
	sdk    *sdk.ServerSession
	calls  *calls
	slots  chan struct{} // holds one item per call in flight
	values sync.Map      // kept for the server

	incoming chan jsonrpc.Message
	ending   sync.Once
	done     chan struct{} // closed when the session ends
	onEnd    func(*session)

	standalone *stream // nil if it has none

	mu      sync.Mutex // guards what follows
	streams map[string]*stream
	busy    int       // requests that are being served
	used    time.Time // when the last of them ended
}

// sessionKind is how a session's client talks.
type sessionKind int

const (
	streamable  sessionKind = iota
	eventStream             // HTTP+SSE: everything goes to the standalone stream
)

// rejected is the SDK's code for a message that could not be delivered, which does not end the session.
const rejected = -32005

var errUndelivered = &jsonrpc.Error{Code: rejected, Message: "the client cannot be reached"}

// newSession makes a session and connects it to the server.
func newSession(server Server, id string, slots int, onEnd func(*session)) (*session, error) {
	s := &session{
		id: id, server: server, calls: newCalls(), slots: make(chan struct{}, limit(slots)),
		incoming: make(chan jsonrpc.Message), done: make(chan struct{}), onEnd: onEnd,
		used: time.Now(),
	}
	connected, err := server.Connect(context.Background(), s)
	s.sdk = connected
	return s, err
}

// Connect makes a session its own transport: it serves one connection.
func (s *session) Connect(context.Context) (sdk.Connection, error) { return s, nil }

// SessionID implements the SDK's connection.
func (s *session) SessionID() string { return s.id }

// SupportsProtocolVersion implements the SDK's transport: a session with an id needs a version with sessions.
func (s *session) SupportsProtocolVersion(version string) bool {
	return slices.Contains(Versions(), version) && (s.id == "" || version < Sessionless)
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

// take hands a message to the SDK. It returns false when the session has ended.
func (s *session) take(message jsonrpc.Message) bool {
	select {
	case s.incoming <- message:
		return true
	case <-s.done:
		return false
	}
}

// Write sends a message of the SDK: an answer to the request that waits for it, what belongs to a call to the call's stream, and
// everything else to the standalone stream.
func (s *session) Write(ctx context.Context, message jsonrpc.Message) error {
	if response, ok := message.(*jsonrpc.Response); ok {
		return s.calls.respond(response)
	}
	to := s.standalone
	from, ofCall := CallerOf(ctx)
	if ofCall && from.stream != nil && !from.stream.answerOnly {
		to = from.stream
	}
	request := message.(*jsonrpc.Request)
	if request.IsCall() {
		if s.id == "" || to == s.standalone && !to.isRead() {
			return errUndelivered
		}
		if !s.calls.ask(request) || ofCall && !from.permit.ask() {
			return errUndelivered
		}
	}
	if to == nil {
		return errUndelivered // the shared session belongs to no particular client
	}
	encoded, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	to.put(s.calls.unaliased(encoded))
	return nil
}

// keep keeps a stream for a client that is cut off and comes back. The archive takes its own lock and then the
// session's, so keep calls it without holding any.
func (s *session) keep(answers *stream, in *archive) {
	s.mu.Lock()
	if s.streams == nil {
		s.streams = map[string]*stream{}
	}
	answers.id = rand.Text()
	s.streams[answers.id] = answers
	s.mu.Unlock()
	answers.mu.Lock()
	answers.onEnd = func() { in.add(s, answers) }
	ended := answers.finished()
	answers.mu.Unlock()
	if ended {
		in.add(s, answers)
	}
}

// stream returns the stream with an id, if it is still kept.
func (s *session) stream(id string) *stream {
	if id == s.standalone.id {
		return s.standalone
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
func (s *session) forget(dropped *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, dropped.id)
}

// maxUnread is how many bytes may wait for the client of an event stream before its next call has to wait.
const maxUnread = 8 << 20

// hasRoom waits until a client has read most of what it was sent.
func (s *session) hasRoom(ctx context.Context) bool {
	if s.kind != eventStream {
		return true
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for s.standalone.size() > maxUnread {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// hasUnsent reports whether answers are still being written to a client.
func (s *session) hasUnsent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, answers := range s.streams {
		if answers.hasUnsent() {
			return true
		}
	}
	return s.kind == eventStream && s.standalone.hasUnsent()
}

// use marks the session as in use until done is called.
func (s *session) use() (done func()) {
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

// idle returns since when nobody has used the session, and false if it is in use.
func (s *session) idle() (since time.Time, isIdle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.busy == 0
}
