package crash

import (
	"sync"
	"testing"
	"time"
)

// tally counts what was done to the program, and what came of it.
type tally struct {
	mu       sync.Mutex
	crashes  int // or failing calls
	made     int // changes that were under way, and were made
	answered int // changes that were answered before
	damaged  int // vaults that were not as they had to be
	late     int // first answers after more than the limit
	slowest  time.Duration
}

// The first answer after a crash is to come within the limit. On a machine
// that does much else it may not, which is counted; a program that hangs fails.
const (
	recoveryLimit = 2 * time.Second
	hangs         = 30 * time.Second
)

// crash counts one crash.
func (c *tally) crash() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.crashes++
}

// restart counts how the vault was found after a crash, and how long the first
// answer took.
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
	t.Logf("%s: %d; changes answered before: %d; under way and made: %d; damaged or lost: %d; slowest first answer: %v, later than %v: %d",
		of, c.crashes, c.answered, c.made, c.damaged, c.slowest.Round(time.Millisecond), recoveryLimit, c.late)
}
