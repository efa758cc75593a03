package vault

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/index/cachefile"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// Cache says where the index is kept for the next start. The zero value keeps
// it nowhere.
type Cache struct {
	File  string
	Owner string // what the file must be of: the vault
}

// sink is where a new index goes.
func (v *Vault) sink() index.Sink {
	if v.cache.File == "" {
		return new(index.Memory)
	}
	v.sweepCache()
	writer, err := cachefile.Create(v.cache.File, v.cache.Owner)
	if err != nil {
		v.log.Warn("the index cannot be kept in a cache", "error", err.Error())
		return new(index.Memory)
	}
	return &fileSink{Writer: writer, vault: v}
}

// sweepCache removes what processes left behind that were killed.
func (v *Vault) sweepCache() {
	cachefile.Sweep(v.cache.File, func(info os.FileInfo) bool { return time.Since(info.ModTime()) > time.Hour })
}

// fileSink is a cache file as a sink. Nobody waits for the disk.
type fileSink struct {
	*cachefile.Writer
	vault *Vault
}

// cacheError is a failure of the cache, not of the vault.
type cacheError struct{ error }

func (e cacheError) Unwrap() error { return e.error }

func (s *fileSink) Add(parts ...[]byte) error {
	if err := s.Writer.Add(parts...); err != nil {
		s.Abort()
		return cacheError{err}
	}
	return nil
}

func (s *fileSink) Commit() (sections [][]byte, keep any, err error) {
	file, err := s.Writer.Commit()
	if err != nil {
		return nil, nil, cacheError{err}
	}
	s.vault.quiet.Go(func() {
		if err := s.Publish(); err != nil {
			s.vault.log.Warn("the index could not be kept in a cache", "error", err.Error())
		}
	})
	return file.Sections, file, nil
}

// fromCache makes a snapshot of what the cache holds and brings it up to
// date; nil where there is none that can be used. While the file is read
// through, the vault's files are looked at: what is damaged is never served,
// nor what is old.
func (v *Vault) fromCache(ctx context.Context) (*index.Snapshot, error) {
	if v.cache.File == "" {
		return nil, nil
	}
	opened := make(chan *index.Snapshot, 1)
	v.sweepCache()
	file, err := cachefile.Open(v.cache.File, v.cache.Owner)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	go func() {
		var snapshot *index.Snapshot
		if err == nil {
			snapshot, err = checked(file)
		}
		if err != nil {
			v.log.Info("the index is built anew", "cache", err.Error())
		}
		opened <- snapshot
	}()
	files, scanErr := v.list(ctx)
	snapshot := <-opened
	if snapshot == nil || scanErr != nil {
		return nil, scanErr
	}
	change, err := v.compare(ctx, snapshot, files)
	if err != nil {
		return nil, err
	}
	return snapshot.With(change), nil
}

// checked opens the index in a cache file after all of it has been verified.
func checked(file *cachefile.File) (*index.Snapshot, error) {
	if err := file.Verify(); err != nil {
		return nil, err
	}
	return index.Open(file.Sections, file)
}

// listing is what can be seen of a vault without reading a file.
type listing struct {
	files   []store.Info
	folders []vpath.Path
	failed  []vpath.Path // are there, but could not be looked at
}

func (v *Vault) list(ctx context.Context) (listing, error) {
	var mu sync.Mutex // guards out
	var out listing
	err := v.store.Scan(ctx, func(store.Info) bool { return false }, func(found store.Found) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case found.Err != nil:
			out.failed = append(out.failed, found.Path)
		case found.Folder:
			out.folders = append(out.folders, found.Path)
		default:
			out.files = append(out.files, found.Info)
		}
	})
	return out, err
}

// fewChanges is how many files are read one by one; of more, all are scanned.
const fewChanges = 500

// compare finds out what has changed since a snapshot was kept.
func (v *Vault) compare(ctx context.Context, kept *index.Snapshot, seen listing) (index.Change, error) {
	var changed []store.Info
	same := 0
	for _, info := range seen.files {
		if kept.Marked(info.Path, info.Mark) {
			same++
		} else {
			changed = append(changed, info)
		}
	}
	folders := 0
	for _, folder := range seen.folders {
		if known, ok := kept.Folder(folder); ok && known == folder {
			folders++
		}
	}
	v.seen.Store(int64(same))
	if len(changed) > fewChanges || len(seen.failed) > 0 || folders != len(seen.folders) || folders != kept.FolderCount() {
		return v.changesSince(ctx, kept)
	}
	var change index.Change
	parser := v.parsers.Get().(*index.Parser)
	defer v.parsers.Put(parser)
	for _, info := range changed {
		if kept.Has(info.Path) {
			same++
		}
		entry, err := v.changedEntry(ctx, kept, parser, info, false)
		if err != nil {
			return v.changesSince(ctx, kept)
		}
		change.Updated = append(change.Updated, entry)
	}
	if same != kept.Len() { // some are gone
		return v.changesSince(ctx, kept)
	}
	return change, nil
}

// largeOverlay is how many changed files, and quietFor how long without a
// change, make it worth to build the index anew from what it holds: an overlay
// costs memory and time.
const largeOverlay = 256

// overlayed reports whether so many changed files are much. Building an index
// that stays in memory takes the same again for a while, so that waits longer.
func (v *Vault) overlayed(changed, files int) bool {
	share := 50
	if v.cache.File == "" {
		share = 5
	}
	return changed >= max(largeOverlay, files/share)
}

var quietFor = 5 * time.Second

// tryAgainAfter is how long a disk that was full is left alone.
const tryAgainAfter = 10 * time.Minute

// consolidate puts what changed since the index was built where the rest is,
// if it is much by now and nothing is going on.
func (v *Vault) consolidate(ctx context.Context) {
	now := v.snapshot.Load()
	overlay := now.OverlaySize()
	if !v.overlayed(overlay, now.Len()) || time.Since(v.changed.Load().(time.Time)) < quietFor || !v.rebuilding.CompareAndSwap(false, true) {
		return
	}
	v.quiet.Go(func() {
		defer v.rebuilding.Store(false)
		started := time.Now()
		fresh, err := now.Rebuild(ctx, v.sink())
		if err != nil {
			if ctx.Err() == nil {
				v.log.Warn("the index could not be consolidated, and is tried again in a while", "error", err.Error())
				v.changed.Store(time.Now().Add(tryAgainAfter))
			}
			return
		}
		v.changing.Lock()
		defer v.changing.Unlock()
		v.snapshot.Store(fresh.With(v.snapshot.Load().Since(now)))
		v.quiet.Go(debug.FreeOSMemory) // the one before is not needed any more
		v.log.Info("index consolidated", "changes", overlay, "took", time.Since(started).Round(time.Millisecond).String())
	})
}
