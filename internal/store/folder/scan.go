package folder

import (
	"context"
	"errors"
	"io/fs"
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
	handle
	path  vpath.Path
	users atomic.Int32
}

func (o *openFolder) done() {
	if o.users.Add(-1) == 0 {
		o.close()
	}
}

// dirEntry is a name in a folder.
type dirEntry struct {
	name string
	kind fs.FileMode // only the type
}

// Scan implements store.Store.
func (f *Folder) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	return f.scan(ctx, nil, want, visit)
}

// ScanUnknown implements store.Comparer.
func (f *Folder) ScanUnknown(
	ctx context.Context, known store.Known, want func(store.Info) bool, visit func(store.Found),
) error {
	return f.scan(ctx, known, want, visit)
}

// scan visits the files that are not known; if known is nil, all. One goroutine lists folders, the others visit their files.
func (f *Folder) scan(
	ctx context.Context, known store.Known, want func(store.Info) bool, visit func(store.Found),
) error {
	if err := f.waitUntilRecovered(ctx); err != nil {
		return err
	}
	if err := f.checkReachable(); err != nil {
		return err
	}
	walk := walker{vault: f, visit: visit}
	visits := visits{vault: f, want: want, visit: visit}
	walk.sweepHidden()
	group, inner := errgroup.WithContext(ctx)
	batches := make(chan batch, 64)
	group.Go(func() error {
		defer close(batches)
		walk.ctx, walk.batches = inner, batches
		return walk.folder(nil, "", 0)
	})
	for range max(2, runtime.GOMAXPROCS(0)) {
		group.Go(func() error {
			visitor := visitor{visits: visits}
			if known != nil {
				visitor.known = known()
			}
			for batch := range batches {
				visitor.batch(inner, batch)
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

// folder lists one folder and those below it; above is the folder that it is in. A folder that cannot be listed is visited
// with the error; if it is the vault's own folder, the scan fails.
func (w *walker) folder(above *openFolder, path vpath.Path, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	open, entries, err := w.list(above, path)
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
		if entry.name[0] == '.' {
			w.sweepIn(path, entry.name)
			continue
		}
		if entry.kind.IsDir() {
			if child, err := vpath.Parse(string(path.Join(vpath.Path(entry.name)))); err == nil && depth < vpath.MaxDepth {
				folders = append(folders, child)
			}
			continue
		}
		if entry.kind.IsRegular() || entry.kind&fs.ModeIrregular != 0 {
			names = append(names, entry.name)
		}
		if len(names) == batchSize {
			w.hand(open, names)
			names = nil
		}
	}
	w.hand(open, names)
	for _, child := range folders {
		if err := w.folder(open, child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) list(above *openFolder, path vpath.Path) (*openFolder, []dirEntry, error) {
	handle, err := w.enter(above, path)
	if err != nil {
		return nil, nil, err
	}
	entries, err := handle.entries(filepath.Join(w.vault.dir, filepath.FromSlash(string(path))))
	if err != nil {
		handle.close()
		return nil, nil, w.vault.explain(path, err)
	}
	return &openFolder{handle: handle, path: path}, entries, nil
}

func (w *walker) enter(above *openFolder, path vpath.Path) (handle, error) {
	if above == nil {
		return w.vault.openTop()
	}
	return w.vault.openBelow(above.handle, path)
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

// visits is what a scan was asked to do with files.
type visits struct {
	vault *Folder
	want  func(store.Info) bool
	visit func(store.Found)
}

// visitor visits files on one goroutine.
type visitor struct {
	visits
	known      func(path, mark []byte) bool // nil: no file is
	path, mark []byte
	content    []byte
}

func (v *visitor) batch(ctx context.Context, batch batch) {
	defer batch.in.done()
	for _, name := range batch.names {
		if ctx.Err() != nil {
			return
		}
		v.path = append(v.path[:0], batch.in.path...)
		if len(v.path) > 0 {
			v.path = append(v.path, '/')
		}
		v.path = append(v.path, name...)
		v.file(batch.in, name)
	}
}

// file visits one file, with its content if that is wanted.
func (v *visitor) file(in *openFolder, name string) {
	if v.known == nil && v.readAtOnce(in, name) {
		return
	}
	state, err := in.stat(name)
	if err == nil && !state.isPlain(v.vault) {
		return // a symbolic link, or another kind of file
	}
	if err == nil {
		if v.mark = state.appendMark(v.mark[:0]); v.known != nil && v.known(v.path, v.mark) {
			return
		}
	}
	path, unusable := vpath.Parse(string(v.path))
	switch {
	case unusable != nil || errors.Is(err, fs.ErrNotExist):
		return // tools cannot address such a name, or the file is gone
	case err != nil:
		v.visit(store.Found{Info: store.Info{Path: path}, Err: v.vault.explain(path, err)})
		return
	}
	found := store.Found{Info: state.info(path)}
	if found.Size <= store.MaxScan && v.want(found.Info) {
		data, read, err := v.vault.readIn(in.handle, path, name, v.content)
		if err != nil {
			found.Err = v.vault.explain(path, err)
		} else {
			found.Info, found.Data, v.content = read, data, data
		}
	}
	v.visit(found)
}

// readAtOnce visits a file whose content is wanted without looking at it first, and reports whether it could be read.
func (v *visitor) readAtOnce(in *openFolder, name string) bool {
	path, unusable := vpath.Parse(string(v.path))
	if unusable != nil || !v.want(store.Info{Path: path}) {
		return false
	}
	data, read, err := v.vault.readIn(in.handle, path, name, v.content)
	if err != nil {
		return false
	}
	v.content = data
	v.visit(store.Found{Info: read, Data: data})
	return true
}
