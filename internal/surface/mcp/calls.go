package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"obsidian-mcp/internal/wire"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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
	open    map[string]*openCall
	asked   map[string]bool // our own requests that wait for an answer
	version string          // negotiated; decides whether batches are understood
	aliases int
	shared  bool // by clients who know nothing of each other's ids
	mute    bool // nobody can be asked any more

	settled chan struct{} // gets a signal when a call is answered
}

// openCall is a call that was accepted and not yet answered.
type openCall struct {
	id        json.RawMessage // as the client wrote it
	method    string
	to        outlet
	release   func() // gives back what the call was admitted with; nil until it was
	cancelled bool   // by the client, who wants no answer any more
}

func newCalls() *calls {
	return &calls{open: map[string]*openCall{}, asked: map[string]bool{}, settled: make(chan struct{}, 1)}
}

// begin notes that a call is in flight, and gives it as the SDK is to see it.
func (c *calls) begin(m message, to outlet) *jsonrpc.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.sdkID(m.id)
	c.open[idKey(known.Raw())] = &openCall{id: m.id, method: m.method, to: to}
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
			cancels = append(cancels, cancelOf(key, "the client has gone"))
		}
	}
	return cancels
}

// early is what cancels a call that the SDK has just got, if the client has
// cancelled it before that; otherwise nil. The SDK knew nothing of the call yet,
// and would not end it.
func (c *calls) early(request *jsonrpc.Request) *jsonrpc.Request {
	key := idKey(request.ID.Raw())
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.open[key]; call == nil || !call.cancelled {
		return nil
	}
	return cancelOf(key, "the client wants it no more")
}

func cancelOf(key, reason string) *jsonrpc.Request {
	return &jsonrpc.Request{Method: "notifications/cancelled", Params: json.RawMessage(`{"requestId":` + key + `,"reason":"` + reason + `"}`)}
}

// endOf is where an answer goes in the end: that of a batch with the others.
func endOf(to outlet) outlet {
	if in, isBatch := to.(*batch); isBatch {
		return in.to
	}
	return to
}

// maxAsked is how many requests of ours may wait for their answers.
const maxAsked = 4

// canAsk reports whether one more request of ours may be made.
func (c *calls) canAsk() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.mute && len(c.asked) < maxAsked
}

// ask notes that a request of ours waits for its answer, unless nobody is there
// to give one, or too many wait already.
func (c *calls) ask(request *jsonrpc.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mute || len(c.asked) >= maxAsked {
		return false
	}
	c.asked[idKey(request.ID.Raw())] = true
	return true
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

// unasked answers our own requests that wait, since nobody will, and has no
// more of them made.
func (c *calls) unasked() []*jsonrpc.Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mute = true
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
		if encoded, err = wire.Encode(answer{Version: "2.0", ID: call.id, Result: response.Result, Error: problem}); err != nil {
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
