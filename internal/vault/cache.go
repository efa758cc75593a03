package vault

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/index/cachefile"
)

// Cache names the file that keeps the index for the next start. The zero value
// keeps none.
type Cache struct {
	File  string
	Owner string // identifies the vault; a file with another owner is not used
}

// sink returns the destination of a new index: the cache file, or memory.
func (v *Vault) sink() index.Sink { return v.sinkTo(v.cache) }

func (v *Vault) sinkTo(cache Cache) index.Sink {
	if cache.File == "" {
		return new(index.Memory)
	}
	if cachefile.IsNewer(cache.File) {
		v.log.Warn("a newer version of obsidian-mcp has written the cache, which is left alone; this version works without", "file", cache.File)
		return new(index.Memory)
	}
	cache.sweep()
	writer, err := cachefile.Create(cache.File, cache.Owner)
	if err != nil {
		v.log.Warn("the index cannot be cached", "error", err.Error())
		return new(index.Memory)
	}
	return &fileSink{writer: writer, vault: v}
}

// sweep removes temporary files of killed processes.
func (c Cache) sweep() {
	cachefile.Sweep(c.File, func(info os.FileInfo) bool { return time.Since(info.ModTime()) > time.Hour })
}

// fileSink writes an index to a cache file and publishes the file in the
// background.
type fileSink struct {
	writer *cachefile.Writer
	vault  *Vault
}

// cacheError marks a failure of the cache, after which the index can still be built in memory.
type cacheError struct{ error }

func (e cacheError) Unwrap() error { return e.error }

func (s *fileSink) Add(parts ...[]byte) error {
	if err := s.writer.Add(parts...); err != nil {
		s.writer.Abort()
		return cacheError{err}
	}
	return nil
}

func (s *fileSink) Added() (sections [][]byte, keep any, err error) {
	file, err := s.writer.Added()
	if err != nil {
		return nil, nil, cacheError{err}
	}
	return file.Sections, file, nil
}

func (s *fileSink) Abort() { s.writer.Abort() }

func (s *fileSink) Commit() (sections [][]byte, keep any, err error) {
	file, err := s.writer.Commit()
	if err != nil {
		return nil, nil, cacheError{err}
	}
	s.vault.background.Go(func() {
		s.vault.caching.Lock() // a newer file waits for this one
		defer s.vault.caching.Unlock()
		if err := s.writer.Publish(); err != nil {
			s.vault.log.Warn("the index could not be cached", "error", err.Error())
		}
	})
	return file.Sections, file, nil
}

// fromCache loads a snapshot from the cache file and brings it up to date. It returns nil if there is no usable cache.
// Damaged or outdated entries are never served: the file was verified, now or earlier, and every file of the vault is
// compared with it.
func (v *Vault) fromCache(ctx context.Context) (*index.Snapshot, error) {
	if v.cache.File == "" {
		return nil, nil
	}
	defer saveMemory(gcWhileOpening)()
	v.cache.sweep()
	again, cached, err := v.openCache()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		v.log.Info("the cached index cannot be used and is rebuilt", "error", err.Error())
		return nil, nil
	}
	change, err := v.changesSince(ctx, cached)
	if err != nil {
		return nil, err
	}
	if again != nil && !v.verifyLater(ctx, again) {
		if err := again.Verify(); err != nil {
			v.log.Error("the cached index is damaged and is rebuilt", "error", err.Error())
			return nil, nil
		}
	}
	return cached.With(change), nil
}

// gcWhileOpening is the GC percentage until the first answer is ready. What opening takes is a few megabytes, and soon free.
const gcWhileOpening = 400

// openCache opens the index in the cache file, after verifying the whole file unless it was verified before and has not
// been touched since. It returns the file if it is still to be verified again.
func (v *Vault) openCache() (again *cachefile.File, cached *index.Snapshot, err error) {
	file, err := cachefile.Open(v.cache.File, v.cache.Owner)
	if err != nil {
		return nil, nil, err
	}
	if file.WasVerified() {
		again = file
	} else if err := file.Verify(); err != nil {
		return nil, nil, err
	}
	cached, err = index.Open(file.Sections, file)
	return again, cached, err
}

// verifyLater verifies a cache file while the index that came from it is already in use, in case the disk has failed
// since it was verified last. Edits wait for the result. If the file is damaged, the index is rebuilt and replaced.
// verifyLater does nothing, and returns false, if an edit has begun and waits for the index.
func (v *Vault) verifyLater(ctx context.Context, file *cachefile.File) bool {
	if !v.turns.all.TryAcquire(allNotes) {
		return false
	}
	v.background.Go(func() {
		defer v.turns.all.Release(allNotes)
		err := file.Verify()
		for err != nil && ctx.Err() == nil {
			v.log.Error("the cached index is damaged and is rebuilt", "error", err.Error())
			if err = v.replaceIndex(ctx); err != nil {
				pause(ctx, v.timing.retry)
			}
		}
	})
	return true
}

// replaceIndex builds the index from all files and publishes it in place of the present one.
func (v *Vault) replaceIndex(ctx context.Context) error {
	select {
	case <-v.complete:
	case <-ctx.Done():
		return ctx.Err()
	}
	fresh, err := v.fromFiles(ctx, nil)
	if err != nil {
		return err
	}
	if known := v.snapshot.Load().Len(); fresh.Len() == 0 && known > 0 {
		return allGone(known)
	}
	v.publishing.Lock()
	v.snapshot.Store(fresh)
	v.lastChange.Store(time.Now())
	v.publishing.Unlock()
	return v.rescan(ctx) // files may have changed while they were read
}

// Changes since the index was built are kept in an overlay, which costs memory and
// time. When it has at least largeOverlay files and the vault is quiet, the index is
// rebuilt from its own content.
const largeOverlay = 256

// isLarge reports whether an overlay is worth a rebuild. Rebuilding an index that
// stays in memory doubles its size for a while, so it waits for more changes.
func (v *Vault) isLarge(changed, files int) bool {
	share := 50
	if v.cache.File == "" {
		share = 5
	}
	return changed >= max(largeOverlay, files/share)
}

// rebuildPause is how long to wait after a failed rebuild: the disk may be full.
const rebuildPause = 10 * time.Minute

// consolidate merges the overlay into the index if the overlay is large, and the segments of the index if there are
// several. It waits until the vault is quiet.
func (v *Vault) consolidate(ctx context.Context) {
	if time.Since(v.LastChange()) < v.timing.quiet || !v.rebuilding.CompareAndSwap(false, true) {
		return
	}
	now := v.snapshot.Load()
	overlay := now.OverlaySize()
	if !v.isLarge(overlay, now.Len()) {
		if !v.isWorthMerging(now) {
			v.rebuilding.Store(false)
			return
		}
		v.background.Go(func() {
			defer v.rebuilding.Store(false)
			v.merge(ctx)
		})
		return
	}
	v.background.Go(func() {
		defer v.rebuilding.Store(false)
		started := time.Now()
		fresh, err := now.Rebuild(ctx, v.sink())
		if err != nil {
			if ctx.Err() == nil {
				v.log.Warn("the index could not be consolidated; trying again later", "error", err.Error())
				v.lastChange.Store(time.Now().Add(rebuildPause))
			}
			return
		}
		v.replaceBase(fresh, now)
		took := time.Since(started).Round(time.Millisecond)
		v.log.Info("index consolidated", "changes", overlay, "took", took.String())
	})
}

// replaceBase publishes a snapshot that has the same content as an earlier one, with the changes since.
func (v *Vault) replaceBase(fresh, earlier *index.Snapshot) {
	v.publishing.Lock()
	defer v.publishing.Unlock()
	current := v.snapshot.Load()
	next := fresh.With(current.Since(earlier))
	next.Adopt(current)
	v.snapshot.Store(next)
	v.background.Go(debug.FreeOSMemory) // frees the previous index
}

// isWorthMerging reports whether an index has several segments that can be merged. Those of an index that stays in memory were
// merged while it was built.
func (v *Vault) isWorthMerging(s *index.Snapshot) bool {
	return !s.IsPacked() && s.Segments() > fewSegments && !v.unmergeable.Load()
}

// fewSegments are not worth merging.
const fewSegments = 2

// merge puts the texts of an index into one segment, because every search asks every segment.
func (v *Vault) merge(ctx context.Context) {
	defer saveMemory(gcWhileMerging)()
	started := time.Now()
	now := v.snapshot.Load().Unchanged()
	merged, err := now.Merge(ctx, v.sink)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		v.log.Warn("the index could not be merged", "error", err.Error())
		v.unmergeable.Store(true)
	case merged == nil:
		v.unmergeable.Store(true)
	default:
		v.replaceBase(merged, now)
		v.log.Debug("index merged", "segments", now.Segments(), "took", time.Since(started).Round(time.Millisecond).String())
	}
}

// gcWhileMerging is the GC percentage while an index is merged.
const gcWhileMerging = 20
