// Package index answers questions about a whole vault from memory: names, links in both directions, tags, outlines,
// properties, and searches.
//
// A Snapshot never changes, so a call that takes one gets consistent answers throughout. With makes the next
// snapshot from changed files and shares everything else. Where a link leads is never stored: it depends on the
// paths of all files, and resolving it when asked takes well under a microsecond.
//
// The package reads no files: the caller passes their bytes to a Parser.
package index

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/bases"
	"obsidian-mcp/internal/query/dataview"
	"obsidian-mcp/internal/query/tasks"
)

// Snapshot is a vault at one moment.
type Snapshot struct {
	Paths *vpath.Set // of all files, attachments too

	base    *base
	text    *text.Index
	entries layered[vpath.Path, *Entry]
	folders layered[vpath.Key, vpath.Path]
	links   overlaid[Backlink] // by the base name that they ask for
	tags    overlaid[labelled]
	aliases overlaid[labelled]
	size    int
	removed changes[vpath.Path, *removal] // the last removal of each file that was removed since the base was built

	named    *naming
	memo     memo
	windows  onceMap[*Snapshot]
	kindMemo struct { // computed on first use
		once                    sync.Once
		notes, canvases, others text.Set
	}
	dangling     danglingMemo
	meanings     meaningMemo
	graph        builtGraph
	tasks        derived[task.Settings, *tasks.Set]
	pages        derived[*time.Location, *dataview.Set]
	bases        derived[BaseSettings, *bases.Vault]
	overviewMemo struct { // computed on first use
		once     sync.Once
		overview *Overview
	}
}

// removal is one removal of a file; each has its own address.
type removal struct{ _ byte }

// labelled is a note that has a tag or an alias, spelt as the note spells it.
type labelled struct {
	note  vpath.Path
	label string
}

func (l labelled) file() vpath.Path { return l.note }

// memo holds answers that are expensive to compute.
type memo struct {
	mu        sync.Mutex // guards what follows
	incoming  map[vpath.Path]incoming
	broken    []Broken
	hasBroken bool
}

func newSnapshot(b *base) *Snapshot {
	return &Snapshot{
		Paths:   vpath.SetOf(pathSource{b}),
		base:    b,
		text:    text.New(b.segments),
		size:    len(b.paths),
		named:   new(naming),
		entries: newLayered[vpath.Path, *Entry](entrySource{b}, func(e *Entry) bool { return e == nil }),
		folders: newLayered[vpath.Key, vpath.Path](b.folders, func(p vpath.Path) bool { return p == "" }),
		links:   overlaid[Backlink]{base: linkSource{b}, file: func(link Backlink) vpath.Path { return link.From }},
		tags:    overlaid[labelled]{base: labelSource{b, b.tags}, file: labelled.file},
		aliases: overlaid[labelled]{base: labelSource{b, b.aliases}, file: labelled.file},
	}
}

// HasWords reports whether the snapshot can be searched for words. While the first index is being built, a snapshot without
// words offers everything else.
func (s *Snapshot) HasWords() bool { return s.base.hasWords }

// Change lists what happened to the files of a vault.
type Change struct {
	Removed []vpath.Path
	Updated []*Entry // created or modified files
	Folders []vpath.Path

	FoldersGone []vpath.Path
}

// With returns the snapshot after a change. The index takes over the texts of updated files.
func (s *Snapshot) With(change Change) *Snapshot {
	next := &Snapshot{base: s.base, size: s.size, Paths: s.Paths, named: s.named}
	entries := map[vpath.Path]*Entry{}
	var updated []*Entry                      // the new states
	var outdated, removed, added []vpath.Path // outdated: files whose old state goes, whether removed or updated
	removals := make(map[vpath.Path]*removal, len(change.Removed))
	for _, path := range change.Removed {
		removals[path] = new(removal)
		if _, twice := entries[path]; !twice && s.Has(path) {
			entries[path] = nil
			outdated, removed = append(outdated, path), append(removed, path)
		}
	}
	next.removed = s.removed.with(removals)
	for _, entry := range lastOf(change.Updated) {
		if _, isRemoved := entries[entry.Path]; isRemoved || !s.Has(entry.Path) {
			added = append(added, entry.Path)
		} else {
			outdated = append(outdated, entry.Path)
		}
		entries[entry.Path] = entry
		updated = append(updated, entry)
	}
	if len(removed)+len(added) > 0 {
		next.Paths, next.named = s.Paths.With(removed, added), new(naming)
		next.size += len(added) - len(removed)
	} else {
		next.memo.incoming = s.unaffected(outdated, updated)
	}
	next.text = s.text.With(s.textChange(outdated, updated))
	next.entries = s.entries.with(entries)
	replaced := s.overlaidEntries(outdated)
	next.links = s.links.with(linksOf(replaced), linksOf(updated), next.entries.over)
	next.tags = s.tags.with(labelsOf(replaced, tagsOf), labelsOf(updated, tagsOf), next.entries.over)
	next.aliases = s.aliases.with(labelsOf(replaced, aliasesOf), labelsOf(updated, aliasesOf), next.entries.over)
	next.folders = s.folders.with(s.newFolders(change, updated))
	next.tasks.after(&s.tasks, outdated, added)
	next.pages.after(&s.pages, outdated, added)
	next.bases.after(&s.bases, outdated, added)
	return next
}

// overlaidEntries returns the entries of those paths that changed since the base was built.
func (s *Snapshot) overlaidEntries(paths []vpath.Path) []*Entry {
	var entries []*Entry
	for _, path := range paths {
		if entry, _ := s.entries.over.get(path); entry != nil {
			entries = append(entries, entry)
		}
	}
	return entries
}

// textChange translates a change for the text engine.
func (s *Snapshot) textChange(outdated []vpath.Path, updated []*Entry) text.Change {
	var change text.Change
	for _, path := range outdated {
		if _, newer := s.entries.over.get(path); newer {
			change.Removed = append(change.Removed, string(path))
		} else {
			change.Dead = append(change.Dead, int(s.base.byPath()[path]))
		}
	}
	for _, entry := range updated {
		change.Keys = append(change.Keys, string(entry.Path))
		change.Docs = append(change.Docs, entry.doc())
		entry.text = nil // the engine has it
	}
	return change
}

// lastOf keeps only the last of several states of the same file.
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

// linksOf groups the links of files by the base name that they ask for.
func linksOf(entries []*Entry) map[vpath.Key][]Backlink {
	links := map[vpath.Key][]Backlink{}
	for _, entry := range entries {
		for _, link := range entry.Links {
			key := baseKey(link.Path)
			links[key] = append(links[key], Backlink{entry.Path, link})
		}
	}
	return links
}

func tagsOf(entry *Entry) []string    { return entry.Tags }
func aliasesOf(entry *Entry) []string { return entry.Aliases }

// labelsOf groups notes by their tags or aliases.
func labelsOf(entries []*Entry, of func(*Entry) []string) map[vpath.Key][]labelled {
	labels := map[vpath.Key][]labelled{}
	for _, entry := range entries {
		for _, label := range of(entry) {
			key := vpath.FoldKey(label)
			labels[key] = append(labels[key], labelled{entry.Path, label})
		}
	}
	return labels
}

// newFolders returns the folders that a change adds and, as "", those that it removes.
func (s *Snapshot) newFolders(change Change, updated []*Entry) map[vpath.Key]vpath.Path {
	folders := map[vpath.Key]vpath.Path{}
	for _, folder := range change.FoldersGone {
		if s.folders.get(folder.Key()) == folder {
			folders[folder.Key()] = ""
		}
	}
	add := func(folder vpath.Path) {
		for ; folder != ""; folder = folder.Dir() {
			key := folder.Key()
			if changed, ok := folders[key]; s.folders.get(key) == "" || ok && changed == "" {
				folders[key] = folder
			}
		}
	}
	for _, folder := range change.Folders {
		add(folder)
	}
	for _, entry := range updated {
		add(entry.Path.Dir())
	}
	return folders
}

// Entry returns what the index knows about the file at a path, or nil.
func (s *Snapshot) Entry(path vpath.Path) *Entry { return s.entries.get(path) }

// Aliases returns the aliases of a note. It is cheaper than its entry.
func (s *Snapshot) Aliases(path vpath.Path) []string {
	return detail(s, path, func(entry *Entry) []string { return entry.Aliases }, aliasesIn)
}

// linksOf returns the links of a file. It is cheaper than its entry.
func (s *Snapshot) linksOf(path vpath.Path) []Link {
	return detail(s, path, func(entry *Entry) []Link { return entry.Links }, linksIn)
}

// detail returns a part of what the index knows about a file, from its entry if the file has changed since the base was made, or else from
// its meta in the base; or nothing, if there is no such file.
func detail[T any](s *Snapshot, path vpath.Path, from func(*Entry) T, in func(meta []byte) T) (part T) {
	if entry, newer := s.entries.over.get(path); newer {
		if entry != nil {
			part = from(entry)
		}
		return part
	}
	if doc, inBase := s.base.docOf(path); inBase {
		segment, i := s.base.locate(doc)
		part = in(segment.Meta(i))
		runtime.KeepAlive(s.base)
	}
	return part
}

// Same reports whether two snapshots hold the same state of a file. If it is in neither, but was removed in between, perhaps
// by somebody who knew of it before the index did, they do not.
func (s *Snapshot) Same(other *Snapshot, path vpath.Path) bool {
	mine, newer := s.entries.over.get(path)
	theirs, theirsNewer := other.entries.over.get(path)
	last, _ := s.removed.get(path)
	theirLast, _ := other.removed.get(path)
	switch {
	case last != theirLast:
		return false
	case newer || theirsNewer:
		return newer == theirsNewer && mine == theirs
	}
	return s.base == other.base
}

// Marked reports whether the index holds the state of a file that has the store's mark. It is cheaper than
// comparing the entry's mark.
func (s *Snapshot) Marked(path vpath.Path, mark string) bool {
	if entry, newer := s.entries.over.get(path); newer {
		return entry != nil && entry.Mark == mark
	}
	doc, inBase := s.base.docOf(path)
	return inBase && s.base.marked(doc, []byte(mark))
}

// Has reports whether there is a file at a path.
func (s *Snapshot) Has(path vpath.Path) bool {
	if entry, newer := s.entries.over.get(path); newer {
		return entry != nil
	}
	_, inBase := s.base.docOf(path)
	return inBase
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

// Folder returns a folder as the vault spells it, whatever the letter case of the request.
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

// AdoptSpelling gives a path that is about to be created the spelling of its existing folders, and returns the
// deepest of these.
func (s *Snapshot) AdoptSpelling(path vpath.Path) (adopted, existing vpath.Path) {
	for folder := path.Dir(); folder != ""; folder = folder.Dir() {
		if existing, ok := s.Folder(folder); ok {
			return existing.Join(path[len(folder)+1:]), existing
		}
	}
	return path, ""
}
