package vault

import (
	"context"
	"errors"

	"obsidian-mcp/internal/fault"
)

// Ping returns an error if the store cannot be reached. It asks the store about
// an arbitrary file; whether that exists does not matter.
func (v *Vault) Ping(ctx context.Context) error {
	if _, err := v.store.Stat(ctx, "any.md"); errors.Is(err, fault.StoreUnavailable) {
		return err
	}
	return nil
}
