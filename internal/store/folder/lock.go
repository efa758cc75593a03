package folder

import (
	"context"
	"os"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
)

// lockPatience is how long a commit waits for the commit of another process.
const lockPatience = 20 * time.Second

// lock keeps other processes from changing the same vault.
func (f *Folder) lock(ctx context.Context) (unlock func(), err error) {
	in, err := f.disk.openOrMake(f.state)
	if err != nil {
		return nil, stateProblem(err)
	}
	defer in.Close()
	file, err := f.disk.create(in, "lock", os.O_RDWR, 0o600)
	if err != nil {
		return nil, stateProblem(err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	switch err := system.Lock(ctx, file); {
	case err == nil:
		return func() { file.Close() }, nil
	case ctx.Err() != nil:
		file.Close()
		return nil, fault.StoreUnavailable.Errorf("another process is changing the vault, and has not finished").
			WithHint("try again; end other obsidian-mcp processes that hang")
	default:
		file.Close()
		return nil, fault.StoreUnavailable.Errorf("the vault cannot be locked: %w", err)
	}
}

func stateProblem(err error) error {
	return fault.StoreUnavailable.Errorf("the state folder cannot be used: %w", stripPath(err)).
		WithHint("set OBSIDIAN_MCP_STATE_DIR to a folder that can be written")
}
