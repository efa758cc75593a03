package transport

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"obsidian-mcp/internal/wire"
)

// outlet takes the answer to a call: a line, an HTTP answer, an entry of a batch. The answer is nil if the client no
// longer wants one. The code is that of an error, or 0. The receipt, which may be nil, is settled once the answer is
// written or lost.
type outlet interface {
	deliver(answer []byte, code int64, receipt *Receipt) error
}

// calls tracks the calls in flight of one session, in both directions. It translates between the client's ids, which
// are returned exactly as they were written, and ids that the SDK can represent.
type calls struct {
	mu      sync.Mutex // guards what follows
	open    map[string]*openCall
	asked   map[string]bool // our own requests that wait for an answer
	version string          // negotiated; decides whether batches are understood
	aliases int
	shared  bool // clients that know nothing of each other's ids use this session
	mute    bool // nobody can be asked any more

	settled chan struct{} // gets a signal when a call ends
}

// openCall is a call that was accepted and has not been answered yet.
type openCall struct {
	id        json.RawMessage // as the client wrote it
	method    string
	to        outlet
	release   func() // frees what the call occupies; nil until it is admitted
	cancelled bool   // by the client, which no longer wants an answer
	receipt   *Receipt
}

// cancel notes that the client no longer wants an answer.
func (c *openCall) cancel() {
	c.cancelled = true
	c.receipt.settle(false)
}

func newCalls() *calls {
	return &calls{open: map[string]*openCall{}, asked: map[string]bool{}, settled: make(chan struct{}, 1)}
}

// begin registers a call and returns it as the SDK will see it.
func (c *calls) begin(m message, to outlet) *jsonrpc.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.sdkID(m.id)
	receipt := new(Receipt)
	c.open[idKey(id.Raw())] = &openCall{id: m.id, method: m.method, to: to, receipt: receipt}
	extra := newExtra()
	extra.TokenInfo.Extra[receiptExtra] = receipt
	return &jsonrpc.Request{ID: id, Method: m.method, Params: agreedVersion(m), Extra: extra}
}

// admit lets a registered call proceed. When it ends, in whatever way, release is called. If the client cancelled the
// call or its session ended while it waited for its turn, admit ends it and returns false.
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

// notification returns a notification as the SDK will see it. It returns nil for one that nobody listens to; such a
// notification is never answered, even if it is malformed.
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

// cancelParams marks a call as cancelled and names it by the SDK's id. It returns nil if that call is not in flight.
func (c *calls) cancelParams(params json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(params, &fields) != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, call := range c.open {
		if string(call.id) == string(fields["requestId"]) {
			call.cancel()
			fields["requestId"] = json.RawMessage(key)
			changed, _ := json.Marshal(fields)
			return changed
		}
	}
	return nil
}

// drop returns the notifications that cancel all calls whose answers go to an outlet that nobody reads any more.
func (c *calls) drop(to outlet) []*jsonrpc.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	var cancels []*jsonrpc.Request
	for key, call := range c.open {
		if finalOutlet(call.to) == to {
			call.cancel()
			cancels = append(cancels, cancelOf(key, "the client has disconnected"))
		}
	}
	return cancels
}

// early returns the notification that cancels a call which the SDK has just received, if the client cancelled it
// before that, otherwise nil. The SDK did not know the call when the client's own notification came.
func (c *calls) early(request *jsonrpc.Request) *jsonrpc.Request {
	key := idKey(request.ID.Raw())
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.open[key]; call == nil || !call.cancelled {
		return nil
	}
	return cancelOf(key, "the client has cancelled the call")
}

func cancelOf(key, reason string) *jsonrpc.Request {
	return &jsonrpc.Request{Method: "notifications/cancelled", Params: json.RawMessage(`{"requestId":` + key + `,"reason":"` + reason + `"}`)}
}

// finalOutlet is where an answer ends up: for a call of a batch, where the batch goes.
func finalOutlet(to outlet) outlet {
	if in, isBatch := to.(*batch); isBatch {
		return in.to
	}
	return to
}

// maxAsked is how many requests of ours may wait for answers.
const maxAsked = 4

// canAsk reports whether we may make one more request.
func (c *calls) canAsk() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.mute && len(c.asked) < maxAsked
}

// ask registers a request of ours. It returns false if nobody can answer it, or if too many requests wait already.
func (c *calls) ask(request *jsonrpc.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mute || len(c.asked) >= maxAsked {
		return false
	}
	c.asked[idKey(request.ID.Raw())] = true
	return true
}

// answered returns a client's answer to a request of ours, or nil if it answers none.
func (c *calls) answered(m message) *jsonrpc.Response {
	var value any
	_ = json.Unmarshal(m.id, &value)
	id, err := jsonrpc.MakeID(value)
	if err != nil {
		return nil
	}
	key := idKey(id.Raw())
	c.mu.Lock()
	waited := c.asked[key]
	delete(c.asked, key)
	c.mu.Unlock()
	if !waited {
		return nil
	}
	response := &jsonrpc.Response{ID: id, Result: m.result}
	if m.failed != nil {
		problem := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client refused"}
		_ = json.Unmarshal(m.failed, problem)
		response.Error = problem
	}
	return response
}

// stopAsking answers our own pending requests, because no client will, and prevents new ones.
func (c *calls) stopAsking() []*jsonrpc.Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mute = true
	var answers []*jsonrpc.Response
	for key := range c.asked {
		var value any
		_ = json.Unmarshal([]byte(key), &value)
		if id, err := jsonrpc.MakeID(value); err == nil {
			stopping := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server is stopping"}
			answers = append(answers, &jsonrpc.Response{ID: id, Error: stopping})
		}
	}
	clear(c.asked)
	return answers
}

// respond delivers the SDK's answer to a call, under the client's own id.
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
	err := call.to.deliver(encoded, codeOf(problem), call.receipt)
	c.settle(key)
	return err
}

// settle ends a call, if it has not ended before.
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

// abandon ends all calls of a session that has ended.
func (c *calls) abandon() {
	c.mu.Lock()
	keys := slices.Collect(maps.Keys(c.open))
	c.mu.Unlock()
	for _, key := range keys {
		c.settle(key)
	}
}

// agreed returns the version that the session has negotiated.
func (c *calls) agreed() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// working counts the calls that will end by themselves; subscriptions/listen goes on until the client ends it. The
// caller holds the lock.
func (c *calls) working() int {
	working := 0
	for _, call := range c.open {
		if call.method != "subscriptions/listen" {
			working++
		}
	}
	return working
}

// await waits until a condition on the calls in flight holds. It returns false if ctx or done ends first.
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
