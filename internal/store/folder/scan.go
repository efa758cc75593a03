package folder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// batchSize is how many files of one folder a worker takes at a time.
const batchSize = 64

// batch is some files of one folder.
type batch struct {
	in    *openFolder
	names []string
}

// openFolder closes itself when the last of its batches is done.
type openFolder struct {
	root  *os.Root
	dir   *os.File // the same folder
	path  vpath.Path
	users atomic.Int32
}

func (o *openFolder) done() {
	if o.users.Add(-1) == 0 {
		o.dir.Close()
		o.root.Close()
	}
}

// Scan implements store.Store. One goroutine lists folders, the others visit their files.
func (f *Folder) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	if err := f.waitUntilRecovered(ctx); err != nil {
		return err
	}
	if err := f.checkReachable(); err != nil {
		return err
	}
	walk := walker{vault: f, visit: visit}
	walk.sweepHidden()
	group, inner := errgroup.WithContext(ctx)
	batches := make(chan batch, 64)
	group.Go(func() error {
		defer close(batches)
		walk.ctx, walk.batches = inner, batches
		return walk.folder("", 0)
	})
	for range max(2, runtime.GOMAXPROCS(0)) {
		group.Go(func() error {
			var buffer []byte
			for batch := range batches {
				buffer = f.visitBatch(inner, batch, want, visit, buffer)
			}
			return inner.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	f.sweepLeftovers(ctx, walk.leftovers)
	return f.checkReachable()
}

// walker lists the folders of the vault.
type walker struct {
	vault     *Folder
	ctx       context.Context
	batches   chan<- batch
	visit     func(store.Found)
	leftovers []string // temporary files of processes that share our lock
}

// folder lists one folder and those below it. A folder that cannot be listed is visited with the error; if it is the
// vault's own folder, the scan fails.
func (w *walker) folder(path vpath.Path, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	open, entries, err := w.list(path)
	if err != nil {
		if path == "" {
			return err
		}
		w.visit(store.Found{Info: store.Info{Path: path, Folder: true}, Err: err})
		return nil
	}
	open.users.Add(1)
	defer open.done()
	if path != "" {
		w.visit(store.Found{Info: store.Info{Path: path, Folder: true}})
	}
	var names []string
	var folders []vpath.Path
	for _, entry := range entries {
		name := entry.Name()
		if name[0] == '.' {
			w.sweep(open.root, name, string(path))
			continue
		}
		if entry.IsDir() {
			if child, err := vpath.Parse(string(path.Join(vpath.Path(name)))); err == nil && depth < vpath.MaxDepth {
				folders = append(folders, child)
			}
			continue
		}
		if entry.Type().IsRegular() || entry.Type()&fs.ModeIrregular != 0 {
			names = append(names, name)
		}
		if len(names) == batchSize {
			w.hand(open, names)
			names = nil
		}
	}
	w.hand(open, names)
	for _, child := range folders {
		if err := w.folder(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) list(path vpath.Path) (*openFolder, []os.DirEntry, error) {
	root, err := w.vault.enter(path)
	if err != nil {
		return nil, nil, err
	}
	dir, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, nil, w.vault.explain(path, err)
	}
	entries, err := readDir(dir, filepath.Join(w.vault.dir, filepath.FromSlash(string(path))))
	if err != nil {
		dir.Close()
		root.Close()
		return nil, nil, w.vault.explain(path, err)
	}
	return &openFolder{root: root, dir: dir, path: path}, entries, nil
}

func (w *walker) hand(open *openFolder, names []string) {
	if len(names) == 0 {
		return
	}
	open.users.Add(1)
	select {
	case w.batches <- batch{in: open, names: names}:
	case <-w.ctx.Done():
		open.done()
	}
}

func (f *Folder) visitBatch(
	ctx context.Context, batch batch, want func(store.Info) bool, visit func(store.Found), buffer []byte,
) []byte {
	defer batch.in.done()
	for _, name := range batch.names {
		if ctx.Err() != nil {
			return buffer
		}
		path, err := vpath.Parse(string(batch.in.path.Join(vpath.Path(name))))
		if err != nil {
			continue // tools cannot address such a name
		}
		buffer = f.visitFile(batch.in, path, name, want, visit, buffer)
	}
	return buffer
}

// visitFile visits one file, with its content if that is wanted.
func (f *Folder) visitFile(
	in *openFolder, path vpath.Path, name string, want func(store.Info) bool, visit func(store.Found), buffer []byte,
) []byte {
	info, ok, err := in.stat(f, path, name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			visit(store.Found{Info: store.Info{Path: path}, Err: f.explain(path, err)})
		}
		return buffer
	}
	if !ok {
		return buffer // a symbolic link, or another kind of file
	}
	found := store.Found{Info: info}
	if found.Size <= store.MaxScan && want(found.Info) {
		data, read, err := in.read(f, path, name, buffer)
		if err != nil {
			found.Err = f.explain(path, err)
		} else {
			found.Info, found.Data, buffer = read, data, data
		}
	}
	visit(found)
	return buffer
}
