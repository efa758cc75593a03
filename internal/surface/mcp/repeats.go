package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/tool"
)

// repeats keeps a client that gives up on a write and repeats it from writing twice: the repeated call gets the answer
// to the first, if the client did not receive that.
type repeats struct {
	mu     sync.Mutex // guards writes
	writes map[string]*write
}

// write is a call that writes.
type write struct {
	ctx     context.Context
	receipt *transport.Receipt

	done      chan struct{} // closed when the call has ended; then the fields below are set
	ended     time.Time
	cancelled bool
	answer    tool.Answer
	succeeded bool
}

// gaveUp reports whether the client will not receive the answer. Once a call has ended, its context says nothing.
func (w *write) gaveUp() bool {
	select {
	case <-w.done:
		return w.cancelled || w.receipt.Lost()
	default:
		return w.ctx.Err() != nil || w.receipt.Lost()
	}
}

// end notes the outcome.
func (w *write) end(answer tool.Answer, err error) {
	w.answer, w.succeeded, w.cancelled, w.ended = answer, err == nil, w.ctx.Err() != nil, time.Now()
	close(w.done)
}

// Bounds of what is remembered about writes.
const (
	repeatLife = 10 * time.Minute
	maxWrites  = 1024
)

// once makes a call, unless it repeats one whose answer the client did not receive. Then it returns that answer.
func (r *repeats) once(ctx context.Context, key string, run func() (tool.Answer, error)) (tool.Answer, error) {
	own, earlier := r.begin(ctx, key)
	if earlier != nil {
		select {
		case <-earlier.done:
		case <-ctx.Done():
			return tool.Answer{}, ctx.Err()
		}
		if earlier.succeeded {
			transport.ReceiptOf(ctx).OnDelivery(func() { r.forget(key, earlier) })
			return repeated(earlier.answer), nil
		}
		r.forget(key, earlier)
		return r.once(ctx, key, run)
	}
	answer, err := run()
	own.end(answer, err)
	if err != nil {
		r.forget(key, own)
	} else {
		own.receipt.OnDelivery(func() { r.forget(key, own) })
	}
	return answer, err
}

// begin returns the earlier call that this one repeats, or else registers this one.
func (r *repeats) begin(ctx context.Context, key string) (own, earlier *write) {
	r.mu.Lock()
	defer r.mu.Unlock()
	earlier = r.writes[key]
	if earlier != nil && !earlier.expired() && earlier.gaveUp() {
		return nil, earlier
	}
	own = &write{ctx: ctx, receipt: transport.ReceiptOf(ctx), done: make(chan struct{})}
	if r.writes == nil {
		r.writes = map[string]*write{}
	}
	if earlier == nil || earlier.expired() { // an identical call that the client still waits for is not a repeat
		r.makeRoom()
		r.writes[key] = own
	}
	return own, nil
}

// expired reports whether a call ended too long ago to be repeated.
func (w *write) expired() bool {
	select {
	case <-w.done:
		return time.Since(w.ended) > repeatLife
	default:
		return false
	}
}

// makeRoom forgets expired calls, and if that does not suffice any call. The caller holds the lock.
func (r *repeats) makeRoom() {
	if len(r.writes) < maxWrites {
		return
	}
	maps.DeleteFunc(r.writes, func(_ string, w *write) bool { return w.expired() })
	for key := range r.writes {
		if len(r.writes) < maxWrites {
			return
		}
		delete(r.writes, key)
	}
}

func (r *repeats) forget(key string, w *write) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writes[key] == w {
		delete(r.writes, key)
	}
}

// repeated marks an answer as that of an earlier call.
func repeated(answer tool.Answer) tool.Answer {
	meta := map[string]any{"repeated": true}
	maps.Copy(meta, answer.Meta)
	answer.Meta = meta
	return answer
}

// repeatKey identifies a call: the same client, tool and arguments, however those are formatted. The only client on stdio
// is the same whatever it calls itself.
func repeatKey(ctx context.Context, req *sdk.CallToolRequest, name string, arguments json.RawMessage) string {
	client, _ := clientOf(ctx, req)
	if _, overHTTP := transport.CallerOf(ctx); !overHTTP {
		client = ""
	}
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) == nil {
		arguments, _ = json.Marshal(value) // with sorted keys
	}
	sum := sha256.Sum256([]byte(client + "\n" + name + "\n" + string(arguments)))
	return string(sum[:])
}
