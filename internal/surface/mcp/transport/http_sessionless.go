package transport

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/fault"
)

// headerMismatch is the code for headers that contradict the message.
const headerMismatch = -32020

// postSessionless serves a call of a version without sessions: it carries everything there is to know about it, and
// lives as long as its request.
func (h *HTTP) postSessionless(w http.ResponseWriter, r *http.Request) {
	items, isBatch, ok := readPOST(w, r)
	if !ok {
		return
	}
	if isBatch {
		fail(w, http.StatusBadRequest, invalid(nil, noBatches))
		return
	}
	m, problem := readMessage(items[0])
	if problem == nil {
		problem = checkHeaders(r.Header, m)
	}
	if problem != nil {
		fail(w, http.StatusBadRequest, problem)
		return
	}
	if !m.isCall() {
		w.WriteHeader(http.StatusAccepted) // a client cancels a call by ending its request; notifications have no use here
		return
	}
	server, common, err := h.serverFor(r)
	if err != nil {
		h.options.Log.Error("cannot start a call", "error", err.Error())
		fail(w, http.StatusServiceUnavailable, &refusal{m.id, jsonrpc.CodeInternalError, fault.SeeLog})
		return
	}
	if m.isListen() {
		h.listen(w, r, server, m)
		return
	}
	h.callSessionless(w, r, common.calls, m)
}

// listen serves a call that lasts until the client ends it. It gets a session of its own, because the SDK allows one
// such call per session.
func (h *HTTP) listen(w http.ResponseWriter, r *http.Request, server Server, m message) {
	if _, events := accepts(r); !events {
		fail(w, http.StatusNotAcceptable, invalid(m.id, "Accept must allow text/event-stream"))
		return
	}
	s, err := newSession(server, "", 1, func(ended *session) { server.Forget(ended.sdk) })
	if err != nil {
		fail(w, http.StatusServiceUnavailable, &refusal{m.id, jsonrpc.CodeInternalError, "internal error"})
		return
	}
	defer s.Close()
	r, cancel := untilExpiry(r)
	defer cancel()
	answers := newStream("", false)
	answers.expect()
	reader, _ := answers.attach(0)
	s.standalone = answers
	if begun, _ := h.begin(r, s, m, answers, answers); begun {
		h.answerSessionless(w, r, answers, reader, h.stopping)
	}
}

func (h *HTTP) callSessionless(w http.ResponseWriter, r *http.Request, s *session, m message) {
	answers := newStream("", false)
	_, events := accepts(r)
	answers.answerOnly = !events
	answers.expect()
	reader, _ := answers.attach(0)
	begun, over := h.begin(r, s, m, answers, answers)
	switch {
	case over != nil:
		h.limits.refuse(w, m, over)
		return
	case !begun:
		fail(w, http.StatusServiceUnavailable, &refusal{m.id, jsonrpc.CodeInternalError, "the server is stopping"})
		return
	}
	h.answerSessionless(w, r, answers, reader, nil)
	if r.Context().Err() != nil {
		s.cancel(answers)
	}
}

// answerSessionless sends a plain answer, with the status that belongs to its error, if nothing comes before it.
// Otherwise it sends events.
func (h *HTTP) answerSessionless(w http.ResponseWriter, r *http.Request, answers *stream, reader *reader, stopping <-chan struct{}) {
	if plain, _ := accepts(r); plain {
		if answer, code, ok := answers.soleAnswer(r.Context(), reader, nil); ok {
			answers.settle(1, sendAnswer(w, r, sessionlessStatus(code), answer))
			return
		}
	}
	if r.Context().Err() == nil {
		answers.serve(r, beginEvents(w), reader, 0, nil, stopping)
	}
}

// sessionlessStatus is the HTTP status that belongs to an error.
func sessionlessStatus(code int64) int {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case jsonrpc.CodeInvalidParams, sdk.CodeUnsupportedProtocolVersion, sdk.CodeMissingRequiredClientCapabilities, headerMismatch:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// checkHeaders compares what the headers say about a message with the message itself: a proxy that decides by the
// headers must not be fooled.
func checkHeaders(header http.Header, m message) *refusal {
	mismatch := func(text string) *refusal { return &refusal{m.id, headerMismatch, text} }
	if m.isCall() {
		switch version, ok := m.metaVersion(); {
		case !ok:
			return &refusal{m.id, jsonrpc.CodeInvalidParams, "missing or invalid _meta field \"" + sdk.MetaKeyProtocolVersion + "\""}
		case version != header.Get(versionHeader):
			return mismatch("the header MCP-Protocol-Version and the message's version differ")
		}
	}
	if m.isAnswer() {
		return nil
	}
	if !m.isCall() && header.Values(methodHeader) == nil {
		return nil // clients leave it out of notifications, by which nobody decides anything
	}
	if header.Get(methodHeader) != m.method || len(header.Values(methodHeader)) != 1 {
		return mismatch("the header Mcp-Method is missing, or is not the message's method")
	}
	named := map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}[m.method]
	if named != "" && (header.Get(nameHeader) != m.param(named) || len(header.Values(nameHeader)) != 1) {
		return mismatch("the header Mcp-Name is missing, or is not the message's " + named)
	}
	return nil
}
