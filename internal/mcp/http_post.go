package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"obsidian-mcp/internal/auth"
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

// readPOST reads what was posted. What cannot be read is answered here.
func readPOST(w http.ResponseWriter, r *http.Request) (items []json.RawMessage, isBatch, ok bool) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		fail(w, http.StatusUnsupportedMediaType, invalid(nil, "Content-Type must be application/json"))
		return nil, false, false
	}
	if plain, events := accepts(r); !plain && !events {
		fail(w, http.StatusNotAcceptable, invalid(nil, "Accept must allow application/json and text/event-stream"))
		return nil, false, false
	}
	if r.Header.Get(lastEventHeader) != "" {
		fail(w, http.StatusBadRequest, invalid(nil, "Last-Event-ID belongs to GET"))
		return nil, false, false
	}
	body, err := readBody(r)
	if err != nil {
		tooLarge, isTooLarge := errors.AsType[*http.MaxBytesError](err)
		if isTooLarge {
			fail(w, http.StatusRequestEntityTooLarge, invalid(idOf(body), fmt.Sprintf("the message is longer than %d bytes", tooLarge.Limit)))
		} else {
			fail(w, http.StatusRequestTimeout, invalid(nil, "the message did not arrive"))
		}
		return nil, false, false
	}
	items, isBatch, problem := splitMessages(bytes.TrimSpace(body))
	if problem == nil && isBatch && len(items) == 0 {
		problem = invalid(nil, "an empty batch")
	}
	if problem != nil {
		fail(w, http.StatusBadRequest, problem)
		return nil, false, false
	}
	return items, isBatch, true
}

func readBody(r *http.Request) ([]byte, error) {
	var body bytes.Buffer
	if r.ContentLength > 0 {
		body.Grow(int(min(r.ContentLength, 64<<10)) + bytes.MinRead)
	}
	_, err := io.Copy(&body, r.Body)
	return body.Bytes(), err
}

// accepts tells what kinds of answer a client takes.
func accepts(r *http.Request) (plain, events bool) {
	given := r.Header.Values("Accept")
	if len(given) == 0 {
		return true, true
	}
	for _, kind := range strings.Split(strings.Join(given, ","), ",") {
		kind, _, _ = strings.Cut(kind, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "*/*":
			plain, events = true, true
		case "application/json", "application/*":
			plain = true
		case "text/event-stream", "text/*":
			events = true
		}
	}
	return plain, events
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
	s, done, err := h.newSession(r, streamable)
	if err != nil {
		h.options.Log.Error("a session could not begin", "error", err.Error())
		fail(w, http.StatusServiceUnavailable, &refusal{m.id, jsonrpc.CodeInternalError, "internal error; the server's log says more"})
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
	select {
	case <-s.done:
		fail(w, http.StatusNotFound, &refusal{nil, sessionNotFound, "Session not found"})
	default:
		if one.curt {
			w.WriteHeader(http.StatusNoContent) // it was cancelled, and is not answered
			return
		}
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
	if r.Context().Err() != nil {
		s.cancel(one) // the client knows no id to come back for
		return
	}
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
		next = (&caller{principal: auth.Of(r.Context()), session: s, release: func() {}}).with(request, r.Header)
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
	release, over := h.limits.admit(r, s, m)
	if over != nil {
		s.calls.settle(idKey(request.ID.Raw()))
		return false, over
	}
	if !s.calls.admit(request, release) {
		_ = to.deliver(nil, 0) // nobody wants it any more
		return true, nil
	}
	from := &caller{principal: auth.Of(r.Context()), session: s, stream: heard, release: release}
	if s.transport == eventStream {
		from.stream = nil
	}
	if s.take(from.with(request, r.Header)) {
		return true, nil
	}
	s.calls.abandon()
	return false, nil
}
