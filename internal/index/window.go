package index

import (
	"slices"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/vpath"
)

// Window selects the files of a vault that a caller may see.
type Window struct {
	Key  string // windows with the same key show the same files
	Open func(vpath.Path) bool
}

// Through returns the snapshot that would exist if the vault had only the files that a window shows: names, links,
// tags, scores and counts reveal nothing about the others. A folder is shown if a visible file is below it, spelt
// as that file spells it. An empty folder is never shown, because it could not be told from one that holds only
// hidden files.
//
// The result is computed once per snapshot and shown with it. Like With, this costs in proportion to the changes
// since the snapshot's base was built; the base itself is walked once. Texts and tables are shared, not copied.
func (s *Snapshot) Through(w *Window) *Snapshot {
	return s.windows.get(w.Key, func() *Snapshot { return s.through(w) })
}

func (s *Snapshot) through(w *Window) *Snapshot {
	visible := s.base.windows.get(w.Key, func() *windowBase { return newWindowBase(s.base, w) })
	b := visible.base
	over := make(map[vpath.Path]*Entry, s.entries.over.len())
	var removed, added []vpath.Path
	for path, entry := range s.entries.over.all {
		if !w.Open(path) {
			continue
		}
		over[path] = entry
		_, inBase := b.docOf(path)
		switch {
		case entry == nil && inBase:
			removed = append(removed, path)
		case entry != nil && !inBase:
			added = append(added, path)
		}
	}
	seen := newSnapshot(b)
	if len(removed)+len(added) > 0 {
		seen.Paths = seen.Paths.With(removed, added)
	}
	seen.size = len(b.byPath()) + len(added) - len(removed)
	seen.text = s.text.Without(s.hidden(b, over))
	seen.entries.over = changesOf(over)
	seen.links.changed, seen.links.fresh = seen.entries.over, onlyOpen(s.links, over)
	seen.tags.changed, seen.tags.fresh = seen.entries.over, onlyOpen(s.tags, over)
	seen.aliases.changed, seen.aliases.fresh = seen.entries.over, onlyOpen(s.aliases, over)
	seen.folders.over = changesOf(visible.changedFolders(s, over))
	seen.tasks.whole, seen.pages.whole, seen.bases.whole = s, s, s
	seen.named = s.named.windows.get(w.Key, func() *naming { return new(naming) })
	return seen
}

// hidden returns the documents that a window does not show.
func (s *Snapshot) hidden(b *base, open map[vpath.Path]*Entry) text.Set {
	hidden := text.NewSet(s.text.Docs())
	copy(hidden, b.hidden)
	for doc := len(b.paths); doc < s.text.Docs(); doc++ {
		if _, shown := open[s.pathOf(doc)]; !shown {
			hidden.Add(doc)
		}
	}
	return hidden
}

// onlyOpen returns the fresh items that open files hold.
func onlyOpen[T any](all overlaid[T], open map[vpath.Path]*Entry) changes[vpath.Key, []T] {
	fresh := make(map[vpath.Key][]T, all.fresh.len())
	for key, list := range all.fresh.all {
		shown := without(list, func(item T) bool { return open[all.file(item)] == nil })
		if len(shown) > 0 {
			fresh[key] = shown
		}
	}
	return changesOf(fresh)
}

// windowBase is the part of a base that a window shows.
type windowBase struct {
	base    *base
	folders map[vpath.Key][]spelling
}

// spelling is a way to spell a folder, and how many open files use it.
type spelling struct {
	folder vpath.Path
	open   int
}

func newWindowBase(whole *base, w *Window) *windowBase {
	byPath := map[vpath.Path]int32{}
	part := &windowBase{folders: map[vpath.Key][]spelling{}, base: &base{
		owner: whole.owner, segments: whole.segments, hasWords: whole.hasWords, first: whole.first, paths: whole.paths,
		byKey: whole.byKey, names: whole.names, tails: whole.tails, links: whole.links, tags: whole.tags, aliases: whole.aliases,
		order: whole.order, kinds: whole.kinds,
		hidden: text.NewSet(len(whole.paths)), byPath: func() map[vpath.Path]int32 { return byPath }, folders: folderSource{},
	}}
	openFiles := map[vpath.Path]int{} // by folder
	for doc, path := range whole.paths {
		if w.Open(path) {
			openFiles[path.Dir()]++
			byPath[path] = int32(doc)
		} else {
			part.base.hidden.Add(doc)
		}
	}
	for folder, open := range openFiles {
		countOpen(part.folders, folder, open)
	}
	for key, folder := range whole.folders {
		if shown := bestSpelling(part.folders[key], folder); shown != "" {
			part.base.folders[key] = shown
		}
	}
	return part
}

// countOpen counts open files for a folder and for all folders above it.
func countOpen(folders map[vpath.Key][]spelling, folder vpath.Path, open int) {
	for ; folder != ""; folder = folder.Dir() {
		key := folder.Key()
		folders[key] = addSpelling(folders[key], spelling{folder, open})
	}
}

func addSpelling(spellings []spelling, added spelling) []spelling {
	for i := range spellings {
		if spellings[i].folder == added.folder {
			spellings[i].open += added.open
			return spellings
		}
	}
	return append(spellings, added)
}

// bestSpelling chooses how a folder is shown: as the vault spells it if an open file does so too, else by the spelling
// that sorts first. It returns "" if no file below the folder is open.
func bestSpelling(spellings []spelling, ofVault vpath.Path) vpath.Path {
	shown := vpath.Path("")
	for _, s := range spellings {
		switch {
		case s.open <= 0:
		case s.folder == ofVault:
			return ofVault
		case shown == "" || s.folder < shown:
			shown = s.folder
		}
	}
	return shown
}

// changedFolders returns the folders of a snapshot that were added or removed, or whose open files differ from the
// base.
func (w *windowBase) changedFolders(s *Snapshot, open map[vpath.Path]*Entry) map[vpath.Key]vpath.Path {
	differences := map[vpath.Key][]spelling{}
	for path, entry := range open {
		_, inBase := w.base.docOf(path)
		switch {
		case entry != nil && !inBase:
			countOpen(differences, path.Dir(), 1)
		case entry == nil && inBase:
			countOpen(differences, path.Dir(), -1)
		}
	}
	for key := range s.folders.over.all {
		if _, counted := differences[key]; !counted {
			differences[key] = nil
		}
	}
	changed := make(map[vpath.Key]vpath.Path, len(differences))
	for key, difference := range differences {
		spellings := slices.Clone(w.folders[key])
		for _, d := range difference {
			spellings = addSpelling(spellings, d)
		}
		changed[key] = ""
		if ofVault := s.folders.get(key); ofVault != "" {
			changed[key] = bestSpelling(spellings, ofVault)
		}
	}
	return changed
}
