package index

import (
	"slices"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/vpath"
)

// Window is a part of a vault: those of its files that somebody may see.
type Window struct {
	Key  string // windows of one key show the same
	Open func(vpath.Path) bool
}

// Through is the snapshot as it would be if there were only the files that a
// window shows: names, links, tags, scores and counts tell nothing of others.
// A folder is shown for such a file below it, and spelt as that spells it. An
// empty one is not: one that holds only what is closed would be told apart.
//
// It is made once for each snapshot, and lives as long. What it costs goes
// with what has changed since the snapshot's base was built, as With does; the
// base itself is gone through once. Texts and tables are shared, not copied.
func (s *Snapshot) Through(w *Window) *Snapshot {
	return s.windows.get(w.Key, func() *Snapshot { return s.through(w) })
}

func (s *Snapshot) through(w *Window) *Snapshot {
	pane := s.base.windows.get(w.Key, func() *pane { return newPane(s.base, w) })
	b := pane.base
	over := make(map[vpath.Path]*Entry, len(s.entries.over))
	var removed, added []vpath.Path
	for path, entry := range s.entries.over {
		if !w.Open(path) {
			continue
		}
		over[path] = entry
		_, known := b.byPath[path]
		switch {
		case entry == nil && known:
			removed = append(removed, path)
		case entry != nil && !known:
			added = append(added, path)
		}
	}
	seen := newSnapshot(b)
	if len(removed)+len(added) > 0 {
		seen.Paths = seen.Paths.With(removed, added)
	}
	seen.size = len(b.byPath) + len(added) - len(removed)
	seen.text = s.text.Without(s.hidden(b, over))
	seen.entries.over = over
	seen.links.changed, seen.links.fresh = over, onlyOpen(s.links, over)
	seen.tags.changed, seen.tags.fresh = over, onlyOpen(s.tags, over)
	seen.folders.over = pane.changedFolders(s, over)
	seen.named = s.named.windows.get(w.Key, func() *naming { return new(naming) })
	return seen
}

// hidden are the documents that a window does not show.
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

// onlyOpen keeps what open files hold of what came by changes.
func onlyOpen[T any](all overlaid[T], open map[vpath.Path]*Entry) map[vpath.Key][]T {
	fresh := make(map[vpath.Key][]T, len(all.fresh))
	for key, list := range all.fresh {
		kept := without(list, func(one T) bool { return open[all.file(one)] == nil })
		if len(kept) > 0 {
			fresh[key] = kept
		}
	}
	return fresh
}

// pane is a window's part of a base.
type pane struct {
	base    *base
	folders map[vpath.Key][]spelt
}

// spelt is a folder as some files spell it, and how many of them are open.
type spelt struct {
	folder vpath.Path
	open   int
}

func newPane(whole *base, w *Window) *pane {
	p := &pane{folders: map[vpath.Key][]spelt{}, base: &base{
		keep: whole.keep, segments: whole.segments, first: whole.first, paths: whole.paths,
		byKey: whole.byKey, names: whole.names, tails: whole.tails, links: whole.links, tags: whole.tags,
		order: whole.order, kinds: whole.kinds,
		hidden: text.NewSet(len(whole.paths)), byPath: map[vpath.Path]int32{}, folders: folderSource{},
	}}
	files := map[vpath.Path]int{} // that are open in a folder
	for doc, path := range whole.paths {
		if w.Open(path) {
			files[path.Dir()]++
			p.base.byPath[path] = int32(doc)
		} else {
			p.base.hidden.Add(doc)
		}
	}
	for folder, open := range files {
		addUp(p.folders, folder, open)
	}
	for key, folder := range whole.folders {
		if shown := best(p.folders[key], folder); shown != "" {
			p.base.folders[key] = shown
		}
	}
	return p
}

// addUp counts open files for a folder and those that it is in.
func addUp(folders map[vpath.Key][]spelt, folder vpath.Path, open int) {
	for ; folder != ""; folder = folder.Dir() {
		key := folder.Key()
		folders[key] = counted(folders[key], spelt{folder, open})
	}
}

// counted adds to the count of a spelling.
func counted(all []spelt, one spelt) []spelt {
	for i := range all {
		if all[i].folder == one.folder {
			all[i].open += one.open
			return all
		}
	}
	return append(all, one)
}

// best is the spelling of a folder: the vault's own if an open file has it;
// "" where there is no open file.
func best(all []spelt, own vpath.Path) vpath.Path {
	shown := vpath.Path("")
	for _, one := range all {
		switch {
		case one.open <= 0:
		case one.folder == own:
			return own
		case shown == "" || one.folder < shown:
			shown = one.folder
		}
	}
	return shown
}

// changedFolders are the folders of a snapshot that came, went or hold other
// files than the base says.
func (p *pane) changedFolders(s *Snapshot, open map[vpath.Path]*Entry) map[vpath.Key]vpath.Path {
	more := map[vpath.Key][]spelt{}
	for path, entry := range open {
		_, known := p.base.byPath[path]
		switch {
		case entry != nil && !known:
			addUp(more, path.Dir(), 1)
		case entry == nil && known:
			addUp(more, path.Dir(), -1)
		}
	}
	for key := range s.folders.over {
		if _, touched := more[key]; !touched {
			more[key] = nil
		}
	}
	changed := make(map[vpath.Key]vpath.Path, len(more))
	for key, by := range more {
		all := slices.Clone(p.folders[key])
		for _, one := range by {
			all = counted(all, one)
		}
		changed[key] = ""
		if own := s.folders.get(key); own != "" {
			changed[key] = best(all, own)
		}
	}
	return changed
}
