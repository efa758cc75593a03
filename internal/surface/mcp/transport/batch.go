package transport

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"obsidian-mcp/internal/wire"
)

// batchVersion is the only version of the protocol with batches.
const batchVersion = "2025-03-26"

const noBatches = "batches are not part of this protocol version"

// Limits of a batch. Its answers are sent together, so they are all held in memory.
const (
	maxBatch        = 100 // messages
	maxBatchAnswers = 32 << 20
)

var tooManyInBatch = fmt.Sprintf("a batch may hold at most %d messages", maxBatch)

// batch collects the answers to the calls of one batch, and delivers them together when the last one is there.
type batch struct {
	to outlet

	mu      sync.Mutex // guards what follows
	open    int        // calls without an answer, plus one while the batch is being read
	answers []json.RawMessage
	bytes   int

	receipts []*Receipt
}

// newBatch starts a batch. It is complete after one delivery for every expected answer, and an empty one that marks the
// end of the batch.
func newBatch(to outlet) *batch { return &batch{to: to, open: 1} }

// expect announces one more answer.
func (b *batch) expect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
}

// deliver implements outlet.
func (b *batch) deliver(answer []byte, _ int64, receipt *Receipt) error {
	b.mu.Lock()
	if answer != nil {
		b.add(answer)
		b.receipts = append(b.receipts, receipt)
	} else {
		receipt.settle(false)
	}
	b.open--
	complete := b.open == 0
	b.mu.Unlock()
	if !complete {
		return nil
	}
	if len(b.answers) == 0 {
		return b.to.deliver(nil, 0, nil)
	}
	all, err := wire.Encode(b.answers)
	if err != nil {
		return err
	}
	return b.to.deliver(all, 0, b.receipt())
}

// receipt returns a receipt for all answers together.
func (b *batch) receipt() *Receipt {
	all := new(Receipt)
	all.OnDelivery(func() {
		for _, receipt := range b.receipts {
			receipt.settle(true)
		}
	})
	return all
}

// add collects an answer, or an error in its place if the answers have become too large.
func (b *batch) add(answer []byte) {
	if b.bytes+len(answer) > maxBatchAnswers {
		answer = (&refusal{idOf(answer), jsonrpc.CodeInternalError, "the answers to this batch are too large"}).encoded()
	}
	b.bytes += len(answer)
	b.answers = append(b.answers, answer)
}
