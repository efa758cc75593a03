package mcp

import (
	"encoding/json"
	"net/http"

	"obsidian-mcp/internal/fault"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// headerMismatch is the code for headers that say something else than the
// message.
const headerMismatch = -32020

// postModern serves a call of the era without sessions: it has all that is to
// be known of it with it, and lives as long as its request.
func (h *HTTP) postModern(w http.ResponseWriter, r *http.Request) {
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
		w.WriteHeader(http.StatusAccepted) // a call is cancelled by ending its request; there is nothing else to say
		return
	}
	server, common, err := h.serverFor(r)
	if err != nil {
		h.options.Log.Error("a call could not begin", "error", err.Error())
		fail(w, http.StatusServiceUnavailable, &refusal{m.id, jsonrpc.CodeInternalError, fault.SeeLog})
		return
	}
	if m.method == "subscriptions/listen" {
		h.listen(w, r, server, m)
		return
	}
	h.callModern(w, r, common.calls, m)
}

// listen serves a call that lasts until the client ends it. It has a session of
// its own, since the SDK knows one such call a session.
func (h *HTTP) listen(w http.ResponseWriter, r *http.Request, server *Server, m message) {
	if _, events := accepts(r); !events {
		fail(w, http.StatusNotAcceptable, invalid(m.id, "Accept must allow text/event-stream"))
		return
	}
	s, err := newSession(server, "", 1, func(over *session) { server.subscriptions.forget(over.sdk) })
	if err != nil {
		fail(w, http.StatusServiceUnavailable, &refusal{m.id, jsonrpc.CodeInternalError, "internal error"})
		return
	}
	defer s.Close()
	r, cancel := whileEntitled(r)
	defer cancel()
	one := newStream("", false)
	one.expect()
	mine, _ := one.attach(0)
	s.standing = one
	if begun, _ := h.begin(r, s, m, one, one); begun {
		h.answerModern(w, r, one, mine, h.stopping)
	}
}

func (h *HTTP) callModern(w http.ResponseWriter, r *http.Request, s *session, m message) {
	one := newStream("", false)
	_, events := accepts(r)
	one.curt = !events
	one.expect()
	mine, _ := one.attach(0)
	begun, over := h.begin(r, s, m, one, one)
	switch {
	case over != nil:
		h.limits.refuse(w, m, over)
		return
	case !begun:
		fail(w, http.StatusServiceUnavailable, &refusal{m.id, jsonrpc.CodeInternalError, "the server is stopping"})
		return
	}
	h.answerModern(w, r, one, mine, nil)
	if r.Context().Err() != nil {
		s.cancel(one)
	}
}

// answerModern sends an answer by itself if nothing comes before it, with the
// status that its error has.
func (h *HTTP) answerModern(w http.ResponseWriter, r *http.Request, one *stream, mine *reader, stopping <-chan struct{}) {
	plain, _ := accepts(r)
	patience := quick
	if one.curt {
		patience = longest
	}
	if plain {
		if answer, code, ok := one.only(r.Context(), mine, patience, nil); ok {
			sendAnswer(w, modernStatus(code), answer)
			return
		}
	}
	if r.Context().Err() == nil {
		one.serve(r, beginEvents(w), mine, 0, nil, stopping)
	}
}

// modernStatus is the HTTP status that belongs to an error.
func modernStatus(code int64) int {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case jsonrpc.CodeInvalidParams, sdk.CodeUnsupportedProtocolVersion, sdk.CodeMissingRequiredClientCapabilities, headerMismatch:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// checkHeaders compares what the headers say of a message with what it says
// itself: whoever decides by the one must not be fooled by the other.
func checkHeaders(header http.Header, m message) *refusal {
	mismatch := func(text string) *refusal { return &refusal{m.id, headerMismatch, text} }
	if m.isCall() {
		switch version, ok := modernMeta(m); {
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
		return nil // clients leave it out of notifications, which nobody decides anything by
	}
	if header.Get(methodHeader) != m.method || len(header.Values(methodHeader)) != 1 {
		return mismatch("the header Mcp-Method is missing, or is not the message's method")
	}
	named := map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}[m.method]
	if named != "" && (header.Get(nameHeader) != paramOf(m, named) || len(header.Values(nameHeader)) != 1) {
		return mismatch("the header Mcp-Name is missing, or is not the message's " + named)
	}
	return nil
}

// modernMeta is the version of the protocol that a message says it is of, and
// whether it says one.
func modernMeta(m message) (version string, ok bool) {
	var params, meta map[string]json.RawMessage
	if json.Unmarshal(m.params, &params) != nil || json.Unmarshal(params["_meta"], &meta) != nil {
		return "", false
	}
	err := json.Unmarshal(meta[sdk.MetaKeyProtocolVersion], &version)
	return version, err == nil
}

// paramOf is a parameter of a message that is a text. Its key is exact.
func paramOf(m message, key string) (value string) {
	var params map[string]json.RawMessage
	if json.Unmarshal(m.params, &params) == nil {
		_ = json.Unmarshal(params[key], &value)
	}
	return value
}
