package mcp

import (
	"net/http"
	"net/url"
)

// EventStream serves the oldest transport: a session is a stream of events,
// whose first tells where messages are to be posted, and lasts as long as it.
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
	r, cancel := whileEntitled(r)
	defer cancel()
	mine, _ := s.standing.attach(0)
	out := beginEvents(w)
	if out.endpoint(h.options.Messages+"?sessionId="+url.QueryEscape(s.id)) == nil {
		s.standing.serve(r, out, mine, 0, s.done, nil)
	}
}

// Messages takes the messages of sessions of the oldest transport. Answers come
// on the session's stream.
func (h *HTTP) Messages(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		methodNotAllowed(w, "POST")
		return
	}
	s := h.sessions.find(r.URL.Query().Get("sessionId"))
	if s == nil || s.transport != eventStream || s.owner != ownerOf(r) {
		fail(w, http.StatusNotFound, &refusal{nil, sessionNotFound, "Session not found"})
		return
	}
	items, isBatch, ok := readPOST(w, r)
	if !ok {
		return
	}
	defer s.begin()()
	if _, ok := h.dispatch(w, r, s, items, isBatch, s.standing); ok {
		w.WriteHeader(http.StatusAccepted)
	}
}
