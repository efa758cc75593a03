package vault

import (
	"log/slog"
	"time"

	"obsidian-mcp/internal/store"
)

// OpenImpatient is Open for tests that need real time: it retries and
// consolidates within milliseconds.
func OpenImpatient(s store.Store, log *slog.Logger, options Options) *Vault {
	return open(s, log, options, timing{retry: 10 * time.Millisecond, quiet: 10 * time.Millisecond})
}
