package index

import (
	"cmp"
	"path"
	"slices"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
)

// SuggestHeadings lists headings of a note that a link to a missing one may mean, the likeliest first.
func (s *Snapshot) SuggestHeadings(note vpath.Path, wanted string, limit int) []string {
	near := newNearest(wanted)
	if entry := s.Entry(note); entry != nil {
		for _, heading := range entry.Headings {
			near.consider(heading.Text, heading.Text)
		}
	}
	return near.best(limit)
}

// SuggestBlocks lists block ids of a note that a link to a missing one may mean, each with its ^.
func (s *Snapshot) SuggestBlocks(note vpath.Path, wanted string, limit int) []string {
	near := newNearest(wanted)
	if doc := s.docOf(note); doc >= 0 {
		s.text.Text(doc, func(data []byte, _ bool) {
			for _, id := range md.Scan(data).IDs {
				name := valid(string(id.Name.Of(data)))
				near.consider(name, "^"+name)
			}
		})
	}
	return near.best(limit)
}

// SuggestFiles lists the paths of attachments that a link to a missing one may mean.
func (s *Snapshot) SuggestFiles(wanted string, limit int) []string {
	near := newNearest(stem(wanted))
	for file := range s.Paths.All() {
		if file.IsAttachment() {
			near.consider(stem(string(file)), string(file))
		}
	}
	return near.best(limit)
}

// FilesWithStem lists the files other than notes that have a name without its extension, in the order of their paths.
func (s *Snapshot) FilesWithStem(name string) []vpath.Path {
	var found []vpath.Path
	wanted := vpath.FoldKey(name)
	for file := range s.Paths.All() {
		if !file.IsNote() && vpath.FoldKey(stem(string(file))) == wanted {
			found = append(found, file)
		}
	}
	slices.Sort(found)
	return found
}

// stem returns the base name of a file without its extension.
func stem(file string) string {
	base := path.Base(file)
	return base[:len(base)-len(path.Ext(base))]
}

// nearest collects the texts that are nearest to a wanted name.
type nearest struct {
	wanted wantedName
	found  map[string]int // what to suggest, and how far it is
}

func newNearest(wanted string) nearest { return nearest{newWantedName(wanted), map[string]int{}} }

// consider takes a name into account, and what to suggest for it.
func (n nearest) consider(name, suggest string) {
	cost, ok := n.wanted.cost(string(vpath.FoldKey(name)))
	if known, seen := n.found[suggest]; ok && (!seen || cost < known) {
		n.found[suggest] = cost
	}
}

// best returns the nearest, never nil.
func (n nearest) best(limit int) []string {
	names := make([]string, 0, len(n.found))
	for name := range n.found {
		names = append(names, name)
	}
	order.By(names, func(a, b string) int { return cmp.Or(cmp.Compare(n.found[a], n.found[b]), cmp.Compare(a, b)) })
	return names[:min(limit, len(names))]
}
