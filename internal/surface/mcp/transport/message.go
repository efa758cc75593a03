package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/wire"
)

// message is one JSON-RPC message of a client, read strictly: keys are case-sensitive and unique, and the id can be
// returned exactly as it was written.
type message struct {
	id     json.RawMessage // nil if the message has no id
	method string          // empty if the message is an answer
	params json.RawMessage
	result json.RawMessage // of an answer
	failed json.RawMessage // the error of an answer
}

func (m message) isCall() bool   { return m.method != "" && m.id != nil }
func (m message) isAnswer() bool { return m.method == "" }

// isListen reports whether the message asks for notifications. Such a call lasts until the client ends it.
func (m message) isListen() bool { return m.method == "subscriptions/listen" }

// refusal says why a message was not accepted.
type refusal struct {
	id   json.RawMessage // nil if it could not be read
	code int64
	text string
}

// encoded returns the refusal as a JSON-RPC answer.
func (r *refusal) encoded() []byte {
	id := r.id
	if id == nil {
		id = json.RawMessage("null")
	}
	encoded, err := wire.Encode(answer{Version: "2.0", ID: id, Error: &jsonrpc.Error{Code: r.code, Message: r.text}})
	if err != nil {
		panic(fmt.Sprintf("encode an error: %v", err))
	}
	return encoded
}

func invalid(id json.RawMessage, why string) *refusal {
	return &refusal{id, jsonrpc.CodeInvalidRequest, "Invalid request: " + why}
}

// splitMessages checks the JSON that a client sent, and splits a batch into its messages.
func splitMessages(data []byte) (items []json.RawMessage, isBatch bool, problem *refusal) {
	if err := wire.Check(data); err != nil {
		return nil, false, &refusal{refusedID(data), jsonrpc.CodeParseError, "Parse error: " + err.Error()}
	}
	if data[0] != '[' {
		return []json.RawMessage{data}, false, nil
	}
	_ = json.Unmarshal(data, &items)
	return items, true, nil
}

// refusedID returns the id of a message that only strict readers refuse, for example because a client cut an emoji in
// two: without an id in the answer, the client would wait forever. It is nil if the id is in doubt.
func refusedID(data []byte) json.RawMessage {
	if !json.Valid(data) {
		return nil
	}
	var id json.RawMessage
	decoder := json.NewDecoder(bytes.NewReader(data))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	for decoder.More() {
		key, _ := decoder.Token()
		var value json.RawMessage
		if decoder.Decode(&value) != nil || key == "id" && id != nil {
			return nil
		}
		if key == "id" {
			id = value
		}
	}
	if id == nil || !validID(id) || wire.Check(id) != nil {
		return nil
	}
	return id
}

// readMessage reads one message from well-formed JSON. Keys are case-sensitive: "Method" is not "method".
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

// validID reports whether an id, if any, can be returned exactly.
func validID(id json.RawMessage) bool {
	if id == nil || id[0] == '"' {
		return true
	}
	return strings.Trim(string(id), "-0123456789") == "" && len(id) < 100
}

// param returns a parameter that is a string. The key is case-sensitive.
func (m message) param(key string) (value string) {
	var params map[string]json.RawMessage
	if json.Unmarshal(m.params, &params) == nil {
		_ = json.Unmarshal(params[key], &value)
	}
	return value
}

// metaVersion returns the protocol version that a message names in its _meta, and whether it names one.
func (m message) metaVersion() (version string, ok bool) {
	var params, meta map[string]json.RawMessage
	if json.Unmarshal(m.params, &params) != nil || json.Unmarshal(params["_meta"], &meta) != nil {
		return "", false
	}
	err := json.Unmarshal(meta[sdk.MetaKeyProtocolVersion], &version)
	return version, err == nil
}

// jsonSpace is the white space that JSON allows.
const jsonSpace = " \t\r\n"

// idPattern finds an id that comes before the parameters of a message.
var idPattern = regexp.MustCompile(`^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)`)

// idOf returns the id of a message, given only its beginning.
func idOf(head []byte) json.RawMessage {
	found := idPattern.FindSubmatch(head)
	if found == nil || !json.Valid(found[1]) {
		return nil
	}
	return slices.Clone(found[1])
}
