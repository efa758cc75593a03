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

// The range of the ids of chunks.
const (
	firstChunk  = "h:"
	afterChunks = "h;"
)

// entry is a file in the database.
type entry struct {
	path         vpath.Path
	id, rev      string
	size         int64
	mtime, ctime int64
	conflicts    []string
	err          error // why the last attempt to read it failed, or nil
}

// attempts are the attempts to read a file that cannot be read.
type attempts struct {
	next       time.Time     // when to try again
	quietUntil time.Time     // when to notify watchers again
	pause      time.Duration // between the last two
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

// catalogue lists all files of the vault.
type catalogue struct {
	byPath     map[vpath.Path]*entry
	byID       map[string]*entry
	folders    map[vpath.Path]int     // number of files below each folder
	spellings  map[vpath.Key]spelling // spelling of each folder
	trashed    map[string]string      // paths of the files in the trash, by id
	hidden     map[string]string      // revisions of Obsidian's own files, by id
	unserved   map[string]Problem     // file documents that have no usable path, by id
	unreadable map[*entry]*attempts   // files whose last read failed
	deleted    map[string]string      // revisions of the documents of deleted files, by id
	contested  map[string]vpath.Path  // deleted files that still exist in another branch, by id
	longest    map[string]int         // length of the longest branch of each document that the feed has reported, by id
	emptied    bool                   // a folder lost its last file, which no changed path shows
}

type spelling struct {
	path  vpath.Path
	files int
}

func newCatalogue() *catalogue {
	return &catalogue{
		byPath: map[vpath.Path]*entry{}, byID: map[string]*entry{},
		folders: map[vpath.Path]int{}, spellings: map[vpath.Key]spelling{},
		trashed: map[string]string{}, hidden: map[string]string{},
		unserved: map[string]Problem{}, unreadable: map[*entry]*attempts{}, deleted: map[string]string{},
		contested: map[string]vpath.Path{}, longest: map[string]int{},
	}
}

// docInfo is what the catalogue needs to know about a document.
type docInfo struct {
	id, rev string
	longest int // length of its longest branch, if the feed reported it; else 0
	kind    format.Kind
	deleted bool
	file    *format.Meta // nil if it could not be read
	path    vpath.Path
	foreign bool // its id does not match its path, so devices ignore it
	err     error
}

// inspect reads a document as far as the catalogue needs it.
func (s *session) inspect(document *couch.Document) docInfo {
	read, err := s.codec.Decode(document.Body)
	doc := docInfo{id: document.ID, rev: document.Rev, kind: read.Kind, deleted: read.Deleted, file: read.File, err: err}
	if err == nil && read.File == nil && read.Kind == format.Note {
		doc.deleted = true // only a tombstone is left
	}
	if doc.kind != format.Note || doc.deleted {
		return doc
	}
	if doc.file != nil && doc.file.Path != "" && !format.InTrash(doc.file.Path) {
		path, refused := vpath.Parse(doc.file.Path)
		doc.path = path
		if err == nil && refused != nil {
			doc.err = fault.InvalidArgument.Errorf("its path cannot be served: %w", refused)
		} else if err == nil {
			doc.foreign = s.codec.CheckID(doc.file) != nil
		}
	}
	return doc
}

// put adds a document, replacing its previous state, and returns the paths that changed.
func (c *catalogue) put(doc docInfo) []vpath.Path {
	switch doc.kind {
	case format.Hidden:
		c.hidden[doc.id] = doc.rev
		if doc.deleted {
			delete(c.hidden, doc.id)
		}
		return nil
	case format.Note:
	default:
		return nil
	}
	if c.isOutdated(doc) {
		return nil
	}
	if old := c.byID[doc.id]; old != nil && old.rev == doc.rev && !doc.deleted && old.path == doc.path {
		if doc.file != nil {
			old.conflicts = doc.file.Conflicts
		}
		return nil
	}
	if known := c.byID[doc.id]; known != nil && doc.path == "" && doc.err != nil && !doc.deleted {
		doc.path = known.path // it still exists although it cannot be read now
	}
	changed := c.remove(doc.id)
	defer func() {
		for _, path := range changed {
			c.emptied = c.emptied || path.Dir() != "" && c.folders[path.Dir()] == 0
		}
	}()
	switch {
	case doc.deleted && doc.rev == "":
	case doc.deleted:
		c.deleted[doc.id] = doc.rev
		c.contest(doc)
	case doc.file != nil && format.InTrash(doc.file.Path):
		c.trashed[doc.id] = doc.file.Path
	case doc.path == "":
		c.unserved[doc.id] = Problem{ID: doc.id, Path: pathOf(doc.file), Kind: problemOf(doc.err), Err: doc.err}
	default:
		changed = append(changed, c.add(doc)...)
	}
	return changed
}

// contest remembers a deleted file that another branch still has.
func (c *catalogue) contest(doc docInfo) {
	if doc.file == nil || len(doc.file.Conflicts) == 0 || format.InTrash(doc.file.Path) {
		return
	}
	if path, err := vpath.Parse(doc.file.Path); err == nil {
		c.contested[doc.id] = path
	}
}

// isOutdated reports whether a change is older than one the feed has already reported, which happens when the feed switches to
// another node of a cluster. Branches only grow, so the change with the shorter branches is the older one.
func (c *catalogue) isOutdated(doc docInfo) bool {
	if doc.longest == 0 {
		return false
	}
	known := c.longest[doc.id]
	if old := c.byID[doc.id]; old != nil {
		known = max(known, couch.Generation(old.rev))
	}
	if doc.longest < known {
		return true
	}
	c.longest[doc.id] = doc.longest
	return false
}

func pathOf(file *format.Meta) string {
	if file == nil {
		return ""
	}
	return file.Path
}

// add adds a file. If two documents claim one path, the one whose id matches the path counts, as it does for devices.
func (c *catalogue) add(doc docInfo) []vpath.Path {
	if other := c.byPath[doc.path]; other != nil {
		ignored := other.id
		if doc.foreign {
			ignored = doc.id
		}
		c.remove(ignored)
		c.unserved[ignored] = Problem{ID: ignored, Path: string(doc.path), Kind: WrongID, Err: errWrongID}
		if doc.foreign {
			return nil
		}
	}
	names := doc.id + doc.rev + string(doc.path) // one allocation: three short ones would each be rounded up
	rev, path := len(doc.id), len(doc.id)+len(doc.rev)
	added := &entry{id: names[:rev], rev: names[rev:path], path: vpath.Path(names[path:]), err: doc.err}
	if file := doc.file; file != nil {
		added.size, added.mtime, added.ctime, added.conflicts = file.Size, file.MTime, file.CTime, file.Conflicts
	}
	c.byPath[added.path], c.byID[added.id] = added, added
	c.countFolders(added.path, 1)
	return []vpath.Path{added.path}
}

// remove removes a document, and returns the path of its file.
func (c *catalogue) remove(id string) []vpath.Path {
	delete(c.unserved, id)
	delete(c.trashed, id)
	delete(c.deleted, id)
	delete(c.contested, id)
	old := c.byID[id]
	if old == nil {
		return nil
	}
	delete(c.byID, id)
	delete(c.byPath, old.path)
	delete(c.unreadable, old)
	c.countFolders(old.path, -1)
	return []vpath.Path{old.path}
}

// countFolders adds by to the number of files in each folder above path.
func (c *catalogue) countFolders(path vpath.Path, by int) {
	for dir := path.Dir(); dir != ""; dir = dir.Dir() {
		if c.folders[dir] += by; c.folders[dir] == 0 {
			delete(c.folders, dir)
		}
		key := dir.Key()
		known := c.spellings[key]
		if known.files += by; known.files == 0 {
			delete(c.spellings, key)
			continue
		}
		if known.path == "" || c.folders[known.path] == 0 {
			known.path = dir
		}
		c.spellings[key] = known
	}
}

// id returns the id of the document for a path. c may be nil.
func (c *catalogue) id(codec *format.Codec, path vpath.Path) string {
	if c != nil {
		if known := c.byPath[path]; known != nil {
			return known.id
		}
	}
	return codec.ID(string(path))
}

// checkPath returns an error if a new file cannot have the path: because a file or folder is in the way, or because the
// path spells a folder differently than the database does, which devices refuse.
func (c *catalogue) checkPath(path vpath.Path, caseSensitive bool) error {
	if c.folders[path] > 0 {
		return fault.PermissionDenied.Errorf("%q is a folder", string(path))
	}
	for dir := path.Dir(); dir != ""; dir = dir.Dir() {
		if c.byPath[dir] != nil {
			return fault.PermissionDenied.Errorf("%q is a file, not a folder", string(dir))
		}
		known, ok := c.spellings[dir.Key()]
		if ok && c.folders[dir] == 0 && !caseSensitive {
			return fault.InvalidArgument.Errorf("the folder %q is spelled %q in this vault, and devices refuse two spellings", string(dir), string(known.path)).
				WithHint("use %s/", known.path)
		}
	}
	return nil
}

// freeTrashPath returns an unused path in the trash for the file at path.
func (c *catalogue) freeTrashPath(codec *format.Codec, path vpath.Path, taken map[string]bool) string {
	for n := 1; ; n++ {
		trashed := nthTrashPath(path, n)
		if id := codec.ID(databaseTrashPath(trashed)); c.trashed[id] == "" && !taken[id] {
			return trashed
		}
	}
}

// current lists the ids and revisions of all files.
func (c *catalogue) current() iter.Seq2[string, string] {
	return func(yield func(id, rev string) bool) {
		for _, entry := range c.byID {
			if !yield(entry.id, entry.rev) {
				return
			}
		}
	}
}

// trashFolder is the name under which callers know the trash, whatever its name in the database.
const trashFolder = ".trash"

// databaseTrashPath translates a path in the trash to the database's name for it.
func databaseTrashPath(path string) string {
	return format.NormalPath(format.TrashFolder + strings.TrimPrefix(path, trashFolder))
}

// nthTrashPath returns the n-th candidate path in the trash. The added number never makes the name too long.
func nthTrashPath(path vpath.Path, n int) string {
	trashed := trashFolder + "/" + string(path)
	if n == 1 {
		return trashed
	}
	ext := path.Base()[len(path.Base())-len(path.Ext()):]
	number := " " + strconv.Itoa(n)
	stem := strings.TrimSuffix(trashed, ext)
	if over := len(path.Base()) + len(number) - vpath.MaxComponent; over > 0 {
		stem = strings.ToValidUTF8(stem[:len(stem)-over], "")
	}
	return stem + number + ext
}
