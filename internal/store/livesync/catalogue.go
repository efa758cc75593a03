package livesync

import (
	"iter"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// The ids between which chunks are, and those of documents that are no files
// of the vault.
const (
	firstChunk  = "h:"
	afterChunks = "h;"
)

// entry is a file as the database has it.
type entry struct {
	path         vpath.Path
	id, rev      string
	size         int64
	mtime, ctime int64
	conflicts    []string

	err   error         // why it could not be read when that was last tried
	again time.Time     // when to try again
	told  time.Time     // until when those who watch know of it
	pause time.Duration // between the last attempts
}

func (e *entry) info() store.Info {
	return store.Info{
		Path: e.path, Size: e.size, Modified: time.UnixMilli(e.mtime), Created: time.UnixMilli(e.ctime),
		Mark: e.rev, Conflicts: revisions(e.conflicts),
	}
}

func revisions(revs []string) []store.Rev {
	var all []store.Rev
	for _, rev := range revs {
		all = append(all, store.Rev(rev))
	}
	return all
}

// catalogue knows all files of the vault.
type catalogue struct {
	byPath   map[vpath.Path]*entry
	byID     map[string]*entry
	folders  map[vpath.Path]int    // how many files are below each
	spelled  map[vpath.Key]spelled // how each folder is written
	trashed  map[string]string     // paths of the files in the trash, by id
	hidden   map[string]string     // revisions of Obsidian's own files, by id
	nameless map[string]Problem    // documents of files whose path cannot be told, by id
	damaged  map[*entry]bool       // files that could not be read
	emptied  bool                  // a folder lost its last file, which no path tells
}

type spelled struct {
	path  vpath.Path
	files int
}

func newCatalogue() *catalogue {
	return &catalogue{
		byPath: map[vpath.Path]*entry{}, byID: map[string]*entry{}, folders: map[vpath.Path]int{}, spelled: map[vpath.Key]spelled{},
		trashed: map[string]string{}, hidden: map[string]string{}, nameless: map[string]Problem{}, damaged: map[*entry]bool{},
	}
}

// seen is a document as the catalogue takes it.
type seen struct {
	id, rev string
	kind    format.Kind
	deleted bool
	file    *format.Meta // nil: it could not be read
	path    vpath.Path
	foreign bool // its id is not that of its path, so devices ignore it
	err     error
}

// look reads a document of the database as far as the catalogue needs it.
func (s *session) look(document *couch.Document) seen {
	read, err := s.codec.Decode(document.Body)
	one := seen{id: document.ID, rev: document.Rev, kind: read.Kind, deleted: read.Deleted, file: read.File, err: err}
	if err == nil && read.File == nil && read.Kind == format.Note {
		one.deleted = true // nothing of it is left
	}
	if one.kind != format.Note || one.deleted {
		return one
	}
	if one.file != nil && one.file.Path != "" && !format.InTrash(one.file.Path) {
		path, refused := vpath.Parse(one.file.Path)
		one.path = path
		if err == nil && refused != nil {
			one.err = fault.InvalidArgument.Errorf("its path cannot be served: %w", refused)
		} else if err == nil {
			one.foreign = s.codec.CheckID(one.file) != nil
		}
	}
	return one
}

// put takes a document in, in place of what was known of it, and gives the
// paths that are not what they were.
func (c *catalogue) put(one seen) []vpath.Path {
	switch one.kind {
	case format.Hidden:
		c.hidden[one.id] = one.rev
		if one.deleted {
			delete(c.hidden, one.id)
		}
		return nil
	case format.Note:
	default:
		return nil
	}
	if old := c.byID[one.id]; old != nil && old.rev == one.rev && !one.deleted && old.path == one.path {
		if one.file != nil {
			old.conflicts = one.file.Conflicts
		}
		return nil
	}
	if known := c.byID[one.id]; known != nil && one.path == "" && one.err != nil && !one.deleted {
		one.path = known.path // what cannot be read now is there all the same
	}
	changed := c.remove(one.id)
	defer func() {
		for _, path := range changed {
			c.emptied = c.emptied || path.Dir() != "" && c.folders[path.Dir()] == 0
		}
	}()
	switch {
	case one.deleted:
	case one.file != nil && format.InTrash(one.file.Path):
		c.trashed[one.id] = one.file.Path
	case one.path == "":
		c.nameless[one.id] = Problem{ID: one.id, Path: pathOf(one.file), Kind: problemOf(one.err), Err: one.err}
	default:
		changed = append(changed, c.add(one)...)
	}
	return changed
}

func pathOf(file *format.Meta) string {
	if file == nil {
		return ""
	}
	return file.Path
}

// add takes in a file. Of two documents that claim one path, the one counts
// that has the path's own id, as devices see it.
func (c *catalogue) add(one seen) []vpath.Path {
	if other := c.byPath[one.path]; other != nil {
		ignored := other.id
		if one.foreign {
			ignored = one.id
		}
		c.remove(ignored)
		c.nameless[ignored] = Problem{ID: ignored, Path: string(one.path), Kind: WrongID, Err: errWrongID}
		if one.foreign {
			return nil
		}
	}
	made := &entry{path: one.path, id: one.id, rev: one.rev, err: one.err}
	if file := one.file; file != nil {
		made.size, made.mtime, made.ctime, made.conflicts = file.Size, file.MTime, file.CTime, file.Conflicts
	}
	c.byPath[made.path], c.byID[made.id] = made, made
	c.count(made.path, 1)
	return []vpath.Path{made.path}
}

// remove forgets a document, and gives the path of its file.
func (c *catalogue) remove(id string) []vpath.Path {
	delete(c.nameless, id)
	delete(c.trashed, id)
	old := c.byID[id]
	if old == nil {
		return nil
	}
	delete(c.byID, id)
	delete(c.byPath, old.path)
	delete(c.damaged, old)
	c.count(old.path, -1)
	return []vpath.Path{old.path}
}

// count keeps the folders above a file.
func (c *catalogue) count(path vpath.Path, by int) {
	for dir := path.Dir(); dir != ""; dir = dir.Dir() {
		if c.folders[dir] += by; c.folders[dir] == 0 {
			delete(c.folders, dir)
		}
		key := dir.Key()
		known := c.spelled[key]
		if known.files += by; known.files == 0 {
			delete(c.spelled, key)
			continue
		}
		if known.path == "" || c.folders[known.path] == 0 {
			known.path = dir
		}
		c.spelled[key] = known
	}
}

// id is the id of the document of a path.
func (c *catalogue) id(codec *format.Codec, path vpath.Path) string {
	if c != nil {
		if known := c.byPath[path]; known != nil {
			return known.id
		}
	}
	return codec.ID(string(path))
}

// place refuses a path for a new file where a file or folder is in the way, or
// where a folder is spelt with other letters than in the database: devices
// refuse such files.
func (c *catalogue) place(path vpath.Path, caseSensitive bool) error {
	if c.folders[path] > 0 {
		return fault.PermissionDenied.Errorf("%q is a folder", string(path))
	}
	for dir := path.Dir(); dir != ""; dir = dir.Dir() {
		if c.byPath[dir] != nil {
			return fault.PermissionDenied.Errorf("%q is a file, not a folder", string(dir))
		}
		known, ok := c.spelled[dir.Key()]
		if ok && c.folders[dir] == 0 && !caseSensitive {
			return fault.InvalidArgument.Errorf("the folder %q is spelt %q in this vault, and devices refuse two spellings", string(dir), string(known.path)).
				WithHint("use %s/", known.path)
		}
	}
	return nil
}

// freeTrash is a path in the trash that is not taken.
func (c *catalogue) freeTrash(codec *format.Codec, path vpath.Path, taken map[string]bool) string {
	for n := 1; ; n++ {
		place := trashPath(path, n)
		if id := codec.ID(inDatabase(place)); c.trashed[id] == "" && !taken[id] {
			return place
		}
	}
}

// current lists the revisions of all files.
func (c *catalogue) current() iter.Seq2[string, string] {
	return func(yield func(id, rev string) bool) {
		for _, one := range c.byID {
			if !yield(one.id, one.rev) {
				return
			}
		}
	}
}

// shownTrash is what callers know the trash as, whatever it is called in the
// database.
const shownTrash = ".trash"

// inDatabase is the path in the database of a place in the trash.
func inDatabase(place string) string {
	return format.NormalPath(format.TrashFolder + strings.TrimPrefix(place, shownTrash))
}

// trashPath is the n-th place in the trash for a path. The number must not
// make the name longer than names may be.
func trashPath(path vpath.Path, n int) string {
	place := shownTrash + "/" + string(path)
	if n == 1 {
		return place
	}
	ext := path.Base()[len(path.Base())-len(path.Ext()):]
	number := " " + strconv.Itoa(n)
	stem := strings.TrimSuffix(place, ext)
	if over := len(path.Base()) + len(number) - vpath.MaxComponent; over > 0 {
		stem = strings.ToValidUTF8(stem[:len(stem)-over], "")
	}
	return stem + number + ext
}
