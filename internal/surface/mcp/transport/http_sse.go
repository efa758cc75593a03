package transport

import (
	"net/http"
	"net/url"
)

// EventStream serves HTTP+SSE, the oldest transport: a session is a stream of events and ends with it. The first event
// says where to post messages.
func (h *HTTP) EventStream(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		methodNotAllowed(w, "GET")
		return
	}
	if _, events := accepts(r); !events {
		fail(w, http.StatusNotAcceptable, invalid(nil, "Accept must allow text/event-stream"))
		return
	}
	s, done, err := h.newSession(r, eventStream)
	if err != nil {
		h.refuseSession(w, nil, err)
		return
	}
	defer s.Close()
	defer done()
	r, cancel := untilExpiry(r)
	defer cancel()
	reader, _ := s.standalone.attach(0)
	out := beginEvents(w)
	if out.endpoint(h.options.Messages+"?sessionId="+url.QueryEscape(s.id)) == nil {
		s.standalone.serve(r, out, reader, 0, s.done, nil)
	}
}

// Messages takes the messages of HTTP+SSE sessions. Answers go to the session's stream.
func (h *HTTP) Messages(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		methodNotAllowed(w, "POST")
		return
	}
	s := h.sessions.find(r.URL.Query().Get("sessionId"))
	if s == nil || s.kind != eventStream || s.owner != ownerOf(r) {
		failSessionNotFound(w, nil)
		return
	}
	items, isBatch, ok := readPOST(w, r)
	if !ok {
		return
	}
	defer s.use()()
	if _, ok := h.dispatch(w, r, s, items, isBatch, s.standalone); ok {
		w.WriteHeader(http.StatusAccepted)
	}
}
