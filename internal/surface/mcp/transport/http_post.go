package transport

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// post serves the messages of a client that has a session, or starts one.
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
		defer s.use()()
		h.exchange(w, r, s, items, isBatch)
	}
}

// open starts a session with its first message, which must be initialize.
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
	if over := h.limits.client(r).exhausted(); over != nil { // checked first, so that no other session gives way
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
		_ = s.Close() // initialize failed
	}
}

// maxIntroduction limits the parameters of initialize, which are kept with the session.
const maxIntroduction = 64 << 10

// unfit refuses a call of a version without sessions that came without its header, and an oversized initialize.
func unfit(m message) *refusal {
	if m.method == "initialize" && len(m.params) > maxIntroduction {
		return &refusal{m.id, jsonrpc.CodeInvalidParams, "Invalid params: larger than 64 KiB"}
	}
	if version, _ := m.metaVersion(); version != "" {
		return &refusal{m.id, headerMismatch, "the header MCP-Protocol-Version does not match the message's version"}
	}
	return nil
}

// exchange hands messages to a session and sends the client the answers.
func (h *HTTP) exchange(w http.ResponseWriter, r *http.Request, s *session, items []json.RawMessage, isBatch bool) {
	plain, events := accepts(r)
	answers := newStream("", true)
	answers.answerOnly = !events
	reader, _ := answers.attach(0)
	calls, ok := h.dispatch(w, r, s, items, isBatch, answers)
	if !ok {
		return
	}
	if !calls {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if plain {
		if answer, _, ok := answers.soleAnswer(r.Context(), reader, s.done); ok {
			answers.settle(1, sendAnswer(w, r, http.StatusOK, answer))
			return
		}
	}
	switch {
	case r.Context().Err() != nil:
		s.cancel(answers) // the client has disconnected and has no id to resume from
	case s.isOver():
		failSessionNotFound(w, nil)
	case answers.answerOnly:
		w.WriteHeader(http.StatusNoContent) // a cancelled call is not answered
	default:
		h.sendEvents(w, r, s, answers, reader)
	}
}

// sendAnswer sends a plain answer, and reports whether the client was there to take it.
func sendAnswer(w http.ResponseWriter, r *http.Request, status int, answer []byte) bool {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	w.WriteHeader(status)
	_, err := w.Write(answer)
	return err == nil && r.Context().Err() == nil
}

// primed is the first version of the protocol in which a stream begins with an id to resume from.
const primed = "2025-11-25"

// sendEvents sends what belongs to a POST as events.
func (h *HTTP) sendEvents(w http.ResponseWriter, r *http.Request, s *session, answers *stream, reader *reader) {
	s.keep(answers, h.archive)
	out := beginEvents(w)
	if s.calls.agreed() < primed || out.prime(answers.eventID(0)) == nil {
		answers.serve(r, out, reader, 0, s.done, nil)
	}
	answers.detach(reader)
}

// cancel ends the calls whose answers nobody can read any more.
func (s *session) cancel(unread *stream) {
	for _, request := range s.calls.drop(unread) {
		if !s.take(request) {
			return
		}
	}
}
