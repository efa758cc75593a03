package vault

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/index/cachefile"
	"obsidian-mcp/internal/index/vector"
	"obsidian-mcp/internal/text/meaning"
)

// meanings are the vectors of the notes. They are made in the background once the index is complete, and kept in a file beside
// its cache.
type meanings struct {
	store *vector.Store // nil: notes are found by their words only
	cache Cache
	open  chan struct{} // closed when the file has been read
}

const (
	// readAtOnce is how many bytes of notes without vectors a call reads itself. With more, it uses the vectors that exist.
	readAtOnce = 256 << 10
	// readInRow is how many bytes the background reads before it looks for new notes and saves.
	readInRow = 4 << 20
	// leastUnsaved is how many bytes of vectors are worth saving.
	leastUnsaved = 64 << 10
)

// openMeanings begins to make the vectors of all notes.
func (v *Vault) openMeanings(ctx context.Context, words *meaning.Table) {
	if words == nil {
		return
	}
	v.meanings = meanings{store: vector.NewStore(words), open: make(chan struct{})}
	if v.cache.File != "" {
		v.meanings.cache = Cache{File: v.cache.File + ".vectors", Owner: words.Name + " " + v.cache.Owner}
	}
	v.background.Go(func() {
		v.readMeanings()
		close(v.meanings.open)
		select {
		case <-v.ready:
		case <-ctx.Done():
			return
		}
		for ctx.Err() == nil {
			if !v.makeMeanings(ctx) {
				pause(ctx, v.timing.quiet)
			}
		}
	})
}

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
func (v *Vault) makeMeanings(ctx context.Context) bool {
	s, store := v.snapshot.Load(), v.meanings.store
	m := s.Meanings(store)
	isMissing := m.Covered() < m.Notes
	if isMissing {
		m.Read(ctx, readInRow)
	}
	unsaved, size := store.Unsaved()
	if share := size / 2; isMissing && unsaved < max(2*readInRow, share) || unsaved < leastUnsaved+size/16 || ctx.Err() != nil {
		return isMissing
	}
	began := time.Now()
	if err := store.Save(m.Keys(), v.sinkTo(v.meanings.cache)); err != nil {
		v.log.Warn("the vectors of the notes could not be saved", "error", err.Error())
		pause(ctx, rebuildPause)
		return isMissing
	}
	v.log.Debug("vectors saved", "notes", m.Covered(), "of", m.Notes, "took", time.Since(began).Round(time.Millisecond).String())
	return isMissing
}

// Meanings returns the vectors of a snapshot's notes, or nil if notes are found by their words only. It makes those that are
// missing if they are few.
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
	if m.Covered() < m.Notes && m.Unread() <= readAtOnce {
		m.Read(ctx, readAtOnce)
		m = s.Meanings(all.store)
	}
	return m
}
