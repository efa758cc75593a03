// Package folder keeps a vault in a folder of the file system.
//
// Reading goes through os.Root, folder by folder, and refuses what is no
// plain file of the vault: symbolic links, FIFOs, devices, other mounts.
// Writing replaces whole files: a temporary file in the same folder, synced,
// renamed over the old one, and the folder synced, so that readers and power
// cuts see the old file or the new one. A commit of several files is written
// to a journal outside of the vault first and finished or taken back when the
// folder is next opened.
//
// Other programs change the folder at any time and take no locks. A commit
// therefore compares each file with the revision its change was made for, and
// once more just before it is replaced.
package folder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// Options say how a folder is served.
type Options struct {
	State string        // a folder outside of the vault for journals and locks
	Poll  time.Duration // how often to look for changes where the system does not tell; 0 chooses
	Log   *slog.Logger
}

// Folder is a vault in a folder.
type Folder struct {
	dir    string
	root   *os.Root
	self   fs.FileInfo // of the folder as it was opened
	device uint64
	state  string
	poll   time.Duration
	log    *slog.Logger
	disk   vaultDisk
	tag    string // in the names of temporary files of those who share the lock

	superuser bool // to whom a file's mode means nothing

	commit     sync.Mutex      // one commit at a time; other processes are kept out by a lock file
	publishing sync.Mutex      // held while a commit changes what others see, until it has said so
	settled    map[string]bool // journals of which this process has nothing more to do
	left       []string        // what commits could not remove
	own        echoes
}

// Open opens a folder. What an earlier process left unfinished is finished or
// taken back first.
func Open(dir string, options Options) (*Folder, error) { return open(dir, options, vaultDisk{}) }

func open(dir string, options Options, on vaultDisk) (*Folder, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fault.VaultNotFound.Errorf("%s: %w", dir, err)
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		absolute = real // the vault's folder itself may be reached by a link
	}
	self, err := os.Stat(absolute)
	switch {
	case err != nil:
		return nil, fault.VaultNotFound.Errorf("the vault's folder cannot be opened: %w", err)
	case !self.IsDir():
		return nil, fault.VaultNotFound.Errorf("the vault must be a folder, and %s is none", dir)
	}
	root, err := os.OpenRoot(absolute)
	if err != nil {
		return nil, fault.VaultNotFound.Errorf("the vault's folder cannot be opened: %w", err)
	}
	f := &Folder{
		dir: absolute, root: root, self: self, device: deviceOf(self),
		poll: options.Poll, log: options.Log,
		disk: on, settled: map[string]bool{}, superuser: os.Geteuid() == 0,
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	f.state = filepath.Join(options.State, ID(absolute))
	f.tag = tagOf(f.state)
	f.recover()
	return f, nil
}

// ID names a vault's folder among others, for what is kept outside of it.
func ID(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Base(dir) + "-" + hex.EncodeToString(sum[:6])
}

// Close implements store.Store.
func (f *Folder) Close() error { return f.root.Close() }

// alive reports that the folder is still the one that was opened: an
// unmounted disk must not pass for an empty vault.
func (f *Folder) alive() error {
	now, err := os.Stat(f.dir)
	if err == nil && os.SameFile(now, f.self) {
		return nil
	}
	if err == nil {
		return fault.StoreUnavailable.Errorf("the vault's folder is another one than when it was opened").
			WithHint("if a disk was unmounted, mount it again; otherwise restart")
	}
	return fault.StoreUnavailable.Errorf("the vault's folder cannot be reached: %w", stripPath(err))
}

// Stat implements store.Store.
func (f *Folder) Stat(_ context.Context, path vpath.Path) (store.Info, error) {
	in, err := f.enter(path.Dir())
	if err != nil {
		return store.Info{}, err
	}
	defer in.Close()
	info, err := in.Lstat(path.Base())
	if err != nil {
		return store.Info{}, f.explain(path, err)
	}
	if info.IsDir() && deviceOf(info) == f.device {
		return store.Info{Path: path, Folder: true}, nil
	}
	if err := f.plain(path, info); err != nil {
		return store.Info{}, err
	}
	return infoOf(path, info), nil
}

// ReadMany implements store.Store.
func (f *Folder) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	return store.ReadEach(ctx, f, paths, limit)
}

// Config implements store.Store.
func (f *Folder) Config(_ context.Context, name string) (store.File, error) {
	in, err := f.descend(f.root, configFolder, configFolder)
	if err != nil {
		return store.File{}, err
	}
	defer in.Close()
	return f.read(in, vpath.Path(name), name, 4<<20)
}

// configFolder is where Obsidian keeps a vault's settings.
const configFolder = ".obsidian"
