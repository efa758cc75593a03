package cli

import (
	"testing"

	"obsidian-mcp/internal/fault"
)

// The table of the contract.
func TestEveryKindHasAStatus(t *testing.T) {
	want := map[fault.Kind]int{
		fault.Internal: 1, fault.ObsidianNotRunning: 1, fault.VaultNotFound: 1, fault.NotFound: 3, fault.AmbiguousName: 3,
		fault.PermissionDenied: 4, fault.Timeout: 5, fault.InvalidArgument: 2, fault.TagNotAllowed: 2,
		fault.AlreadyExists: 6, fault.Conflict: 6, fault.StoreUnavailable: 7, fault.RateLimited: 7,
	}
	for _, kind := range fault.Kinds() {
		if status := exitStatus(kind); status == 0 || status != want[kind] {
			t.Errorf("%s has the status %d, want %d", kind.Code(), status, want[kind])
		}
	}
}
