package livesync

import (
	"slices"

	"obsidian-mcp/internal/store/livesync/cache"
	"obsidian-mcp/internal/store/livesync/format"
)

// openCache opens what was kept by an earlier process, if anything is to be
// kept. It is sealed with the passphrase; whoever knows the password of a
// database without one can read it there.
func openCache(o Options) (*cache.Cache, error) {
	secret := string(o.Passphrase)
	if secret == "" {
		secret = o.Couch.Password.Reveal()
	}
	if o.Cache == "" || secret == "" {
		return nil, nil
	}
	return cache.Open(cache.Options{File: o.Cache, Secret: secret, Owner: o.Couch.URL + " " + o.Couch.Database, Log: o.Log})
}

func (s *Store) cached(file *format.Meta) ([]byte, bool) {
	if s.kept == nil {
		return nil, false
	}
	return s.kept.Get(file.ID, file.Rev)
}

func (s *Store) keep(file *format.Meta, data []byte) {
	if s.kept != nil {
		s.kept.Put(file.ID, file.Rev, data)
	}
}

// saveCache writes what is known down for the next start.
func (s *Store) saveCache() {
	if s.kept == nil {
		return
	}
	s.mu.Lock()
	files := s.files
	var revs [][2]string
	if files != nil {
		for id, rev := range files.current() {
			revs = append(revs, [2]string{id, rev})
		}
	}
	s.mu.Unlock()
	if files == nil {
		return
	}
	err := s.kept.Save(func(yield func(id, rev string) bool) {
		for one := range slices.Values(revs) {
			if !yield(one[0], one[1]) {
				return
			}
		}
	})
	if err != nil {
		s.log.Warn("contents cannot be kept for the next start", "error", err.Error())
	}
}

func (s *Store) closeCache() error {
	if s.kept == nil {
		return nil
	}
	s.saveCache()
	return s.kept.Close()
}
