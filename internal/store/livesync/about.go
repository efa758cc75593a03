package livesync

import (
	"context"
	"maps"
	"slices"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// About describes a database.
type About struct {
	Server, Database string
	Settings         format.Settings
	Remote           format.Remote
	Stated           bool // the settings come from the database's milestone, not from its documents
	Fresh            bool // it has never been used
	Access           couch.Access
	Writable         error // why it must not be written, or nil
	Files            int
	Conflicts        []vpath.Path
	Damaged          []Problem // files that cannot be read or have no usable path
}

// About examines the database.
func (s *Store) About(ctx context.Context) (About, error) {
	sess, err := s.connected(ctx)
	if err != nil {
		return About{}, err
	}
	about := About{
		Server: s.opt.Couch.URL, Database: s.opt.Couch.Database,
		Settings: sess.codec.Settings(), Remote: sess.remote, Stated: sess.remote.Stated, Fresh: sess.fresh,
	}
	if about.Access, err = s.couch.Access(ctx); err != nil {
		return about, databaseError(err)
	}
	_, _, about.Writable = s.mayWrite(ctx)
	if about.Writable == nil && about.Access.Writing() == couch.Refused {
		about.Writable = refusedAccount(s.opt.Couch.User)
	}
	files, err := s.ensureCatalogue(ctx)
	if err != nil {
		return about, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	about.Files = len(files.byPath)
	for path, entry := range files.byPath {
		if len(entry.conflicts) > 0 {
			about.Conflicts = append(about.Conflicts, path)
		}
		if entry.err != nil {
			about.Damaged = append(about.Damaged, Problem{Path: string(path), ID: entry.id, Kind: problemOf(entry.err), Err: entry.err})
		}
	}
	about.Conflicts = slices.AppendSeq(about.Conflicts, maps.Values(files.contested))
	for _, problem := range files.unserved {
		about.Damaged = append(about.Damaged, problem)
	}
	return about, nil
}
