package index

import (
	"cmp"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
)

// Tags lists every tag of the vault in the vault's spelling, sorted.
func (s *Snapshot) Tags() []string {
	var tags []string
	s.tags.keys(func(key vpath.Key) bool {
		tags = append(tags, spellingOf(s.tags.get(key)))
		return true
	})
	slices.Sort(tags)
	return tags
}

// TopTags lists the tags that most notes have, up to a limit and sorted by name, and returns how many there are in
// all.
func (s *Snapshot) TopTags(limit int) (tags []string, total int) {
	all := s.TagCounts()
	for _, tag := range all[:min(limit, len(all))] {
		tags = append(tags, tag.Tag)
	}
	slices.Sort(tags)
	return tags, len(all)
}

// TagCount is a tag in the vault's spelling, with the number of notes that have it.
type TagCount struct {
	Tag   string
	Notes int
}

// TagCounts lists every tag, the most used first.
func (s *Snapshot) TagCounts() []TagCount {
	var counts []TagCount
	s.tags.keys(func(key vpath.Key) bool {
		notes := s.tags.get(key)
		counts = append(counts, TagCount{spellingOf(notes), len(notesOf(notes))})
		return true
	})
	order.By(counts, func(a, b TagCount) int { return cmp.Or(cmp.Compare(b.Notes, a.Notes), cmp.Compare(a.Tag, b.Tag)) })
	return counts
}

// Tag returns a tag in the vault's spelling, and whether any note has it.
func (s *Snapshot) Tag(tag string) (string, bool) {
	notes := s.tags.get(vpath.FoldKey(tag))
	if len(notes) == 0 {
		return tag, false
	}
	return spellingOf(notes), true
}

// spellingOf returns a tag as the first note, by path, spells it.
func spellingOf(notes []labelled) string {
	return slices.MinFunc(notes, func(a, b labelled) int { return cmp.Compare(a.note, b.note) }).label
}

// Tagged lists the notes that have a tag, in no order. With children, "a" finds "a/b" too.
func (s *Snapshot) Tagged(tag string, children bool) []vpath.Path {
	key := vpath.FoldKey(tag)
	lists := [][]labelled{s.tags.get(key)}
	if children {
		s.tags.keys(func(other vpath.Key) bool {
			if strings.HasPrefix(string(other), string(key)) && strings.HasPrefix(string(other[len(key):]), "/") {
				lists = append(lists, s.tags.get(other))
			}
			return true
		})
	}
	if len(lists) == 1 {
		return notesOf(lists[0])
	}
	seen := map[vpath.Path]bool{}
	var found []vpath.Path
	for _, list := range lists {
		for _, item := range list {
			if !seen[item.note] {
				seen[item.note] = true
				found = append(found, item.note)
			}
		}
	}
	return found
}

// notesOf returns the notes of a tag's list. A note that spells the tag in two ways is in the list twice, in a row.
func notesOf(list []labelled) []vpath.Path {
	notes := make([]vpath.Path, 0, len(list))
	for i, item := range list {
		if i == 0 || item.note != list[i-1].note {
			notes = append(notes, item.note)
		}
	}
	return notes
}
