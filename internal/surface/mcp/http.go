package mcp

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
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/fault"
)

// HTTPOptions say who is served over HTTP, and within which limits. A limit of
// 0 means none.
type HTTPOptions struct {
	// Server gives the server for a caller: callers with the same rights share
	// one.
	Server func(context.Context, *auth.Principal) (*Server, error)

	Sessions   int           // at a time; the longest idle one gives way
	Idle       time.Duration // after which a session ends
	InFlight   int           // calls at a time
	PerSession int           // the same, of one session
	Calls      int           // a minute, of one client
	Writes     int           // the same, of tools that write

	Messages string                     // the path that Messages is served at, as clients see it
	Client   func(*http.Request) string // whose share of the limits a request is counted to
	Refused  func(reason string)        // is told of calls that a limit refused
	Log      *slog.Logger
}

// HTTP serves the protocol over HTTP: Streamable HTTP in versions with and
// without sessions, and the HTTP+SSE of the oldest version. Who is calling must
// be in the request's context (package auth).
type HTTP struct {
	options  HTTPOptions
	sessions *sessions
	limits   *limits
	archive  *archive
	ctx      context.Context // ends when the server closes
	cancel   context.CancelFunc
	stopping chan struct{} // closed when standing streams are to end
	stop     sync.Once

	mu     sync.Mutex // guards shared
	shared map[*Server]*shared
}

// shared is what the callers of one server have in common.
type shared struct {
	followed func()   // waits until changes are not told any more
	calls    *session // carries the calls without a session
}

// NewHTTP makes the handlers. Close ends what they began.
func NewHTTP(options HTTPOptions) *HTTP {
	ctx, cancel := context.WithCancel(context.Background())
	h := &HTTP{
		options: options, limits: newLimits(options), archive: new(archive), ctx: ctx, cancel: cancel,
		stopping: make(chan struct{}), shared: map[*Server]*shared{},
	}
	h.sessions = newSessions(options.Sessions, options.Idle)
	go h.sessions.watch(ctx, h.archive.tidy)
	return h
}

// Sessions is how many there are.
func (h *HTTP) Sessions() int { return h.sessions.len() }

// InFlight is how many calls are being worked on.
func (h *HTTP) InFlight() int { return len(h.limits.slots) }

// Stop ends the streams that have no end of their own, and the waiting for
// people's answers, so that what remains are calls in flight, which are
// answered.
func (h *HTTP) Stop() {
	h.stop.Do(func() {
		close(h.stopping)
		for _, one := range h.sessions.list() {
			for _, answer := range one.calls.unasked() {
				one.take(answer)
			}
		}
	})
}

// Settle waits until the calls in flight are answered and the answers sent, or
// ctx ends.
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
	for _, one := range h.sessions.list() {
		_ = one.Close()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, one := range h.shared {
		_ = one.calls.Close()
		one.followed()
	}
	clear(h.shared)
}

// ServeHTTP serves Streamable HTTP. The header with the protocol's version
// tells the two eras apart.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	version := r.Header.Get(versionHeader)
	switch {
	case len(r.Header.Values(versionHeader)) > 1 || len(r.Header.Values(sessionHeader)) > 1:
		fail(w, http.StatusBadRequest, invalid(nil, "a header is there twice"))
	case version >= sessionless && r.Method != http.MethodPost:
		methodNotAllowed(w, "POST")
	case version >= sessionless:
		h.postModern(w, r)
	case version != "" && !slices.Contains(Versions(), version):
		fail(w, http.StatusBadRequest, invalid(nil, "unsupported protocol version; there are "+strings.Join(Versions(), ", ")))
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

// get serves the standing stream of a session, or one that was cut off.
func (h *HTTP) get(w http.ResponseWriter, r *http.Request) {
	if _, events := accepts(r); !events {
		fail(w, http.StatusNotAcceptable, invalid(nil, "Accept must allow text/event-stream"))
		return
	}
	s := h.session(w, r)
	if s == nil {
		return
	}
	r, cancel := whileEntitled(r)
	defer cancel()
	defer s.begin()()
	one, after := s.standing, -1
	if last := r.Header.Get(lastEventHeader); last != "" {
		id, number, ok := parseEventID(last)
		if one = s.stream(id); !ok || one == nil {
			fail(w, http.StatusBadRequest, invalid(nil, "this Last-Event-ID is unknown here, or too old")) // 404 would mean the session
			return
		}
		after = number
	}
	var stopping chan struct{} // what belongs to a call is waited for
	if one.standing {
		stopping = h.stopping
	}
	mine, from := one.attach(after)
	out := beginEvents(w)
	if out.comment("here") == nil { // a proxy holds headers back until something follows
		one.serve(r, out, mine, from, s.done, stopping)
	}
	one.detach(mine)
}

// whileEntitled lets a request that has no end of its own last no longer than
// what its caller has shown.
func whileEntitled(r *http.Request) (*http.Request, context.CancelFunc) {
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

// session is the one that a request names, if it is the caller's own.
// Otherwise the request is answered here, and it is nil.
func (h *HTTP) session(w http.ResponseWriter, r *http.Request) *session {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		fail(w, http.StatusBadRequest, invalid(nil, "the header Mcp-Session-Id is missing"))
		return nil
	}
	s := h.sessions.find(id)
	if s == nil || s.transport != streamable || s.owner != ownerOf(r) {
		fail(w, http.StatusNotFound, &refusal{nil, sessionNotFound, "Session not found"})
		return nil
	}
	return s
}

// ownerOf is whose session a request may use: of the same caller with the same
// rights. A token with fewer rights than the one that began it must not do.
func ownerOf(r *http.Request) string {
	who := auth.Of(r.Context())
	return who.ID + "\n" + who.Grant.Key()
}

// sessionNotFound is the code that clients know for a session that is over.
const sessionNotFound = -32001

// serverFor is the server for a caller, which tells of changes from the first
// call on.
func (h *HTTP) serverFor(r *http.Request) (*Server, *shared, error) {
	server, err := h.options.Server(r.Context(), auth.Of(r.Context()))
	if err != nil {
		return nil, nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if known := h.shared[server]; known != nil {
		return server, known, nil
	}
	if h.ctx.Err() != nil {
		return nil, nil, h.ctx.Err()
	}
	calls, err := newSession(server, "", h.options.PerSession, nil)
	if err != nil {
		return nil, nil, err
	}
	calls.calls.shared = true
	one := &shared{followed: server.follow(h.ctx), calls: calls}
	h.shared[server] = one
	return server, one, nil
}

// newSession begins a session of a caller, who uses it until done is called.
func (h *HTTP) newSession(r *http.Request, transport transport) (s *session, done func(), err error) {
	server, _, err := h.serverFor(r)
	if err != nil {
		return nil, nil, err
	}
	s, err = newSession(server, rand.Text(), h.options.PerSession, func(over *session) {
		h.sessions.remove(over)
		h.archive.drop(over)
		server.subscriptions.forget(over.sdk)
	})
	if err != nil {
		return nil, nil, err
	}
	s.owner, s.transport = ownerOf(r), transport
	s.standing = newStream("0", transport == streamable)
	s.standing.standing = true
	done = s.begin()
	if !h.sessions.add(s) {
		_ = s.Close()
		return nil, nil, errAllInUse
	}
	return s, done, nil
}

// errAllInUse is when there is no room for a session.
var errAllInUse = errors.New("as many sessions are in use as may be")

// refuseSession answers who cannot have one.
func (h *HTTP) refuseSession(w http.ResponseWriter, id json.RawMessage, err error) {
	w.Header().Set("Retry-After", "5")
	if errors.Is(err, errAllInUse) {
		h.options.Refused("sessions")
		fail(w, http.StatusServiceUnavailable, &refusal{id, rateLimited, "the server is busy: " + err.Error()})
		return
	}
	h.options.Log.Error("a session could not begin", "error", err.Error())
	fail(w, http.StatusServiceUnavailable, &refusal{id, jsonrpc.CodeInternalError, fault.SeeLog})
}

// fail answers a request that is wrong.
func fail(w http.ResponseWriter, status int, problem *refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(problem.encoded())
}

func methodNotAllowed(w http.ResponseWriter, allow string) {
	w.Header().Set("Allow", allow)
	fail(w, http.StatusMethodNotAllowed, invalid(nil, "method not allowed"))
}

// Versions lists the versions of the protocol that are spoken.
func Versions() []string { return sdk.SupportedProtocolVersions() }
