package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/tool"
)

// outlet takes the answer to a call: a line, an HTTP answer, a place in a
// batch. No bytes mean that the client wants none any more. The code is that
// of an error, or 0.
type outlet interface {
	deliver(answer []byte, code int64) error
}

// calls are those of one session that are in flight, both ways. They stand
// between the ids of the client, which come back as they were written, and
// those that the SDK can hold.
type calls struct {
	mu      sync.Mutex // guards what follows
	open    map[string]*call
	asked   map[string]bool // our own requests that wait for an answer
	version string          // negotiated; decides whether batches are understood
	aliases int
	shared  bool // by clients who know nothing of each other's ids

	settled chan struct{} // gets a signal when a call is answered
}

// call is one that was accepted and not yet answered.
type call struct {
	id        json.RawMessage // as the client wrote it
	method    string
	to        outlet
	release   func() // gives back what the call was admitted with; nil until it was
	cancelled bool   // by the client, who wants no answer any more
}

func newCalls() *calls {
	return &calls{open: map[string]*call{}, asked: map[string]bool{}, settled: make(chan struct{}, 1)}
}

// begin notes that a call is in flight, and gives it as the SDK is to see it.
func (c *calls) begin(m message, to outlet) *jsonrpc.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.sdkID(m.id)
	c.open[idKey(known.Raw())] = &call{id: m.id, method: m.method, to: to}
	return &jsonrpc.Request{ID: known, Method: m.method, Params: givenVersion(m)}
}

// admit lets a call that has begun go on. Once it is over, whatever way,
// release is called. It reports false, and the call is over, if the client has
// cancelled it, or its session has ended, while it waited for its turn.
func (c *calls) admit(request *jsonrpc.Request, release func()) bool {
	key := idKey(request.ID.Raw())
	c.mu.Lock()
	call := c.open[key]
	wanted := call != nil && !call.cancelled
	if wanted {
		call.release = release
	}
	c.mu.Unlock()
	if !wanted {
		release()
		c.settle(key)
	}
	return wanted
}

// givenVersion has initialize ask for the version that it will be given: the
// SDK would take what was asked for as what was agreed on.
func givenVersion(m message) json.RawMessage {
	if m.method != "initialize" {
		return m.params
	}
	versions := slices.DeleteFunc(sdk.SupportedProtocolVersions(), func(version string) bool { return version >= sessionless })
	if asked := paramOf(m, "protocolVersion"); asked == "" || slices.Contains(versions, asked) {
		return m.params
	}
	var params map[string]json.RawMessage
	_ = json.Unmarshal(m.params, &params)
	params["protocolVersion"], _ = json.Marshal(slices.Max(versions))
	changed, _ := tool.Encode(params)
	return changed
}

// sdkID is the id that the SDK gets to see: the client's own where the SDK can
// hold it and it is not in use, else another one. Where clients share a session
// it is always another one, and none twice: a cancellation that comes late must
// not meet somebody else's call.
func (c *calls) sdkID(id json.RawMessage) jsonrpc.ID {
	var value any
	_ = json.Unmarshal(id, &value)
	known, err := jsonrpc.MakeID(value)
	exact := err == nil && known.IsValid() && sameID(known.Raw(), id) && !isAlias(known.Raw())
	if _, used := c.open[idKey(known.Raw())]; exact && !used && !c.shared {
		return known
	}
	c.aliases++
	alias, _ := jsonrpc.MakeID(aliasPrefix + strconv.Itoa(c.aliases))
	return alias
}

// aliasPrefix starts the ids that stand in for a client's own. A client's own
// that starts so gets one too: what is in use is ours then.
const aliasPrefix = "obsidian-mcp alias "

func isAlias(value any) bool {
	text, ok := value.(string)
	return ok && strings.HasPrefix(text, aliasPrefix)
}

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

// notification gives a notification as the SDK is to see it, or nil: what
// nobody listens to is dropped, and never answered, not even if it is wrong.
func (c *calls) notification(m message) *jsonrpc.Request {
	if !strings.HasPrefix(m.method, "notifications/") {
		return nil
	}
	params := m.params
	if m.method == "notifications/cancelled" {
		if params = c.cancelParams(params); params == nil {
			return nil
		}
	}
	return &jsonrpc.Request{Method: m.method, Params: params}
}

// cancelParams names the call to cancel as the SDK knows it. A call that is
// not in flight has none.
func (c *calls) cancelParams(params json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(params, &fields) != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, call := range c.open {
		if string(call.id) == string(fields["requestId"]) {
			call.cancelled = true
			fields["requestId"] = json.RawMessage(key)
			changed, _ := json.Marshal(fields)
			return changed
		}
	}
	return nil
}

// drop is what cancels the calls of an outlet that nobody reads any more.
func (c *calls) drop(to outlet) []*jsonrpc.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	var cancels []*jsonrpc.Request
	for key, call := range c.open {
		if endOf(call.to) == to {
			call.cancelled = true
			cancels = append(cancels, &jsonrpc.Request{
				Method: "notifications/cancelled", Params: json.RawMessage(`{"requestId":` + key + `,"reason":"the client has gone"}`),
			})
		}
	}
	return cancels
}

// endOf is where an answer goes in the end: that of a batch with the others.
func endOf(to outlet) outlet {
	if in, isBatch := to.(*batch); isBatch {
		return in.to
	}
	return to
}

// ask notes that a request of ours waits for its answer.
func (c *calls) ask(request *jsonrpc.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[idKey(request.ID.Raw())] = true
}

// answered gives a client's answer to a request of ours, or nil if it answers
// nothing.
func (c *calls) answered(m message) *jsonrpc.Response {
	var value any
	_ = json.Unmarshal(m.id, &value)
	known, err := jsonrpc.MakeID(value)
	if err != nil {
		return nil
	}
	key := idKey(known.Raw())
	c.mu.Lock()
	waited := c.asked[key]
	delete(c.asked, key)
	c.mu.Unlock()
	if !waited {
		return nil
	}
	response := &jsonrpc.Response{ID: known, Result: m.result}
	if m.failed != nil {
		problem := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client refused"}
		_ = json.Unmarshal(m.failed, problem)
		response.Error = problem
	}
	return response
}

// unasked answers our own requests that wait, since nobody will.
func (c *calls) unasked() []*jsonrpc.Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	var answers []*jsonrpc.Response
	for key := range c.asked {
		var value any
		_ = json.Unmarshal([]byte(key), &value)
		if id, err := jsonrpc.MakeID(value); err == nil {
			answers = append(answers, &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server is stopping"}})
		}
	}
	clear(c.asked)
	return answers
}

// answer is a response as it goes over the wire.
type answer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *jsonrpc.Error  `json:"error,omitempty"`
}

// respond gives the SDK's answer to a call to where it is waited for, under
// the client's own id.
func (c *calls) respond(response *jsonrpc.Response) error {
	key := idKey(response.ID.Raw())
	c.mu.Lock()
	call := c.open[key]
	if call != nil && c.version == "" && response.Error == nil {
		c.version = versionOf(response.Result)
	}
	cancelled := call != nil && call.cancelled
	c.mu.Unlock()
	if call == nil {
		return nil
	}
	var encoded []byte
	problem := protocolError(call.method, response.Error)
	if !cancelled {
		var err error
		if encoded, err = tool.Encode(answer{Version: "2.0", ID: call.id, Result: response.Result, Error: problem}); err != nil {
			return err
		}
	}
	err := call.to.deliver(encoded, codeOf(problem))
	c.settle(key)
	return err
}

// settle takes a call off, unless that was done before.
func (c *calls) settle(key string) {
	c.mu.Lock()
	call := c.open[key]
	delete(c.open, key)
	c.mu.Unlock()
	if call == nil {
		return
	}
	if call.release != nil {
		call.release()
	}
	select {
	case c.settled <- struct{}{}:
	default:
	}
}

// abandon takes off all calls, for a session that is over.
func (c *calls) abandon() {
	c.mu.Lock()
	keys := slices.Collect(maps.Keys(c.open))
	c.mu.Unlock()
	for _, key := range keys {
		c.settle(key)
	}
}

func codeOf(problem *jsonrpc.Error) int64 {
	if problem == nil {
		return 0
	}
	return problem.Code
}

func versionOf(result json.RawMessage) string {
	var initialized struct {
		Version string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(result, &initialized)
	return initialized.Version
}

// unaliased gives a message that names a call, as those about a subscription
// do, the id by which the client knows it.
func (c *calls) unaliased(encoded []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.aliases == 0 {
		return encoded
	}
	for key, call := range c.open {
		if strings.HasPrefix(key, `"`+aliasPrefix) {
			encoded = bytes.ReplaceAll(encoded, []byte(key), call.id)
		}
	}
	return encoded
}

// working counts the calls that will be answered by themselves; to listen goes
// on until the client ends it. The caller holds the lock.
func (c *calls) working() int {
	working := 0
	for _, call := range c.open {
		if call.method != "subscriptions/listen" {
			working++
		}
	}
	return working
}

// await waits for a condition on the calls in flight, until ctx or done ends.
func (c *calls) await(ctx context.Context, done <-chan struct{}, holds func() bool) bool {
	for {
		c.mu.Lock()
		ok := holds()
		c.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-c.settled:
		case <-done:
			return false
		case <-ctx.Done():
			return false
		}
	}
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
	case ok && coded.Code == jsonrpc.CodeMethodNotFound:
		return coded
	case strings.Contains(err.Error(), "unmarshal"):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid params"}
	case method == "initialize" || !ok && strings.Contains(err.Error(), "initializ"):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: " + err.Error()}
	case !ok:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error"}
	case coded.Code == jsonrpc.CodeInvalidRequest, strings.Contains(coded.Message, "json:"), strings.Contains(coded.Message, "Go "):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid params"}
	}
	return coded
}
