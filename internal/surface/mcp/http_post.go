package mcp

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// post serves the messages of a client that has a session, or begins one.
func (h *HTTP) post(w http.ResponseWriter, r *http.Request) {
	items, isBatch, ok := readPOST(w, r)
	if !ok {
		return
	}
	if r.Header.Get(sessionHeader) == "" {
		h.open(w, r, items, isBatch)
		return
	}
	if s := h.session(w, r); s != nil {
		defer s.begin()()
		h.exchange(w, r, s, items, isBatch)
	}
}

// open begins a session with its first message, which must be initialize.
func (h *HTTP) open(w http.ResponseWriter, r *http.Request, items []json.RawMessage, isBatch bool) {
	m, problem := readMessage(items[0])
	if problem == nil {
		problem = unfit(m)
	}
	switch {
	case isBatch:
		problem = invalid(nil, noBatches)
	case problem == nil && (m.method != "initialize" || m.id == nil):
		problem = invalid(m.id, "the header Mcp-Session-Id is missing; a session begins with initialize")
	}
	if problem != nil {
		fail(w, http.StatusBadRequest, problem)
		return
	}
	if over := h.limits.client(r).spent(); over != nil { // nobody's session gives way for it
		h.limits.refuse(w, m, over)
		return
	}
	s, done, err := h.newSession(r, streamable)
	if err != nil {
		h.refuseSession(w, m.id, err)
		return
	}
	defer done()
	w.Header().Set(sessionHeader, s.id)
	h.exchange(w, r, s, items, false)
	if s.sdk.InitializeParams() == nil {
		_ = s.Close() // it never began
	}
}

// maxIntroduction is how much a client may say of itself: it is kept with the
// session.
const maxIntroduction = 64 << 10

// unfit refuses a call of the era without sessions that came without its
// header, and a client that says too much of itself.
func unfit(m message) *refusal {
	if m.method == "initialize" && len(m.params) > maxIntroduction {
		return &refusal{m.id, jsonrpc.CodeInvalidParams, "Invalid params: the client says too much of itself"}
	}
	if version, _ := modernMeta(m); version != "" {
		return &refusal{m.id, headerMismatch, "the header MCP-Protocol-Version does not say the message's version"}
	}
	return nil
}

// exchange hands messages to a session, and gives the client the answers.
func (h *HTTP) exchange(w http.ResponseWriter, r *http.Request, s *session, items []json.RawMessage, isBatch bool) {
	plain, events := accepts(r)
	one := newStream("", true)
	one.curt = !events
	mine, _ := one.attach(0)
	calls, ok := h.dispatch(w, r, s, items, isBatch, one)
	if !ok {
		return
	}
	if !calls {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	patience := quick
	if one.curt {
		patience = longest
	}
	if plain {
		if answer, _, ok := one.only(r.Context(), mine, patience, s.done); ok {
			sendAnswer(w, http.StatusOK, answer)
			return
		}
	}
	switch {
	case r.Context().Err() != nil:
		s.cancel(one) // the client has gone, and knows no id to come back for
	case s.isOver():
		fail(w, http.StatusNotFound, &refusal{nil, sessionNotFound, "Session not found"})
	case one.curt:
		w.WriteHeader(http.StatusNoContent) // it was cancelled, and is not answered
	default:
		h.stream(w, r, s, one, mine)
	}
}

// quick is how long an answer may take to be sent by itself. One that takes
// longer becomes a stream of events, which a client can come back for.
const quick = 500 * time.Millisecond

// longest is more than any call takes.
const longest = 24 * time.Hour

// sendAnswer sends an answer by itself.
func sendAnswer(w http.ResponseWriter, status int, answer []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	w.WriteHeader(status)
	_, _ = w.Write(answer)
}

// primed is the first version of the protocol in which a stream begins with an
// id to come back for.
const primed = "2025-11-25"

// stream sends what belongs to a POST as events.
func (h *HTTP) stream(w http.ResponseWriter, r *http.Request, s *session, one *stream, mine *reader) {
	s.keep(one, h.archive)
	out := beginEvents(w)
	s.calls.mu.Lock()
	version := s.calls.version
	s.calls.mu.Unlock()
	if version < primed || out.prime(one.eventID(0)) == nil {
		one.serve(r, out, mine, 0, s.done, nil)
	}
	one.detach(mine)
}

// cancel ends the calls whose answers nobody can hear any more.
func (s *session) cancel(one *stream) {
	for _, request := range s.calls.drop(one) {
		if !s.take(request) {
			return
		}
	}
}
