package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/store/patient"
)

// openingTime is how long a server waits for the vault's folder before it
// serves without.
const openingTime = time.Second

// errSilent is what is said of a folder on a drive that is gone.
var errSilent = fault.StoreUnavailable.Errorf("the vault's folder does not answer").WithHint("%s", driveHint)

const driveHint = "is it on a network drive or an unplugged disk? Bring that back; calls work again as soon as it answers"

// openFolder opens the vault in the folder that the settings name. A folder on
// a drive that does not answer is opened as soon as it does.
func openFolder(settings config.Config, log *slog.Logger) (place, error) {
	dir, err := vaultFolder(settings)
	if err != nil {
		return place{}, err
	}
	real := realFolder(dir)
	if err := outside(real, settings); err != nil {
		return place{}, err
	}
	opener := &folderOpener{dir: dir, options: folder.Options{State: settings.StateDir, Log: log}}
	in := patient.Open(patient.Options{Open: opener.open, Lost: opener.lost, Silent: errSilent, Explain: explainCall})
	reach := func(ctx context.Context) error { return blameFolder(settings, dir, in.Reach(ctx)) }
	ctx, cancel := context.WithTimeout(context.Background(), openingTime)
	defer cancel()
	if err := reach(ctx); errors.Is(err, fault.VaultNotFound) {
		_ = in.Close()
		return place{}, err
	}
	return place{Store: in, id: folderID(settings, dir), cache: folderCache(settings, real), state: folder.ID(real), probe: reach}, nil
}

// blameFolder says which setting names the folder that cannot be opened.
func blameFolder(settings config.Config, dir string, err error) error {
	if err == nil || fault.KindOf(err) == fault.Internal {
		return err
	}
	setting := "vault_path"
	if settings.VaultPath == "" {
		setting = "vault"
	}
	return &fault.Error{
		Kind: fault.KindOf(err), Message: fmt.Sprintf("%s (%s): %s", settings.From(setting), dir, err), Hint: fault.HintOf(err), Err: err,
	}
}

// folderOpener opens one folder, and again where it was mounted anew.
type folderOpener struct {
	dir     string
	options folder.Options

	mu   sync.Mutex  // guards what follows
	self fs.FileInfo // of the folder as it was opened first; nil: it was not yet
	held []string    // some of what was in it then
}

func (o *folderOpener) open() (store.Store, error) {
	self, names, err := lookInto(o.dir)
	if err != nil {
		return nil, explainFolder(err)
	}
	if !o.isVault(self) {
		return nil, fault.StoreUnavailable.Errorf("the vault's folder has been replaced since it was opened").
			WithHint("if a disk was unmounted, mount it again; otherwise restart")
	}
	in, err := folder.Open(o.dir, o.options)
	if err != nil {
		return nil, explainFolder(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.self, o.held = self, names
	return in, nil
}

// lost reports that the vault is back where it was, but not what is open.
func (o *folderOpener) lost() bool {
	self, _, err := lookInto(o.dir)
	return err == nil && o.isVault(self)
}

// isVault reports whether a folder is the vault's: the same one, or one with the
// same things in it. The folder beneath an unmounted drive has none of them, and
// must not pass for the vault.
func (o *folderOpener) isVault(now fs.FileInfo) bool {
	o.mu.Lock()
	self, held := o.self, o.held
	o.mu.Unlock()
	if self == nil || os.SameFile(self, now) {
		return true
	}
	there := 0
	for _, name := range held {
		if _, err := os.Lstat(filepath.Join(o.dir, name)); err == nil {
			there++
		}
	}
	return there > 0 && there*2 >= len(held)
}

// lookInto finds out what a folder is, and some of what is in it.
func lookInto(dir string) (fs.FileInfo, []string, error) {
	self, err := os.Stat(dir)
	if err != nil || !self.IsDir() {
		return self, nil, err // who opens it says that it is none
	}
	opened, err := os.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	defer opened.Close()
	names, _ := opened.Readdirnames(100) // none, where the folder is empty
	return self, names, nil
}

// explainFolder says why a vault's folder cannot be opened.
func explainFolder(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.VaultNotFound.Errorf("there is no such folder").WithHint("correct the path; obsidian-mcp install finds the vaults that Obsidian knows")
	case errors.Is(err, fs.ErrPermission):
		return fault.VaultNotFound.Errorf("this user may not open the folder").WithHint("change the folder's owner or mode, or run as the user who owns it")
	case isAway(err):
		return fault.StoreUnavailable.Errorf("the vault's folder cannot be reached: %w", bare(err)).WithHint("%s", driveHint)
	case fault.KindOf(err) == fault.VaultNotFound:
		return fault.VaultNotFound.Errorf("%w", err).WithHint("name the folder that holds the notes")
	}
	return fault.VaultNotFound.Errorf("the vault's folder cannot be opened: %w", bare(err)).WithHint("obsidian-mcp doctor looks closer")
}

// explainCall says of a call's failure that the drive is gone, where the system
// says so. One damaged place on a disk is not the whole drive.
func explainCall(err error) error {
	if !errors.Is(err, fault.StoreUnavailable) || !isAway(err) || errors.Is(err, syscall.EIO) {
		return err
	}
	return explainFolder(err)
}

// bare is the system's own error, without the path that it carries.
func bare(err error) error {
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number
	}
	return err
}
