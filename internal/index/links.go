package index

import (
	"cmp"
	"iter"
	"slices"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
)

// Outgoing is a link of a file and the file it leads to.
type Outgoing struct {
	Link
	To vpath.Path // "" if the link is broken
}

// Backlink is a link and the file that holds it.
type Backlink struct {
	From vpath.Path
	Link
}

// Broken is a link that leads to no file.
type Broken struct {
	From   vpath.Path
	Target string
}

// Outgoing lists the links of a file, in document order.
func (s *Snapshot) Outgoing(path vpath.Path) []Outgoing {
	entry := s.Entry(path)
	if entry == nil {
		return nil
	}
	return s.outgoing(path, entry.Links)
}

func (s *Snapshot) outgoing(from vpath.Path, all []Link) []Outgoing {
	resolver := s.Paths.From(from)
	links := make([]Outgoing, 0, len(all))
	for _, link := range all {
		if !link.Label {
			links = append(links, Outgoing{Link: link, To: s.target(&resolver, link)})
		}
	}
	return links
}

func (s *Snapshot) target(resolver *vpath.Resolver, link Link) vpath.Path {
	if link.Exact {
		found, _ := s.Paths.Find(vpath.Path(link.Path))
		return found
	}
	found, _ := resolver.Resolve(link.Path)
	return found
}

// incoming holds the links that lead to a file.
type incoming struct {
	links []Backlink
	names []string // of the files that hold the links
}

// Backlinks lists the links that lead to a file, by source and line.
func (s *Snapshot) Backlinks(path vpath.Path) []Backlink { return s.incoming(path).links }

// Sources names the files that link to a file, by path.
func (s *Snapshot) Sources(path vpath.Path) []string { return s.incoming(path).names }

func (s *Snapshot) incoming(path vpath.Path) incoming {
	s.memo.mu.Lock()
	cached, ok := s.memo.incoming[path]
	s.memo.mu.Unlock()
	if ok {
		return cached
	}
	found := incoming{links: s.backlinks(path), names: []string{}}
	for i, link := range found.links {
		if i == 0 || link.From != found.links[i-1].From {
			found.names = append(found.names, s.Name(link.From))
		}
	}
	s.memo.mu.Lock()
	defer s.memo.mu.Unlock()
	if s.memo.incoming == nil {
		s.memo.incoming = map[vpath.Path]incoming{}
	}
	s.memo.incoming[path] = found
	return found
}

// manyLinks make it worth keeping what is known about the links to a file when other files change.
const manyLinks = 256

// unaffected returns the known links to files with many, as far as a change of some files cannot concern them: these
// neither held nor hold a link with such a name. No file may be added or removed.
func (s *Snapshot) unaffected(outdated []vpath.Path, updated []*Entry) map[vpath.Path]incoming {
	s.memo.mu.Lock()
	defer s.memo.mu.Unlock()
	var kept map[vpath.Path]incoming
	var asked map[vpath.Key]bool // names that the changed files ask for, now or before
	for path, known := range s.memo.incoming {
		if len(known.links) < manyLinks || slices.Contains(outdated, path) {
			continue
		}
		if asked == nil {
			kept, asked = map[vpath.Path]incoming{}, s.namesAskedFor(outdated, updated)
		}
		key := baseKey(string(path))
		for !asked[key] {
			shorter := baseKey(string(key))
			if shorter == key {
				kept[path] = known
				break
			}
			key = shorter
		}
	}
	return kept
}

// namesAskedFor returns the base names in the links of files, as they were and as they are.
func (s *Snapshot) namesAskedFor(outdated []vpath.Path, updated []*Entry) map[vpath.Key]bool {
	names := map[vpath.Key]bool{}
	add := func(entry *Entry) {
		for _, link := range entry.Links {
			names[baseKey(link.Path)] = true
		}
	}
	for _, path := range outdated {
		if entry := s.Entry(path); entry != nil {
			add(entry)
		}
	}
	for _, entry := range updated {
		add(entry)
	}
	return names
}

func (s *Snapshot) backlinks(path vpath.Path) []Backlink {
	var found []Backlink
	for link := range s.mayLinkTo(path) {
		if link.Label {
			continue
		}
		resolver := s.Paths.From(link.From)
		if s.target(&resolver, link.Link) == path {
			found = append(found, link)
		}
	}
	if entry := s.Entry(path); entry != nil {
		for _, link := range entry.Links {
			if link.Path == "" && !link.Label {
				found = append(found, Backlink{From: path, Link: link})
			}
		}
	}
	order.Stably(found, func(a, b Backlink) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Line, b.Line))
	})
	return found
}

// mayLinkTo yields the links that have the base name of a path. Both "A.md" and "A.md.md" may mean a file called
// "A.md.md".
func (s *Snapshot) mayLinkTo(path vpath.Path) iter.Seq[Backlink] {
	return func(yield func(Backlink) bool) {
		key := baseKey(string(path))
		for {
			for _, link := range s.links.get(key) {
				if !yield(link) {
					return
				}
			}
			shorter := baseKey(string(key))
			if shorter == key {
				return
			}
			key = shorter
		}
	}
}

// MayLinkTo lists the files that hold a link with the base name of one of the paths. When a file moves to or from
// one of the paths, only these files can hold links that must change.
func (s *Snapshot) MayLinkTo(paths ...vpath.Path) []*Entry {
	seen := map[vpath.Path]bool{}
	var found []*Entry
	for _, path := range paths {
		for link := range s.mayLinkTo(path) {
			if !seen[link.From] {
				seen[link.From] = true
				found = append(found, s.Entry(link.From))
			}
		}
	}
	order.By(found, func(a, b *Entry) int { return cmp.Compare(a.Path, b.Path) })
	return found
}

// Broken lists the links that lead to no file, by source; each target once per source.
func (s *Snapshot) Broken() []Broken {
	s.memo.mu.Lock()
	defer s.memo.mu.Unlock()
	if s.memo.hasBroken {
		return s.memo.broken
	}
	var found []Broken
	seen := map[string]bool{}
	s.Files(func(path vpath.Path) bool {
		clear(seen)
		for _, link := range s.outgoing(path, s.linksOf(path)) {
			if link.To == "" && !seen[link.Path] {
				seen[link.Path] = true
				found = append(found, Broken{From: path, Target: link.Path})
			}
		}
		return true
	})
	order.Stably(found, func(a, b Broken) int { return cmp.Compare(a.From, b.From) })
	s.memo.broken, s.memo.hasBroken = found, true
	return found
}
