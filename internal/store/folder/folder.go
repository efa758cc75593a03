// Package folder stores a vault in a folder of the file system.
//
// Reads go through os.Root, one folder at a time, and refuse everything but plain files of the vault: symbolic links,
// FIFOs, devices, other mounts. Writes replace whole files: the new bytes go to a temporary file in the same folder,
// which is synced and renamed over the old one before the folder itself is synced. Readers, and the disk after a power
// cut, see the old file or the new one. A commit of several files is first written to a journal outside of the vault;
// if it is interrupted, it is finished when the folder is next opened.
//
// Other programs change the folder at any time and take no locks. A commit therefore compares each file with the
// revision that its change is based on, and does so again just before it replaces the file.
package folder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system"
)

// Options configure a Folder.
type Options struct {
	State string        // a folder outside of the vault for journals and locks
	Poll  time.Duration // ask for a scan this often instead of watching; 0: watch, and poll only where that is impossible
	Log   *slog.Logger

	// RecoverLater lets Open return while the commits that an earlier process left unfinished are still being finished,
	// which takes a while if they are large. All calls but Stat and Close wait for it.
	RecoverLater bool
}

// Folder is a vault in a folder.
type Folder struct {
	dir          string
	root         *os.Root
	self         fs.FileInfo // identifies the folder that was opened
	device       uint64
	state        string
	poll         time.Duration
	fallbackPoll time.Duration // how often to ask for a scan where watching fails
	log          *slog.Logger
	disk         vaultDisk
	tag          string // part of the temporary names of all processes that share the lock

	superuser bool          // file modes do not restrict this process
	dropsEnds bool          // the system opens "A.md" when asked for "A.md." or "A.md "
	recovered chan struct{} // closed once earlier commits are finished

	commit     sync.Mutex      // held during a commit; a lock file keeps other processes out
	publishing sync.Mutex      // held while a commit changes visible files, until it has recorded them in own
	done       map[string]bool // journals that are applied or rolled back, and only have to be removed
	leftovers  []string        // temporary files and empty folders that commits failed to remove
	own        echoes          // what our commits changed, to recognise their events
}

// Open opens a folder, and first finishes the commits that an earlier process left unfinished.
func Open(dir string, options Options) (*Folder, error) { return open(dir, options, vaultDisk{}) }

func open(dir string, options Options, on vaultDisk) (*Folder, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fault.VaultNotFound.Errorf("%s: %w", dir, err)
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		absolute = system.Spelling(real) // the vault's own folder may be a symbolic link, and spelt in capitals or not
	}
	self, err := os.Stat(absolute)
	switch {
	case err != nil:
		return nil, fault.VaultNotFound.Errorf("the vault's folder cannot be opened: %w", err)
	case !self.IsDir():
		return nil, fault.VaultNotFound.Errorf("%s is not a folder", dir)
	}
	root, err := os.OpenRoot(absolute)
	if err != nil {
		return nil, fault.VaultNotFound.Errorf("the vault's folder cannot be opened: %w", err)
	}
	f := &Folder{
		dir: absolute, root: root, self: self, device: deviceOf(self),
		poll: options.Poll, fallbackPoll: 2 * time.Second, log: options.Log,
		disk: on, done: map[string]bool{}, superuser: os.Geteuid() == 0, dropsEnds: runtime.GOOS == "windows",
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	f.state = filepath.Join(options.State, ID(absolute))
	f.tag = tagOf(f.state)
	f.recovered = make(chan struct{})
	finish := func() {
		defer close(f.recovered)
		f.recover()
	}
	if options.RecoverLater {
		go finish()
	} else {
		finish()
	}
	return f, nil
}

// waitUntilRecovered waits until the commits of earlier processes are finished.
func (f *Folder) waitUntilRecovered(ctx context.Context) error {
	select {
	case <-f.recovered:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ID is a name for the state of a vault's folder, different for every folder.
func ID(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Base(dir) + "-" + hex.EncodeToString(sum[:6])
}

// Close implements store.Store. A process that exits lets unfinished commits be finished first: the next one would have to
// begin again.
func (f *Folder) Close() error {
	<-f.recovered
	return f.root.Close()
}

// checkReachable fails unless the folder is still the one that was opened: an unmounted disk must not look like an
// empty vault.
func (f *Folder) checkReachable() error {
	now, err := os.Stat(f.dir)
	if err == nil && os.SameFile(now, f.self) {
		return nil
	}
	if err == nil {
		return fault.StoreUnavailable.Errorf("the vault's folder has been replaced since it was opened").
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
	if err := f.checkEnd(string(path)); err != nil {
		return store.Info{}, err
	}
	info, err := in.Lstat(path.Base())
	if err != nil {
		return store.Info{}, f.explain(path, err)
	}
	if info.IsDir() && deviceOf(info) == f.device {
		return store.Info{Path: path, Folder: true}, nil
	}
	if err := f.checkPlain(path, info); err != nil {
		return store.Info{}, err
	}
	return infoOf(path, info), nil
}

// ReadMany implements store.Store. Several processors read many small files faster than one.
func (f *Folder) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	all := make([]store.Outcome, len(paths))
	_ = f.waitUntilRecovered(ctx) // readInto reports that ctx has ended
	var crew sync.WaitGroup
	size := max(len(paths)/min(runtime.GOMAXPROCS(0), maxReaders)+1, fewFiles)
	for start := 0; start < len(paths); start += size {
		end := min(start+size, len(paths))
		crew.Go(func() { f.readInto(ctx, all[start:end], paths[start:end], limit) })
	}
	crew.Wait()
	return all
}

const (
	maxReaders = 4
	fewFiles   = 8 // are read by one reader
)

// readInto reads files one after the other. It opens a folder once for those of its files that follow each other.
func (f *Folder) readInto(ctx context.Context, all []store.Outcome, paths []vpath.Path, limit int64) {
	var in *os.Root
	var opened vpath.Path
	defer func() {
		if in != nil {
			in.Close()
		}
	}()
	for i, path := range paths {
		if all[i].Err = ctx.Err(); all[i].Err != nil {
			continue
		}
		if in == nil || path.Dir() != opened {
			if in != nil {
				in.Close()
			}
			opened = path.Dir()
			if in, all[i].Err = f.enter(opened); all[i].Err != nil {
				in = nil
				continue
			}
		}
		all[i].File, all[i].Err = f.read(in, path, path.Base(), limit)
	}
}

// Config implements store.Store.
func (f *Folder) Config(ctx context.Context, name string) (store.File, error) {
	if err := f.waitUntilRecovered(ctx); err != nil {
		return store.File{}, err
	}
	path := vpath.Path(configFolder).Join(vpath.Path(name))
	in, err := f.enter(path.Dir())
	if err != nil {
		return store.File{}, err
	}
	defer in.Close()
	return f.read(in, vpath.Path(name), path.Base(), 4<<20)
}

// configFolder is where Obsidian keeps a vault's settings.
const configFolder = ".obsidian"
