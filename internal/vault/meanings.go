package vault

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/index/cachefile"
	"obsidian-mcp/internal/index/vector"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/text/meaning"
)

// meanings are the vectors of the notes. They are made in the background once the index is complete, and kept in a file beside
// its cache.
type meanings struct {
	store    *vector.Store // nil: notes are found by their words only
	cache    Cache
	open     chan struct{} // closed when the file has been read
	isRemote bool          // known when open is closed
	failure  atomic.Value  // of the model, at the last attempt: a buildFailure
	many     bool          // were made since memory was given back last; only for keepMeanings
}

const (
	// readAtOnce is how many bytes of notes without vectors a call reads itself. With more, it uses the vectors that exist.
	readAtOnce = 256 << 10
	// readInRow is how many bytes the background reads before it looks for new notes and saves; readInRowRemotely the same for a
	// model whose work is too dear to lose, and readInRowInRAM for vectors that stay in memory. Saving moves these out of the heap.
	readInRow         = 4 << 20
	readInRowRemotely = 256 << 10
	readInRowInRAM    = 1 << 20
	// leastUnsaved is how many bytes of vectors are worth saving.
	leastUnsaved = 64 << 10
	// gcWhileReading is the GC percentage while many vectors are made. The index, which is in memory too, is much larger.
	gcWhileReading = 20
	// longestRest is the longest pause after a failure of the model.
	longestRest = 5 * time.Minute
)

// openMeanings begins to make the vectors of all notes.
func (v *Vault) openMeanings(ctx context.Context, model meaning.Model) {
	if model == nil {
		return
	}
	m := &v.meanings
	m.store, m.open = vector.NewStore(model), make(chan struct{})
	if v.cache.File != "" {
		m.cache = Cache{File: v.cache.File + ".vectors", Owner: model.Name() + " " + v.cache.Owner}
	}
	v.background.Go(func() {
		v.readMeanings()
		m.isRemote = model.Traits().IsRemote
		close(m.open)
		select {
		case <-v.complete:
		case <-ctx.Done():
			return
		}
		v.keepMeanings(ctx)
		if unsaved, _ := m.store.Unsaved(); m.isRemote && unsaved > 0 && m.cache.File != "" {
			v.saveMeanings(v.snapshot.Load().Meanings(m.store))
		}
	})
}

// keepMeanings makes vectors whenever some are missing. After a failure of the model it waits longer and longer.
func (v *Vault) keepMeanings(ctx context.Context) {
	rest := v.timing.retry
	for ctx.Err() == nil {
		more, err := v.makeMeanings(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			if v.MeaningFailure() == nil {
				v.log.Warn("the model for search by meaning cannot be used; notes are found by their words", "error", err.Error())
			}
			v.meanings.failure.Store(buildFailure{err})
			pause(ctx, rest)
			rest = min(2*rest, longestRest)
			continue
		case v.MeaningFailure() != nil:
			if more {
				v.log.Info("the model for search by meaning can be used again")
			}
			v.meanings.failure.Store(buildFailure{})
		}
		rest = v.timing.retry
		if more {
			continue
		}
		if v.meanings.many {
			v.meanings.many = false
			giveBack() // making them took more memory than they do
		}
		pause(ctx, v.timing.quiet)
	}
}

// MeaningFailure is why the vectors that are missing cannot be made, or nil.
func (v *Vault) MeaningFailure() error {
	failure, _ := v.meanings.failure.Load().(buildFailure)
	return failure.err
}

// MeaningFailure is why the vectors that are missing cannot be made, or nil.
func (w *View) MeaningFailure() error { return w.vault.MeaningFailure() }

// readMeanings uses the vectors of the file, if it is whole.
func (v *Vault) readMeanings() {
	cache := v.meanings.cache
	if cache.File == "" {
		return
	}
	file, err := cachefile.Open(cache.File, cache.Owner)
	if err == nil && !file.WasVerified() {
		err = file.Verify()
	}
	if err == nil {
		err = v.meanings.store.Open(file.Sections, file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		v.log.Info("the cached vectors cannot be used and are made again", "error", err.Error())
	}
}

// makeMeanings makes some of the vectors that are missing, and saves them now and then. It reports whether there is more to do.
func (v *Vault) makeMeanings(ctx context.Context) (more bool, err error) {
	store := v.meanings.store
	m := v.snapshot.Load().Meanings(store)
	more = m.Covered() < m.Notes
	stays := v.meanings.cache.File == ""
	inRow := readInRow
	switch {
	case v.meanings.isRemote:
		inRow = readInRowRemotely
	case stays:
		inRow = readInRowInRAM
	}
	if more {
		v.meanings.many = v.meanings.many || m.Unread() > inRow
		restore := saveMemory(gcWhileReading)
		err = m.Read(ctx, inRow)
		restore()
		if stays && v.meanings.many {
			system.UnloadProgram()
		}
	}
	unsaved, size := store.Unsaved()
	worth := leastUnsaved + size/16
	switch {
	case !more || err != nil:
	case stays:
		worth = leastUnsaved
	default:
		worth = max(2*inRow, size/2)
	}
	if unsaved < worth || ctx.Err() != nil {
		return more, err
	}
	if !v.saveMeanings(m) {
		pause(ctx, rebuildPause)
	}
	return more, err
}

// saveMeanings saves the vectors of the notes.
func (v *Vault) saveMeanings(m *index.Meanings) bool {
	began := time.Now()
	keys, sink := m.Keys(), v.sinkTo(v.meanings.cache)
	save := v.meanings.store.Save
	if isInMemory(sink) && v.meanings.store.IsCompact(keys) {
		save = v.meanings.store.SaveAdded
	}
	if err := save(keys, sink); err != nil {
		v.log.Warn("the vectors of the notes could not be saved", "error", err.Error())
		return false
	}
	v.log.Debug("vectors saved", "notes", m.Covered(), "of", m.Notes, "took", time.Since(began).Round(time.Millisecond).String())
	return true
}

// Meanings returns the vectors of a snapshot's notes, or nil if notes are found by their words only. It makes those that are
// missing if they are few and the program makes them itself.
func (w *View) Meanings(ctx context.Context, s *index.Snapshot) *index.Meanings {
	all := &w.vault.meanings
	if all.store == nil {
		return nil
	}
	select {
	case <-all.open:
	case <-ctx.Done():
		return nil
	}
	m := s.Meanings(all.store)
	if m.Covered() < m.Notes && m.Unread() <= readAtOnce && !all.isRemote {
		if m.Read(ctx, readAtOnce) == nil {
			m = s.Meanings(all.store)
		}
	}
	return m
}
