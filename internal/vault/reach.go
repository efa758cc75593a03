package vault

import (
	"context"
	"errors"

	"obsidian-mcp/internal/fault"
)

// Reach reports why the store cannot be reached, if it cannot. It asks about
// any one file: whether there is one is not the question.
func (v *Vault) Reach(ctx context.Context) error {
	if _, err := v.store.Stat(ctx, "any.md"); errors.Is(err, fault.StoreUnavailable) {
		return err
	}
	return nil
}
