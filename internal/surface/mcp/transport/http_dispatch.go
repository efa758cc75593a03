package transport

import (
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"obsidian-mcp/internal/access/auth"
)

// dispatch hands the messages of a request to a session. The answers go to a stream. It reports whether any answers
// will come, and false for ok if it has answered the request itself.
func (h *HTTP) dispatch(w http.ResponseWriter, r *http.Request, s *session, items []json.RawMessage, isBatch bool, to *stream) (calls, ok bool) {
	if !isBatch {
		return h.dispatchMessage(w, r, s, items[0], to)
	}
	if s.calls.agreed() != batchVersion {
		fail(w, http.StatusBadRequest, invalid(nil, noBatches))
		return false, false
	}
	if len(items) > maxBatch {
		fail(w, http.StatusBadRequest, invalid(nil, tooManyInBatch))
		return false, false
	}
	return h.dispatchBatch(w, r, s, items, to)
}

// readSessionMessage reads a message of a client with a session.
func readSessionMessage(item json.RawMessage) (message, *refusal) {
	m, problem := readMessage(item)
	if problem == nil && m.isCall() {
		problem = unfit(m)
	}
	return m, problem
}

func (h *HTTP) dispatchMessage(w http.ResponseWriter, r *http.Request, s *session, item json.RawMessage, to *stream) (isCall, ok bool) {
	m, problem := readSessionMessage(item)
	switch {
	case problem == nil && m.isCall() && m.isListen():
		sendAnswer(w, r, http.StatusOK, noListening(m).encoded())
		return false, false
	case problem != nil && m.method != "" && m.id == nil:
		return false, true // a notification is never answered
	case problem != nil:
		fail(w, http.StatusBadRequest, problem)
		return false, false
	case !m.isCall():
		return false, h.hear(w, r, s, m)
	}
	to.expect()
	begun, over := h.begin(r, s, m, to, to)
	switch {
	case over != nil:
		h.limits.refuse(w, m, over)
	case !begun:
		failSessionNotFound(w, m.id)
	}
	return true, begun && over == nil
}

// noListening refuses a method that only versions without sessions have. The SDK would serve it, and it never ends.
func noListening(m message) *refusal {
	return &refusal{m.id, jsonrpc.CodeMethodNotFound, "method not found"}
}

// dispatchBatch is dispatch for a batch, whose answers are sent together.
func (h *HTTP) dispatchBatch(w http.ResponseWriter, r *http.Request, s *session, items []json.RawMessage, to *stream) (calls, ok bool) {
	to.expect()
	collect := newBatch(to)
	for _, item := range items {
		m, problem := readSessionMessage(item)
		if problem == nil && m.isCall() && m.isListen() {
			problem = noListening(m)
		}
		if problem != nil && m.method != "" && m.id == nil {
			continue // a notification is never answered
		}
		if problem != nil || m.isCall() {
			calls = true
			collect.expect()
		}
		switch {
		case problem != nil:
			_ = collect.deliver(problem.encoded(), problem.code, nil)
		case !m.isCall():
			if !h.hear(w, r, s, m) {
				return false, false
			}
		default:
			begun, over := h.begin(r, s, m, collect, to)
			if over != nil {
				h.options.Refused(over.reason)
				_ = collect.deliver((&refusal{m.id, rateLimited, over.text}).encoded(), rateLimited, nil)
			} else if !begun {
				failSessionNotFound(w, m.id)
				return false, false
			}
		}
	}
	_ = collect.deliver(nil, 0, nil)
	return calls, true
}

// hear takes a message that is not answered: a notification, or the answer to a request of ours. It returns false if it
// has answered the HTTP request because the session has ended.
func (h *HTTP) hear(w http.ResponseWriter, r *http.Request, s *session, m message) bool {
	var next jsonrpc.Message
	if m.isAnswer() {
		if response := s.calls.answered(m); response != nil {
			next = response
		}
	} else if request := s.calls.notification(m); request != nil {
		next = (&Caller{principal: auth.Of(r.Context()), session: s, permit: new(permit)}).attach(request, r.Header)
	}
	if next == nil || s.take(next) {
		return true
	}
	failSessionNotFound(w, nil)
	return false
}

// begin hands a call to the SDK when its turn comes. The answer goes to an outlet; notifications and requests that
// belong to the call go to a stream. It reports false if the session has ended.
func (h *HTTP) begin(r *http.Request, s *session, m message, to outlet, side *stream) (begun bool, over *excess) {
	request := s.calls.begin(m, to)
	permit, over := h.limits.admit(r, s, m)
	if over != nil {
		s.calls.settle(idKey(request.ID.Raw()))
		return false, over
	}
	if !s.calls.admit(request, permit.release) {
		_ = to.deliver(nil, 0, nil) // the client no longer wants it
		return true, nil
	}
	from := &Caller{principal: auth.Of(r.Context()), session: s, stream: side, permit: permit}
	if s.kind == eventStream {
		from.stream = nil
	}
	if s.take(from.attach(request, r.Header)) {
		if cancel := s.calls.early(request); cancel != nil {
			s.take(cancel)
		}
		return true, nil
	}
	s.calls.abandon()
	return false, nil
}
