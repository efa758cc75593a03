package crash

import (
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/mode"
)

// tally counts crashes and their outcomes.
type tally struct {
	mu       sync.Mutex
	crashes  int // or failing calls
	made     int // interrupted changes that were made
	answered int // changes that were answered before a crash
	damaged  int // vaults that were not as they should be
	late     int // first answers that took longer than recoveryLimit
	slowest  time.Duration
}

// The first answer after a crash should come within recoveryLimit. On a busy machine it may not, so slow answers are only
// counted. A program that hangs fails the test.
const (
	recoveryLimit = 2 * time.Second
	hangs         = mode.Patience / 2
)

// crash counts one crash.
func (c *tally) crash() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.crashes++
}

// restart counts the state of the vault after a crash, and the time of the first answer.
func (c *tally) restart(made bool, problem error, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if made {
		c.made++
	}
	if problem != nil {
		c.damaged++
	}
	if took > recoveryLimit {
		c.late++
	}
	c.slowest = max(c.slowest, took)
}

func (c *tally) answers(changes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered += changes
}

func (c *tally) log(t *testing.T, of string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	t.Logf("%s: %d; changes answered before: %d; interrupted but made: %d; damaged or lost: %d; slowest first answer: %v, slower than %v: %d",
		of, c.crashes, c.answered, c.made, c.damaged, c.slowest.Round(time.Millisecond), recoveryLimit, c.late)
}
