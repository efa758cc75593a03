// Package index answers questions about a whole vault from memory: names,
// links both ways, tags, outlines, properties.
//
// A Snapshot never changes, so that a call that took one gets consistent
// answers throughout. With makes the next one from changed files and shares
// all that stayed. What a link means is never stored: it depends on the paths
// of all files, and is found in well under a microsecond when asked for.
//
// The package reads no files; whoever owns them hands their bytes to a Parser.
package index

import (
	"slices"
	"sync"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/vpath"
)

// Snapshot is a vault at one moment.
type Snapshot struct {
	Paths *vpath.Set // of all files, attachments too

	base    *base
	text    *text.Index
	entries layered[vpath.Path, *Entry]
	folders layered[vpath.Key, vpath.Path]
	links   overlaid[Backlink] // by the base name that they ask for
	tags    overlaid[tagged]
	size    int

	named   *naming
	memo    memo
	windows kept[*Snapshot]
	sorts   struct { // of files, found out when first asked for
		once                    sync.Once
		notes, canvases, others text.Set
	}
}

// tagged is a note that has a tag, in the note's own spelling.
type tagged struct {
	note vpath.Path
	tag  string
}

// memo holds answers that are worth keeping as long as the snapshot.
type memo struct {
	mu        sync.Mutex // guards what follows
	incoming  map[vpath.Path]incoming
	broken    []Broken
	hasBroken bool
}

func newSnapshot(b *base) *Snapshot {
	return &Snapshot{
		Paths:   vpath.SetOf(shelf{b}),
		base:    b,
		text:    text.New(b.segments),
		size:    len(b.paths),
		named:   new(naming),
		entries: newLayered[vpath.Path, *Entry](b, func(e *Entry) bool { return e == nil }),
		folders: newLayered[vpath.Key, vpath.Path](b.folders, func(p vpath.Path) bool { return p == "" }),
		links:   overlaid[Backlink]{base: linkSource{b}, file: func(link Backlink) vpath.Path { return link.From }},
		tags:    overlaid[tagged]{base: tagSource{b}, file: func(t tagged) vpath.Path { return t.note }},
	}
}

// Change is what happened to a vault's files.
type Change struct {
	Removed []vpath.Path
	Updated []*Entry // new files and new states of old ones
	Folders []vpath.Path

	FoldersGone []vpath.Path
}

// With is the snapshot after a change. The index takes the texts of updated
// files over.
func (s *Snapshot) With(change Change) *Snapshot {
	next := &Snapshot{base: s.base, size: s.size, Paths: s.Paths, named: s.named}
	entries := map[vpath.Path]*Entry{}
	var came []*Entry
	var gone, removed, added []vpath.Path
	for _, path := range change.Removed {
		if _, twice := entries[path]; !twice && s.Has(path) {
			entries[path] = nil
			gone, removed = append(gone, path), append(removed, path)
		}
	}
	for _, entry := range lastOf(change.Updated) {
		if _, isRemoved := entries[entry.Path]; isRemoved || !s.Has(entry.Path) {
			added = append(added, entry.Path)
		} else {
			gone = append(gone, entry.Path)
		}
		entries[entry.Path] = entry
		came = append(came, entry)
	}
	if len(removed)+len(added) > 0 {
		next.Paths, next.named = s.Paths.With(removed, added), new(naming)
		next.size += len(added) - len(removed)
	}
	next.text = s.text.With(s.textChange(gone, came))
	next.entries = s.entries.with(entries)
	fresh := s.fresh(gone)
	next.links = s.links.with(s.entries.over, linksOf(fresh), linksOf(came), next.entries.over)
	next.tags = s.tags.with(s.entries.over, tagsOf(fresh), tagsOf(came), next.entries.over)
	next.folders = s.folders.with(s.newFolders(change, came))
	return next
}

// fresh are those of some files that changed since the base was built: of the
// others nothing has to be known to leave them out.
func (s *Snapshot) fresh(paths []vpath.Path) []*Entry {
	var entries []*Entry
	for _, path := range paths {
		if entry := s.entries.over[path]; entry != nil {
			entries = append(entries, entry)
		}
	}
	return entries
}

// textChange is the change as the text engine sees it.
func (s *Snapshot) textChange(gone []vpath.Path, came []*Entry) text.Change {
	var change text.Change
	for _, path := range gone {
		if _, newer := s.entries.over[path]; newer {
			change.Removed = append(change.Removed, string(path))
		} else {
			change.Dead = append(change.Dead, int(s.base.byPath[path]))
		}
	}
	for _, entry := range came {
		change.Keys = append(change.Keys, string(entry.Path))
		change.Docs = append(change.Docs, entry.doc())
		entry.text = nil // the engine has it
	}
	return change
}

// lastOf keeps the last of several states of one file.
func lastOf(entries []*Entry) []*Entry {
	last := make(map[vpath.Path]*Entry, len(entries))
	for _, entry := range entries {
		last[entry.Path] = entry
	}
	if len(last) == len(entries) {
		return entries
	}
	return slices.DeleteFunc(slices.Clone(entries), func(entry *Entry) bool { return last[entry.Path] != entry })
}

// linksOf are the links of files by the base name that they ask for.
func linksOf(entries []*Entry) map[vpath.Key][]Backlink {
	all := map[vpath.Key][]Backlink{}
	for _, entry := range entries {
		for _, link := range entry.Links {
			key := baseKey(link.Path)
			all[key] = append(all[key], Backlink{entry.Path, link})
		}
	}
	return all
}

// tagsOf are the tags of files.
func tagsOf(entries []*Entry) map[vpath.Key][]tagged {
	all := map[vpath.Key][]tagged{}
	for _, entry := range entries {
		for _, tag := range entry.Tags {
			key := vpath.FoldKey(tag)
			all[key] = append(all[key], tagged{entry.Path, tag})
		}
	}
	return all
}

func (s *Snapshot) newFolders(change Change, came []*Entry) map[vpath.Key]vpath.Path {
	added := map[vpath.Key]vpath.Path{}
	for _, folder := range change.FoldersGone {
		if s.folders.get(folder.Key()) == folder {
			added[folder.Key()] = ""
		}
	}
	add := func(folder vpath.Path) {
		for ; folder != ""; folder = folder.Dir() {
			key := folder.Key()
			if changed, ok := added[key]; s.folders.get(key) == "" || ok && changed == "" {
				added[key] = folder
			}
		}
	}
	for _, folder := range change.Folders {
		add(folder)
	}
	for _, entry := range came {
		add(entry.Path.Dir())
	}
	return added
}

// Entry is what is known of the file at a path, or nil.
func (s *Snapshot) Entry(path vpath.Path) *Entry { return s.entries.get(path) }

// Same reports whether two snapshots know the same state of a file.
func (s *Snapshot) Same(other *Snapshot, path vpath.Path) bool {
	mine, newer := s.entries.over[path]
	theirs, theirsNewer := other.entries.over[path]
	if newer || theirsNewer {
		return newer == theirsNewer && mine == theirs
	}
	return s.base == other.base
}

// Marked reports whether what is known of a file is the state that a store
// gave a mark. It is cheaper than asking for the entry.
func (s *Snapshot) Marked(path vpath.Path, mark string) bool {
	if entry, newer := s.entries.over[path]; newer {
		return entry != nil && entry.Mark == mark
	}
	doc, known := s.base.byPath[path]
	return known && s.base.marked(doc, mark)
}

// Has reports whether there is a file at a path.
func (s *Snapshot) Has(path vpath.Path) bool {
	if entry, newer := s.entries.over[path]; newer {
		return entry != nil
	}
	_, known := s.base.byPath[path]
	return known
}

// Files yields the paths of all files, in no order. It is much cheaper than
// Entries.
func (s *Snapshot) Files(yield func(vpath.Path) bool) { s.entries.keys(yield) }

// Len is the number of files.
func (s *Snapshot) Len() int { return s.size }

// Entries yields every file, in no order.
func (s *Snapshot) Entries(yield func(*Entry) bool) {
	s.entries.keys(func(path vpath.Path) bool { return yield(s.Entry(path)) })
}

// Folder is the spelling that a folder of the vault has, under whatever
// spelling it is asked for.
func (s *Snapshot) Folder(path vpath.Path) (vpath.Path, bool) {
	folder := s.folders.get(path.Key())
	return folder, folder != ""
}

// Folders yields every folder, in no order.
func (s *Snapshot) Folders(yield func(vpath.Path) bool) {
	s.folders.keys(func(key vpath.Key) bool { return yield(s.folders.get(key)) })
}

// FolderCount is the number of folders.
func (s *Snapshot) FolderCount() int {
	count := 0
	s.folders.keys(func(vpath.Key) bool { count++; return true })
	return count
}

// Settle gives a path that is to be made the spelling of those of its folders
// that exist, and says which the deepest of them is.
func (s *Snapshot) Settle(path vpath.Path) (settled, existing vpath.Path) {
	for folder := path.Dir(); folder != ""; folder = folder.Dir() {
		if known, ok := s.Folder(folder); ok {
			return known.Join(path[len(folder)+1:]), known
		}
	}
	return path, ""
}
