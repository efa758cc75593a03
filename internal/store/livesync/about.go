package livesync

import (
	"context"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// About is what a database is like.
type About struct {
	Server, Database string
	Settings         format.Settings
	Stated           bool // the settings are from the database's milestone, and not from its documents
	Fresh            bool // nothing has been written to it yet
	Access           couch.Access
	Writable         error // why nothing may be written
	Files            int
	Conflicts        []vpath.Path
	Damaged          []Problem // files that cannot even be named, or read
}

// About looks at the database.
func (s *Store) About(ctx context.Context) (About, error) {
	now, err := s.connected(ctx)
	if err != nil {
		return About{}, err
	}
	about := About{
		Server: s.opt.Couch.URL, Database: s.opt.Couch.Database,
		Settings: now.codec.Settings(), Stated: now.remote.Stated, Fresh: now.fresh,
	}
	if about.Access, err = s.couch.Access(ctx); err != nil {
		return about, lost(err)
	}
	_, _, about.Writable = s.mayWrite(ctx)
	if about.Writable == nil && about.Access.Writing() == couch.Refused {
		about.Writable = refusedAccount(s.opt.Couch.User)
	}
	files, err := s.known(ctx)
	if err != nil {
		return about, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	about.Files = len(files.byPath)
	for path, one := range files.byPath {
		if len(one.conflicts) > 0 {
			about.Conflicts = append(about.Conflicts, path)
		}
		if one.err != nil {
			about.Damaged = append(about.Damaged, Problem{Path: string(path), ID: one.id, Kind: problemOf(one.err), Err: one.err})
		}
	}
	for _, problem := range files.nameless {
		about.Damaged = append(about.Damaged, problem)
	}
	return about, nil
}
