package livesync

import (
	"obsidian-mcp/internal/store/livesync/cache"
	"obsidian-mcp/internal/store/livesync/format"
)

// openCache opens the cache of contents, if the options ask for one. It is encrypted with the passphrase or, if there is
// none, with the database's password: anyone who knows it can read the contents in the database anyway.
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

func (s *Store) getCached(file *format.Meta) ([]byte, bool) {
	if s.diskCache == nil {
		return nil, false
	}
	return s.diskCache.Get(file.ID, file.Rev)
}

func (s *Store) putCached(file *format.Meta, data []byte) {
	if s.diskCache != nil {
		s.diskCache.Put(file.ID, file.Rev, data)
	}
}

// saveCache saves the contents of all current files for the next run.
func (s *Store) saveCache() {
	if s.diskCache == nil {
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
	err := s.diskCache.Save(func(yield func(id, rev string) bool) {
		for _, current := range revs {
			if !yield(current[0], current[1]) {
				return
			}
		}
	})
	if err != nil {
		s.log.Warn("the content cache cannot be saved", "error", err.Error())
	}
}

func (s *Store) closeCache() error {
	if s.diskCache == nil {
		return nil
	}
	s.saveCache()
	return s.diskCache.Close()
}
