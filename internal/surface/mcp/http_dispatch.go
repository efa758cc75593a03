package mcp

import (
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"obsidian-mcp/internal/access/auth"
)

// dispatch hands the messages of a request to a session. The answers go to a
// stream. It reports whether there are any to come, and whether the request is
// still to be answered.
func (h *HTTP) dispatch(w http.ResponseWriter, r *http.Request, s *session, items []json.RawMessage, isBatch bool, to *stream) (calls, ok bool) {
	if !isBatch {
		return h.dispatchOne(w, r, s, items[0], to)
	}
	s.calls.mu.Lock()
	understood := s.calls.version == batchVersion
	s.calls.mu.Unlock()
	if !understood {
		fail(w, http.StatusBadRequest, invalid(nil, noBatches))
		return false, false
	}
	if len(items) > maxBatch {
		fail(w, http.StatusBadRequest, invalid(nil, tooManyInBatch))
		return false, false
	}
	return h.dispatchBatch(w, r, s, items, to)
}

func (h *HTTP) dispatchOne(w http.ResponseWriter, r *http.Request, s *session, item json.RawMessage, to *stream) (isCall, ok bool) {
	m, problem := readMessage(item)
	if problem == nil && m.isCall() {
		problem = unfit(m)
	}
	switch {
	case problem == nil && m.isCall() && m.method == "subscriptions/listen":
		sendAnswer(w, http.StatusOK, noListening(m).encoded())
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
		fail(w, http.StatusNotFound, &refusal{m.id, sessionNotFound, "Session not found"})
	}
	return true, begun && over == nil
}

// noListening refuses what only the era without sessions has. The SDK would
// serve it, and it never ends.
func noListening(m message) *refusal {
	return &refusal{m.id, jsonrpc.CodeMethodNotFound, "method not found"}
}

// dispatchBatch is dispatch for a batch, which is answered as one.
func (h *HTTP) dispatchBatch(w http.ResponseWriter, r *http.Request, s *session, items []json.RawMessage, to *stream) (calls, ok bool) {
	to.expect()
	collect := newBatch(to)
	for _, item := range items {
		m, problem := readMessage(item)
		if problem == nil && m.isCall() {
			problem = unfit(m)
		}
		if problem == nil && m.isCall() && m.method == "subscriptions/listen" {
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
			_ = collect.deliver(problem.encoded(), problem.code)
		case !m.isCall():
			if !h.hear(w, r, s, m) {
				return false, false
			}
		default:
			begun, over := h.begin(r, s, m, collect, to)
			if over != nil {
				h.options.Refused(over.reason)
				_ = collect.deliver((&refusal{m.id, rateLimited, over.text}).encoded(), rateLimited)
			} else if !begun {
				fail(w, http.StatusNotFound, &refusal{m.id, sessionNotFound, "Session not found"})
				return false, false
			}
		}
	}
	_ = collect.deliver(nil, 0)
	return calls, true
}

// hear takes what is not answered.
func (h *HTTP) hear(w http.ResponseWriter, r *http.Request, s *session, m message) bool {
	var next jsonrpc.Message
	if m.isAnswer() {
		if response := s.calls.answered(m); response != nil {
			next = response
		}
	} else if request := s.calls.notification(m); request != nil {
		next = (&caller{principal: auth.Of(r.Context()), session: s, place: new(place)}).with(request, r.Header)
	}
	if next == nil || s.take(next) {
		return true
	}
	fail(w, http.StatusNotFound, &refusal{nil, sessionNotFound, "Session not found"})
	return false
}

// begin hands a call to the SDK when it is its turn. The answer goes to an
// outlet, what else belongs to it to a stream. It reports false if the session
// is over.
func (h *HTTP) begin(r *http.Request, s *session, m message, to outlet, heard *stream) (begun bool, over *excess) {
	request := s.calls.begin(m, to)
	place, over := h.limits.admit(r, s, m)
	if over != nil {
		s.calls.settle(idKey(request.ID.Raw()))
		return false, over
	}
	if !s.calls.admit(request, place.leave) {
		_ = to.deliver(nil, 0) // nobody wants it any more
		return true, nil
	}
	from := &caller{principal: auth.Of(r.Context()), session: s, stream: heard, place: place}
	if s.transport == eventStream {
		from.stream = nil
	}
	if s.take(from.with(request, r.Header)) {
		if cancel := s.calls.early(request); cancel != nil {
			s.take(cancel)
		}
		return true, nil
	}
	s.calls.abandon()
	return false, nil
}
