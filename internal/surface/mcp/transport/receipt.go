package transport

import (
	"context"
	"sync"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Receipt says what became of the answer to a call: whether it was written to the client, as far as that can be known.
type Receipt struct {
	unread func() bool // whether nobody reads the place where the answer goes; nil: somebody always does

	mu    sync.Mutex // guards what follows
	state delivery
	then  func() // called on delivery
}

type delivery uint8

const (
	pending delivery = iota
	delivered
	lost // the client does not want the answer, or is not there any more
)

// Lost reports whether the client has not received the answer, and is not about to.
func (r *Receipt) Lost() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state == lost || r.state == pending && r.unread != nil && r.unread()
}

// OnDelivery calls then once the answer has been written to the client.
func (r *Receipt) OnDelivery(then func()) {
	r.mu.Lock()
	r.then = then
	done := r.state == delivered
	r.mu.Unlock()
	if done {
		then()
	}
}

// settle notes whether the answer has been written. An answer that was lost may be read later.
func (r *Receipt) settle(written bool) {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.state = lost
	if written {
		r.state = delivered
	}
	then := r.then
	r.mu.Unlock()
	if written && then != nil {
		then()
	}
}

type receiptKey struct{}

// receiptExtra is the key under which a receipt travels through the SDK.
const receiptExtra = "receipt"

// ReceiptOf returns the receipt for the answer to a call. Without one, the answer counts as delivered.
func ReceiptOf(ctx context.Context) *Receipt {
	if receipt, ok := ctx.Value(receiptKey{}).(*Receipt); ok {
		return receipt
	}
	return &Receipt{state: delivered}
}

// newExtra returns what can travel with a message through the SDK.
func newExtra() *sdk.RequestExtra {
	return &sdk.RequestExtra{TokenInfo: &sdkauth.TokenInfo{Extra: map[string]any{}}}
}

// receiptIn returns the receipt that travels with a call, or nil.
func receiptIn(extra *sdk.RequestExtra) *Receipt {
	receipt, _ := extra.TokenInfo.Extra[receiptExtra].(*Receipt)
	return receipt
}
