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

	"obsidian-mcp/internal/vpath"
)

// Snapshot is a vault at one moment.
type Snapshot struct {
	Paths *vpath.Set // of all files, attachments too

	entries layered[vpath.Path, *Entry]
	folders layered[vpath.Key, vpath.Path]
	links   layered[vpath.Key, []reference] // by the base name that they ask for
	tags    layered[vpath.Key, []tagged]

	named *naming
	memo  memo
}

// reference is one link of an entry.
type reference struct {
	from *Entry
	link int
}

// tagged is a note that has a tag, in the note's own spelling.
type tagged struct {
	note *Entry
	tag  string
}

// memo holds answers that are worth keeping as long as the snapshot.
type memo struct {
	mu        sync.Mutex // guards what follows
	incoming  map[vpath.Path]incoming
	broken    []Broken
	hasBroken bool
}

// New builds a snapshot of files and folders.
func New(entries []*Entry, folders []vpath.Path) *Snapshot {
	paths := make([]vpath.Path, len(entries))
	for i, entry := range entries {
		paths[i] = entry.Path
	}
	set := make(chan *vpath.Set, 1)
	go func() { set <- vpath.NewSet(paths) }() // half of the work
	byPath := make(map[vpath.Path]*Entry, len(entries))
	links := make(map[vpath.Key][]reference, len(entries))
	tags := map[vpath.Key][]tagged{}
	for _, entry := range entries {
		byPath[entry.Path] = entry
		for link, key := range entry.keys {
			links[key] = append(links[key], reference{entry, link})
		}
		entry.keys = nil
		for _, tag := range entry.Tags {
			key := vpath.FoldKey(tag)
			tags[key] = append(tags[key], tagged{entry, tag})
		}
	}
	byKey := make(map[vpath.Key]vpath.Path, len(folders))
	for _, folder := range folders {
		byKey[folder.Key()] = folder
	}
	return &Snapshot{
		Paths:   <-set,
		named:   new(naming),
		entries: newLayered(byPath, func(e *Entry) bool { return e == nil }),
		folders: newLayered(byKey, func(p vpath.Path) bool { return p == "" }),
		links:   newLayered(links, func(r []reference) bool { return len(r) == 0 }),
		tags:    newLayered(tags, func(t []tagged) bool { return len(t) == 0 }),
	}
}

// Change is what happened to a vault's files.
type Change struct {
	Removed []vpath.Path
	Updated []*Entry // new files and new states of old ones
	Folders []vpath.Path

	FoldersGone []vpath.Path
}

// With is the snapshot after a change.
func (s *Snapshot) With(change Change) *Snapshot {
	next := &Snapshot{}
	entries := map[vpath.Path]*Entry{}
	gone, came := map[*Entry]bool{}, []*Entry{}
	var removed, added []vpath.Path
	for _, path := range change.Removed {
		if old := s.Entry(path); old != nil {
			entries[path], gone[old] = nil, true
			removed = append(removed, path)
		}
	}
	for _, entry := range lastOf(change.Updated) {
		old := s.Entry(entry.Path)
		if old != nil {
			gone[old] = true
		}
		if old == nil || entries[entry.Path] == nil && slices.Contains(removed, entry.Path) {
			added = append(added, entry.Path)
		}
		entries[entry.Path] = entry
		came = append(came, entry)
	}
	next.Paths, next.named = s.Paths, s.named
	if len(removed)+len(added) > 0 {
		next.Paths, next.named = s.Paths.With(removed, added), new(naming)
	}
	next.entries = s.entries.with(entries)
	next.links = s.links.with(s.relinked(gone, came))
	next.tags = s.tags.with(s.retagged(gone, came))
	next.folders = s.folders.with(s.newFolders(change, came))
	return next
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

// relinked gives the references of all base names that a change touches.
func (s *Snapshot) relinked(gone map[*Entry]bool, came []*Entry) map[vpath.Key][]reference {
	changed := map[vpath.Key][]reference{}
	for entry := range gone {
		for _, link := range entry.Links {
			changed[baseKey(link.Path)] = nil
		}
	}
	fresh := map[vpath.Key][]reference{}
	for _, entry := range came {
		for i, link := range entry.Links {
			key := baseKey(link.Path)
			changed[key] = nil
			fresh[key] = append(fresh[key], reference{entry, i})
		}
		entry.keys = nil
	}
	for key := range changed {
		kept := without(s.links.get(key), func(r reference) bool { return gone[r.from] })
		changed[key] = append(kept, fresh[key]...)
	}
	return changed
}

// retagged gives the notes of all tags that a change touches.
func (s *Snapshot) retagged(gone map[*Entry]bool, came []*Entry) map[vpath.Key][]tagged {
	changed := map[vpath.Key][]tagged{}
	for entry := range gone {
		for _, tag := range entry.Tags {
			changed[vpath.FoldKey(tag)] = nil
		}
	}
	fresh := map[vpath.Key][]tagged{}
	for _, entry := range came {
		for _, tag := range entry.Tags {
			key := vpath.FoldKey(tag)
			changed[key] = nil
			fresh[key] = append(fresh[key], tagged{entry, tag})
		}
	}
	for key := range changed {
		kept := without(s.tags.get(key), func(t tagged) bool { return gone[t.note] })
		changed[key] = append(kept, fresh[key]...)
	}
	return changed
}

// without is a copy of a list without some of its items.
func without[T any](list []T, out func(T) bool) []T {
	kept := make([]T, 0, len(list))
	for _, item := range list {
		if !out(item) {
			kept = append(kept, item)
		}
	}
	return kept
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

// Len is the number of files.
func (s *Snapshot) Len() int { return s.entries.size }

// Entries yields every file, in no order.
func (s *Snapshot) Entries(yield func(*Entry) bool) {
	s.entries.all(func(_ vpath.Path, entry *Entry) bool { return yield(entry) })
}

// Folder is the spelling that a folder of the vault has, under whatever
// spelling it is asked for.
func (s *Snapshot) Folder(path vpath.Path) (vpath.Path, bool) {
	folder := s.folders.get(path.Key())
	return folder, folder != ""
}

// Folders yields every folder, in no order.
func (s *Snapshot) Folders(yield func(vpath.Path) bool) {
	s.folders.all(func(_ vpath.Key, folder vpath.Path) bool { return yield(folder) })
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
