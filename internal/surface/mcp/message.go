package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"obsidian-mcp/internal/wire"
)

// message is one JSON-RPC message of a client, read strictly: keys are exact
// and there once, and its id can be given back as it was written.
type message struct {
	id     json.RawMessage // nil: it has none
	method string          // "": it is an answer
	params json.RawMessage
	result json.RawMessage // of an answer
	failed json.RawMessage // the error of an answer
}

func (m message) isCall() bool   { return m.method != "" && m.id != nil }
func (m message) isAnswer() bool { return m.method == "" }

// refusal is why something is no message.
type refusal struct {
	id   json.RawMessage // nil: none could be read
	code int64
	text string
}

// encoded is the refusal as an answer.
func (r *refusal) encoded() []byte {
	id := r.id
	if id == nil {
		id = json.RawMessage("null")
	}
	encoded, err := wire.Encode(answer{Version: "2.0", ID: id, Error: &jsonrpc.Error{Code: r.code, Message: r.text}})
	if err != nil {
		panic(fmt.Sprintf("an error could not be encoded: %v", err))
	}
	return encoded
}

func invalid(id json.RawMessage, why string) *refusal {
	return &refusal{id, jsonrpc.CodeInvalidRequest, "Invalid request: " + why}
}

// splitMessages checks what a client has sent. A batch gives its items.
func splitMessages(data []byte) (items []json.RawMessage, isBatch bool, problem *refusal) {
	if err := wire.Check(data); err != nil {
		return nil, false, &refusal{nil, jsonrpc.CodeParseError, "Parse error: " + err.Error()}
	}
	if data[0] != '[' {
		return []json.RawMessage{data}, false, nil
	}
	_ = json.Unmarshal(data, &items)
	return items, true, nil
}

// readMessage reads one message that is well-formed JSON. Keys are exact:
// "Method" is no method.
func readMessage(raw json.RawMessage) (message, *refusal) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return message{}, invalid(nil, "not an object")
	}
	m := message{id: fields["id"], params: fields["params"], result: fields["result"], failed: fields["error"]}
	if string(m.failed) == "null" {
		m.failed = nil
	}
	if !validID(m.id) {
		return message{}, invalid(nil, "the id must be a string or a whole number")
	}
	if string(fields["jsonrpc"]) != `"2.0"` {
		return message{}, invalid(m.id, `jsonrpc must be "2.0"`)
	}
	method, hasMethod := fields["method"]
	if !hasMethod {
		if m.result == nil && m.failed == nil {
			return message{}, invalid(m.id, "no method")
		}
		return m, nil
	}
	if method[0] != '"' || json.Unmarshal(method, &m.method) != nil || m.method == "" {
		return message{}, invalid(m.id, "the method must be a string")
	}
	if len(m.params) > 0 && m.params[0] != '{' && string(m.params) != "null" {
		return m, &refusal{m.id, jsonrpc.CodeInvalidParams, "Invalid params: they must be an object"}
	}
	return m, nil
}

// validID reports whether an id, if there is one, can be answered exactly.
func validID(id json.RawMessage) bool {
	if id == nil || id[0] == '"' {
		return true
	}
	return strings.Trim(string(id), "-0123456789") == "" && len(id) < 100
}

// jsonSpace is the white space of JSON; other kinds are errors.
const jsonSpace = " \t\r\n"

// idPattern finds an id before the parameters of a message.
var idPattern = regexp.MustCompile(`^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)`)

// idOf is the id of a message of which only the head is known.
func idOf(head []byte) json.RawMessage {
	found := idPattern.FindSubmatch(head)
	if found == nil || !json.Valid(found[1]) {
		return nil
	}
	return slices.Clone(found[1])
}
