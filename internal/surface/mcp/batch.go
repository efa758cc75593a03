package mcp

import (
	"encoding/json"
	"fmt"
	"sync"

	"obsidian-mcp/internal/wire"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// batchVersion is the one version of the protocol that has batches.
const batchVersion = "2025-03-26"

const noBatches = "batches are not part of this protocol version"

// Limits of a batch: it is answered as one, and so has to be held as one.
const (
	maxBatch        = 100 // messages
	maxBatchAnswers = 32 << 20
)

var tooManyInBatch = fmt.Sprintf("a batch may hold %d messages at most", maxBatch)

// batch collects the answers to the calls of one batch, and hands them on as
// one when it is complete.
type batch struct {
	to outlet

	mu      sync.Mutex // guards what follows
	open    int        // calls not yet answered
	answers []json.RawMessage
	bytes   int
}

// newBatch begins a batch. It is complete when every call that was expected is
// answered, and the reading of the batch itself has been delivered.
func newBatch(to outlet) *batch { return &batch{to: to, open: 1} }

// expect says that one more answer will come.
func (b *batch) expect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
}

// deliver implements outlet.
func (b *batch) deliver(answer []byte, _ int64) error {
	b.mu.Lock()
	if answer != nil {
		b.add(answer)
	}
	b.open--
	complete := b.open == 0
	b.mu.Unlock()
	if !complete {
		return nil
	}
	if len(b.answers) == 0 {
		return b.to.deliver(nil, 0)
	}
	all, err := wire.Encode(b.answers)
	if err != nil {
		return err
	}
	return b.to.deliver(all, 0)
}

// add collects an answer. One for which there is no room is replaced by an
// error.
func (b *batch) add(answer []byte) {
	if b.bytes+len(answer) > maxBatchAnswers {
		answer = (&refusal{idOf(answer), jsonrpc.CodeInternalError, "the answers of the batch are too large together"}).encoded()
	}
	b.bytes += len(answer)
	b.answers = append(b.answers, answer)
}
