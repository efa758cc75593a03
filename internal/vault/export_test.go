package vault

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"obsidian-mcp/internal/store"
)

// OpenImpatient is Open for tests that need real time: it retries and
// consolidates within milliseconds.
func OpenImpatient(s store.Store, log *slog.Logger, options Options) *Vault {
	return open(s, log, options, timing{retry: 10 * time.Millisecond, quiet: 10 * time.Millisecond})
}

// OpenHeld is OpenImpatient with a function that is called before words are indexed, and that may return an error.
func OpenHeld(s store.Store, log *slog.Logger, options Options, words func(context.Context) error) *Vault {
	timing := timing{retry: 10 * time.Millisecond, quiet: 10 * time.Millisecond, words: words}
	return open(s, log, options, timing)
}

// ErrCache is an error of the cache file.
var ErrCache error = cacheError{errors.New("the disk is full")}
