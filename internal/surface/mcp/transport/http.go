package transport

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/fault"
)

// HTTPOptions say who is served over HTTP, and within which limits. A limit of 0 means no limit.
type HTTPOptions struct {
	// Server returns the server for a caller. Callers with the same rights get the same one.
	Server func(context.Context, *auth.Principal) (Server, error)

	Sessions   int           // open at a time; the one idle for longest gives way to a new one
	Idle       time.Duration // after which a session ends
	InFlight   int           // calls at a time
	PerSession int           // calls at a time in one session
	Calls      int           // per minute and client
	Writes     int           // calls per minute and client that write
	WriteBytes int           // bytes per minute and client of calls that write

	Messages string                     // the path of the handler Messages, as clients see it
	Client   func(*http.Request) string // the client whose limits a request counts against
	Refused  func(reason string)        // called for every call that a limit refuses
	Log      *slog.Logger
}

// HTTP serves the protocol over HTTP. The request's context must hold the caller (package auth).
type HTTP struct {
	options  HTTPOptions
	sessions *sessions
	limits   *limits
	archive  *archive
	ctx      context.Context // ends when the server closes
	cancel   context.CancelFunc
	stopping chan struct{} // closed when endless streams are to end
	stop     sync.Once

	mu     sync.Mutex // guards shared
	shared map[Server]*shared
}

// shared is what the callers of one server have in common.
type shared struct {
	stopped func()   // waits until no notification of a change is under way
	calls   *session // carries the calls without a session
}

// NewHTTP makes the handlers. Close ends everything they started.
func NewHTTP(options HTTPOptions) *HTTP {
	ctx, cancel := context.WithCancel(context.Background())
	h := &HTTP{
		options: options, limits: newLimits(options), archive: new(archive), ctx: ctx, cancel: cancel,
		stopping: make(chan struct{}), shared: map[Server]*shared{},
	}
	h.sessions = newSessions(options.Sessions, options.Idle)
	go h.sessions.watch(ctx, h.archive.tidy)
	return h
}

// Sessions returns how many sessions are open.
func (h *HTTP) Sessions() int { return h.sessions.len() }

// InFlight returns how many calls are being worked on.
func (h *HTTP) InFlight() int { return len(h.limits.slots) }

// Stop ends the streams that have no end of their own, and all questions to users, so that only calls in flight remain
// to be answered.
func (h *HTTP) Stop() {
	h.stop.Do(func() {
		close(h.stopping)
		for _, s := range h.sessions.list() {
			for _, answer := range s.calls.stopAsking() {
				s.take(answer)
			}
		}
	})
}

// Settle waits until the calls in flight are answered and the answers sent, or until ctx ends.
func (h *HTTP) Settle(ctx context.Context) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for h.InFlight() > 0 || slices.ContainsFunc(h.sessions.list(), (*session).hasUnsent) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Close ends all sessions.
func (h *HTTP) Close() {
	h.Stop()
	h.cancel()
	for _, s := range h.sessions.list() {
		_ = s.Close()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, common := range h.shared {
		_ = common.calls.Close()
		common.stopped()
	}
	clear(h.shared)
}

// ServeHTTP serves Streamable HTTP. The header with the protocol's version tells the versions with and without sessions
// apart.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	version := r.Header.Get(versionHeader)
	switch {
	case len(r.Header.Values(versionHeader)) > 1 || len(r.Header.Values(sessionHeader)) > 1:
		fail(w, http.StatusBadRequest, invalid(nil, "a header is repeated"))
	case version >= Sessionless && r.Method != http.MethodPost:
		methodNotAllowed(w, "POST")
	case version >= Sessionless:
		h.postSessionless(w, r)
	case version != "" && !slices.Contains(Versions(), version):
		fail(w, http.StatusBadRequest, invalid(nil, "unsupported protocol version; supported: "+strings.Join(Versions(), ", ")))
	case r.Method == http.MethodPost:
		h.post(w, r)
	case r.Method == http.MethodGet:
		h.get(w, r)
	case r.Method == http.MethodDelete:
		h.delete(w, r)
	default:
		methodNotAllowed(w, "GET, POST, DELETE")
	}
}

// The headers of the protocol.
const (
	sessionHeader   = "Mcp-Session-Id"
	versionHeader   = "Mcp-Protocol-Version"
	methodHeader    = "Mcp-Method"
	nameHeader      = "Mcp-Name"
	lastEventHeader = "Last-Event-Id"
)

// get serves the standalone stream of a session, or resumes a stream that was cut off.
func (h *HTTP) get(w http.ResponseWriter, r *http.Request) {
	if _, events := accepts(r); !events {
		fail(w, http.StatusNotAcceptable, invalid(nil, "Accept must allow text/event-stream"))
		return
	}
	s := h.session(w, r)
	if s == nil {
		return
	}
	r, cancel := untilExpiry(r)
	defer cancel()
	defer s.use()()
	stream, after := s.standalone, -1
	if last := r.Header.Get(lastEventHeader); last != "" {
		id, number, ok := parseEventID(last)
		if stream = s.stream(id); !ok || stream == nil {
			// 404 would mean that the session is unknown.
			fail(w, http.StatusBadRequest, invalid(nil, "this Last-Event-ID is unknown or too old"))
			return
		}
		after = number
	}
	var stopping chan struct{} // nil for a stream that belongs to a call: Stop waits for those
	if stream.standalone {
		stopping = h.stopping
	}
	reader, from := stream.attach(after)
	out := beginEvents(w)
	if out.comment("here") == nil { // a proxy holds headers back until something follows
		stream.serve(r, out, reader, from, s.done, stopping)
	}
	stream.detach(reader)
}

// untilExpiry ends a request that has no end of its own when the caller's credentials expire.
func untilExpiry(r *http.Request) (*http.Request, context.CancelFunc) {
	until := auth.Of(r.Context()).Until
	if until.IsZero() {
		return r, func() {}
	}
	ctx, cancel := context.WithDeadline(r.Context(), until)
	return r.WithContext(ctx), cancel
}

// delete ends a session.
func (h *HTTP) delete(w http.ResponseWriter, r *http.Request) {
	if s := h.session(w, r); s != nil {
		_ = s.Close()
		w.WriteHeader(http.StatusNoContent)
	}
}

// session returns the session that a request names, if it belongs to the caller. Otherwise it answers the request and
// returns nil.
func (h *HTTP) session(w http.ResponseWriter, r *http.Request) *session {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		fail(w, http.StatusBadRequest, invalid(nil, "the header Mcp-Session-Id is missing"))
		return nil
	}
	s := h.sessions.find(id)
	if s == nil || s.kind != streamable || s.owner != ownerOf(r) {
		failSessionNotFound(w, nil)
		return nil
	}
	return s
}

// ownerOf names the caller and their rights. A session may only be used by its owner: a token with fewer rights than
// the one that started it must not do.
func ownerOf(r *http.Request) string {
	caller := auth.Of(r.Context())
	return caller.ID + "\n" + caller.Grant.Key()
}

// serverFor returns the server for a caller. It notifies of changes from the first call on.
func (h *HTTP) serverFor(r *http.Request) (Server, *shared, error) {
	server, err := h.options.Server(r.Context(), auth.Of(r.Context()))
	if err != nil {
		return nil, nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if common := h.shared[server]; common != nil {
		return server, common, nil
	}
	if h.ctx.Err() != nil {
		return nil, nil, h.ctx.Err()
	}
	calls, err := newSession(server, "", h.options.PerSession, nil)
	if err != nil {
		return nil, nil, err
	}
	calls.calls.shared = true
	common := &shared{stopped: server.Follow(h.ctx), calls: calls}
	h.shared[server] = common
	return server, common, nil
}

// newSession starts a session for a caller. It counts as used until done is called.
func (h *HTTP) newSession(r *http.Request, kind sessionKind) (s *session, done func(), err error) {
	server, _, err := h.serverFor(r)
	if err != nil {
		return nil, nil, err
	}
	s, err = newSession(server, rand.Text(), h.options.PerSession, func(ended *session) {
		h.sessions.remove(ended)
		h.archive.drop(ended)
		server.Forget(ended.sdk)
	})
	if err != nil {
		return nil, nil, err
	}
	s.owner, s.kind = ownerOf(r), kind
	s.standalone = newStream("0", kind == streamable)
	s.standalone.standalone = true
	done = s.use()
	if !h.sessions.add(s) {
		_ = s.Close()
		return nil, nil, errAllInUse
	}
	return s, done, nil
}

// errAllInUse means that no session could give way to a new one.
var errAllInUse = errors.New("all sessions are in use")

// refuseSession answers a client for which no session could be started.
func (h *HTTP) refuseSession(w http.ResponseWriter, id json.RawMessage, err error) {
	w.Header().Set("Retry-After", "5")
	if errors.Is(err, errAllInUse) {
		h.options.Refused("sessions")
		fail(w, http.StatusServiceUnavailable, &refusal{id, rateLimited, "the server is busy: " + err.Error()})
		return
	}
	h.options.Log.Error("cannot start a session", "error", err.Error())
	fail(w, http.StatusServiceUnavailable, &refusal{id, jsonrpc.CodeInternalError, fault.SeeLog})
}

// fail answers a request with an error.
func fail(w http.ResponseWriter, status int, problem *refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(problem.encoded())
}

// sessionNotFound is the code by which clients recognise a session that has ended.
const sessionNotFound = -32001

func failSessionNotFound(w http.ResponseWriter, id json.RawMessage) {
	fail(w, http.StatusNotFound, &refusal{id, sessionNotFound, "Session not found"})
}

func methodNotAllowed(w http.ResponseWriter, allow string) {
	w.Header().Set("Allow", allow)
	fail(w, http.StatusMethodNotAllowed, invalid(nil, "method not allowed"))
}
