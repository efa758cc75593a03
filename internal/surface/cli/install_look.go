package cli

import (
	"context"
	"io/fs"
	"os"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/visible"
)

// look is what was found where a vault's folder should be.
type look int

const (
	isSilent look = iota // the drive does not answer
	isGone
	isThere
)

// remark is what a list says of a folder.
func (l look) remark() string {
	return [...]string{isSilent: " (does not answer)", isGone: " (not there)", isThere: ""}[l]
}

// explain says why a folder cannot be a vault; nil: it can.
func explain(folder string, l look) error {
	switch l {
	case isThere:
		return nil
	case isGone:
		return fault.VaultNotFound.Errorf("there is no folder %s", visible.Name(folder)).WithHint("name the vault's folder with --vault-path")
	}
	return fault.VaultNotFound.Errorf("%s does not answer", visible.Name(folder)).WithHint("see whether the drive or the network share that it is on is connected")
}

// lookingTime is how long a folder is waited for. A disk that sleeps wakes up
// in that time.
const lookingTime = 8 * time.Second

// lookFor looks whether folders are there, until it is interrupted.
func (i *installer) lookFor(folders ...string) ([]look, error) {
	looks := lookFor(i.cmd.Context(), os.Stat, folders...)
	if i.cmd.Context().Err() != nil {
		return nil, i.interrupted()
	}
	return looks, nil
}

// StillThere are the vaults of a list whose folder is not gone: Obsidian's list
// keeps those that were deleted or moved. One that does not answer in time may
// be there.
func StillThere(ctx context.Context, all []config.Registered) []config.Registered {
	paths := make([]string, len(all))
	for n, vault := range all {
		paths[n] = vault.Path
	}
	var there []config.Registered
	for n, found := range lookFor(ctx, os.Stat, paths...) {
		if found != isGone {
			there = append(there, all[n])
		}
	}
	return there
}

// lookFor looks for all folders at the same time.
func lookFor(ctx context.Context, stat func(string) (fs.FileInfo, error), folders ...string) []look {
	answers := make([]chan look, len(folders))
	for n, folder := range folders {
		answers[n] = make(chan look, 1)
		go func() { // a drive that does not answer keeps it until the process ends
			found := isGone
			if info, err := stat(folder); err == nil && info.IsDir() {
				found = isThere
			}
			answers[n] <- found
		}()
	}
	ctx, stop := context.WithTimeout(ctx, lookingTime)
	defer stop()
	looks := make([]look, len(folders))
	for n := range folders {
		select {
		case looks[n] = <-answers[n]:
		case <-ctx.Done():
			select {
			case looks[n] = <-answers[n]:
			default:
			}
		}
	}
	return looks
}
