package install

import (
	"context"
	"io/fs"
	"os"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/visible"
)

// Vault is a vault of Obsidian's list, and whether its folder exists.
type Vault struct {
	Name, Path string
	presence   presence
}

// presence is what was found where a vault's folder should be.
type presence int

const (
	silent presence = iota // the drive does not answer
	missing
	present
)

// Remark returns what a list says after the path of a vault that cannot be used.
func (v Vault) Remark() string {
	return [...]string{silent: " (does not answer)", missing: " (not there)", present: ""}[v.presence]
}

// Check explains why the folder cannot be used as a vault.
func (v Vault) Check() error {
	switch v.presence {
	case present:
		return nil
	case missing:
		return fault.VaultNotFound.Errorf("there is no folder %s", visible.Name(v.Path)).
			WithHint("name the vault's folder with --vault-path")
	}
	return fault.VaultNotFound.Errorf("%s does not answer", visible.Name(v.Path)).
		WithHint("check that its drive or network share is connected")
}

// StillThere leaves out the vaults whose folder was deleted or moved: Obsidian keeps them in its list. A folder that
// does not answer in time may still be there.
func StillThere(ctx context.Context, vaults []config.Registered) []config.Registered {
	var there []config.Registered
	for n, found := range lookFor(ctx, os.Stat, pathsOf(vaults)...) {
		if found != missing {
			there = append(there, vaults[n])
		}
	}
	return there
}

// lookForVaults looks for the folders of vaults until ctx ends.
func lookForVaults(ctx context.Context, listed []config.Registered) ([]Vault, error) {
	found := lookFor(ctx, os.Stat, pathsOf(listed)...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	vaults := make([]Vault, len(listed))
	for n, vault := range listed {
		vaults[n] = Vault{vault.Name, vault.Path, found[n]}
	}
	return vaults, nil
}

func pathsOf(vaults []config.Registered) []string {
	paths := make([]string, len(vaults))
	for n, vault := range vaults {
		paths[n] = vault.Path
	}
	return paths
}

// folderPatience is how long to wait for a folder: a sleeping disk wakes up in that time.
const folderPatience = 8 * time.Second

// lookFor looks for all folders at the same time.
func lookFor(ctx context.Context, stat func(string) (fs.FileInfo, error), folders ...string) []presence {
	answers := make([]chan presence, len(folders))
	for n, folder := range folders {
		answers[n] = make(chan presence, 1)
		go func() { // a drive that never answers keeps this goroutine until the process ends
			found := missing
			if info, err := stat(folder); err == nil && info.IsDir() {
				found = present
			}
			answers[n] <- found
		}()
	}
	ctx, stop := context.WithTimeout(ctx, folderPatience)
	defer stop()
	found := make([]presence, len(folders))
	for n := range folders {
		select {
		case found[n] = <-answers[n]:
		case <-ctx.Done():
			select {
			case found[n] = <-answers[n]:
			default:
			}
		}
	}
	return found
}
