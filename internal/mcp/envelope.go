package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/wire"
)

// batch collects the answers to the calls of one batch.
type batch struct {
	open    int // calls not yet answered
	answers []json.RawMessage
}

// accept takes one line and gives the message to handle, if there is one. It
// answers what is no message.
func (c *lineConn) accept(ctx context.Context, line []byte) jsonrpc.Message {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if err := wire.Check(line); err != nil {
		c.refuse(nil, jsonrpc.CodeParseError, "Parse error: "+err.Error())
		return nil
	}
	if line[0] == '[' {
		c.acceptBatch(ctx, line)
		return nil
	}
	return c.acceptOne(line, nil)
}

// batchVersion is the one version of the protocol that has batches.
const batchVersion = "2025-03-26"

// acceptBatch queues the messages of a batch. Whether there are batches is
// known once initialize has been answered.
func (c *lineConn) acceptBatch(ctx context.Context, line []byte) {
	var items []json.RawMessage
	_ = json.Unmarshal(line, &items)
	understood := false
	c.await(ctx, func() bool {
		understood = c.version == batchVersion
		for _, call := range c.calls {
			if call.method == "initialize" {
				return false
			}
		}
		return true
	})
	if len(items) == 0 || !understood {
		c.refuse(nil, jsonrpc.CodeInvalidRequest, "Invalid request: batches are not part of this protocol version")
		return
	}
	collect := &batch{open: 1} // one for the reading of the batch itself
	for _, item := range items {
		if request, ok := c.acceptOne(item, collect).(*jsonrpc.Request); ok {
			c.queue = append(c.queue, request)
		}
	}
	_ = c.finish(collect, nil)
}

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

// acceptOne takes one message. Keys are exact: "Method" is no method.
func (c *lineConn) acceptOne(raw json.RawMessage, in *batch) jsonrpc.Message {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		c.reject(in, nil, jsonrpc.CodeInvalidRequest, "Invalid request: not an object")
		return nil
	}
	id, hasID := fields["id"]
	if !validID(id) {
		c.reject(in, nil, jsonrpc.CodeInvalidRequest, "Invalid request: the id must be a string or a whole number")
		return nil
	}
	if string(fields["jsonrpc"]) != `"2.0"` {
		c.reject(in, id, jsonrpc.CodeInvalidRequest, `Invalid request: jsonrpc must be "2.0"`)
		return nil
	}
	rawMethod, hasMethod := fields["method"]
	if !hasMethod {
		return c.acceptAnswer(fields, in)
	}
	var method string
	if json.Unmarshal(rawMethod, &method) != nil || rawMethod[0] != '"' {
		c.reject(in, id, jsonrpc.CodeInvalidRequest, "Invalid request: the method must be a string")
		return nil
	}
	params := fields["params"]
	if len(params) > 0 && params[0] != '{' && string(params) != "null" {
		if hasID {
			c.reject(in, id, jsonrpc.CodeInvalidParams, "Invalid params: they must be an object")
		}
		return nil
	}
	if !hasID {
		return c.acceptNotification(method, params)
	}
	return c.acceptCall(id, method, params, in)
}

// validID reports whether an id, if there is one, can be answered exactly.
func validID(id json.RawMessage) bool {
	if id == nil || id[0] == '"' {
		return true
	}
	return strings.Trim(string(id), "-0123456789") == "" && len(id) < 100
}

// acceptAnswer takes what may be an answer to a request of ours.
func (c *lineConn) acceptAnswer(fields map[string]json.RawMessage, in *batch) jsonrpc.Message {
	id := fields["id"]
	_, hasResult := fields["result"]
	_, hasError := fields["error"]
	if !hasResult && !hasError {
		c.reject(in, id, jsonrpc.CodeInvalidRequest, "Invalid request: no method")
		return nil
	}
	var value any
	_ = json.Unmarshal(id, &value)
	known, err := jsonrpc.MakeID(value)
	if err != nil {
		return nil
	}
	c.mu.Lock()
	waited := c.asked[idKey(known.Raw())]
	delete(c.asked, idKey(known.Raw()))
	c.mu.Unlock()
	if !waited {
		return nil // an answer to nothing
	}
	response := &jsonrpc.Response{ID: known, Result: fields["result"]}
	if hasError {
		problem := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client refused"}
		_ = json.Unmarshal(fields["error"], problem)
		response.Error = problem
	}
	return response
}

// acceptNotification drops what nobody listens to: a notification is never
// answered, not even one that is wrong.
func (c *lineConn) acceptNotification(method string, params json.RawMessage) jsonrpc.Message {
	if method == "exit" {
		c.exit = true
		return nil
	}
	if !strings.HasPrefix(method, "notifications/") {
		return nil
	}
	if method == "notifications/cancelled" {
		if params = c.cancelParams(params); params == nil {
			return nil
		}
	}
	return &jsonrpc.Request{Method: method, Params: params}
}

// cancelParams names the call to cancel as the SDK knows it. A call that is
// not in flight has none.
func (c *lineConn) cancelParams(params json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(params, &fields) != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, call := range c.calls {
		if string(call.id) == string(fields["requestId"]) {
			call.cancelled = true
			fields["requestId"] = json.RawMessage(key)
			changed, _ := json.Marshal(fields)
			return changed
		}
	}
	return nil
}

// acceptCall notes that a call is in flight.
func (c *lineConn) acceptCall(id json.RawMessage, method string, params json.RawMessage, in *batch) jsonrpc.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.sdkID(id)
	if in != nil {
		in.open++
	}
	c.calls[idKey(known.Raw())] = &inFlight{id: id, method: method, batch: in}
	return &jsonrpc.Request{ID: known, Method: method, Params: params}
}

// sdkID is the id that the SDK gets to see: the client's own where the SDK can
// hold it and it is not in use, else another one.
func (c *lineConn) sdkID(id json.RawMessage) jsonrpc.ID {
	var value any
	_ = json.Unmarshal(id, &value)
	known, err := jsonrpc.MakeID(value)
	exact := err == nil && known.IsValid() && sameID(known.Raw(), id)
	if _, used := c.calls[idKey(known.Raw())]; exact && !used {
		return known
	}
	c.aliases++
	alias, _ := jsonrpc.MakeID(aliasPrefix + strconv.Itoa(c.aliases))
	return alias
}

// aliasPrefix starts the ids that stand in for a client's own.
const aliasPrefix = "obsidian-mcp alias "

func sameID(value any, id json.RawMessage) bool {
	if number, ok := value.(int64); ok {
		return strconv.FormatInt(number, 10) == string(id)
	}
	return true
}

// idKey is an id of the SDK as JSON.
func idKey(value any) string {
	encoded, _ := tool.Encode(value)
	return string(encoded)
}

// answer is a response as it goes over the wire.
type answer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *jsonrpc.Error  `json:"error,omitempty"`
}

// respond sends the SDK's answer to a call under the client's own id.
func (c *lineConn) respond(response *jsonrpc.Response) error {
	key := idKey(response.ID.Raw())
	c.mu.Lock()
	call := c.calls[key]
	if call != nil && c.version == "" && response.Error == nil {
		c.version = versionOf(response.Result)
	}
	c.mu.Unlock()
	if call == nil {
		return nil
	}
	err := c.deliver(call, response)
	c.mu.Lock()
	delete(c.calls, key)
	c.mu.Unlock()
	select {
	case c.settled <- struct{}{}:
	default:
	}
	return err
}

// deliver sends an answer, by itself or with its batch. A client that has
// cancelled a call wants none.
func (c *lineConn) deliver(call *inFlight, response *jsonrpc.Response) error {
	c.mu.Lock()
	cancelled := call.cancelled
	c.mu.Unlock()
	var encoded []byte
	if !cancelled {
		var err error
		problem := protocolError(call.method, response.Error)
		if encoded, err = tool.Encode(answer{Version: "2.0", ID: call.id, Result: response.Result, Error: problem}); err != nil {
			return err
		}
	}
	switch {
	case call.batch != nil:
		return c.finish(call.batch, encoded)
	case cancelled:
		return nil
	}
	return c.send(encoded)
}

func versionOf(result json.RawMessage) string {
	var initialized struct {
		Version string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(result, &initialized)
	return initialized.Version
}

// protocolError gives an error of the SDK a code and a text that tell nothing
// of how the program is made. Those of our own tools carry data, and stay.
func protocolError(method string, err error) *jsonrpc.Error {
	if err == nil {
		return nil
	}
	coded, ok := errors.AsType[*jsonrpc.Error](err)
	switch {
	case ok && coded.Data != nil:
		return coded
	case method == "initialize" || !ok && strings.Contains(err.Error(), "initializ"):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: " + err.Error()}
	case !ok:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error"}
	case coded.Code == jsonrpc.CodeInvalidRequest, strings.Contains(coded.Message, "json:"), strings.Contains(coded.Message, "Go "):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid params"}
	}
	return coded
}

// reject answers a message that is wrong, in its batch if it came in one.
func (c *lineConn) reject(in *batch, id json.RawMessage, code int64, text string) {
	if in == nil {
		c.refuse(id, code, text)
		return
	}
	c.mu.Lock()
	in.open++
	c.mu.Unlock()
	_ = c.finish(in, refusal(id, code, text))
}

// refuse answers a message that is wrong.
func (c *lineConn) refuse(id json.RawMessage, code int64, text string) {
	_ = c.send(refusal(id, code, text))
}

func refusal(id json.RawMessage, code int64, text string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	encoded, err := tool.Encode(answer{Version: "2.0", ID: id, Error: &jsonrpc.Error{Code: code, Message: text}})
	if err != nil {
		panic(fmt.Sprintf("an error could not be encoded: %v", err))
	}
	return encoded
}

// finish adds an answer to a batch and sends it when it is complete.
func (c *lineConn) finish(in *batch, encoded []byte) error {
	c.mu.Lock()
	if encoded != nil {
		in.answers = append(in.answers, encoded)
	}
	in.open--
	complete := in.open == 0 && len(in.answers) > 0
	c.mu.Unlock()
	if !complete {
		return nil
	}
	all, err := tool.Encode(in.answers)
	if err != nil {
		return err
	}
	return c.send(all)
}
