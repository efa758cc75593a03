package ops

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/text/shingle"
)

const (
	leastLike    = 0.8    // likeness from which two notes are duplicates
	sketchSize   = 64     // shingles that stand for a note
	commonSmall  = 8      // of these, how many two notes may meet by
	mostSketched = 20_000 // notes whose sketches are remembered
	mostMet      = 16     // earlier notes that a note is compared with where many have the same shingle
)

// duplicates lists groups of notes that say the same or nearly the same, the most alike first. Properties do not count.
func (r *report) duplicates() ([]ReportItem, error) {
	paths, sketches := r.sketches()
	groups := make([]int, len(paths)) // the first note of the group of each
	for i := range groups {
		groups[i] = i
	}
	first := func(i int) int {
		for groups[i] != i {
			i = groups[i]
		}
		return i
	}
	met := map[uint64][]int{}
	for i, sketch := range sketches {
		for _, hash := range sketch[:min(commonSmall, len(sketch))] {
			others := met[hash]
			for _, other := range others[max(0, len(others)-mostMet):] {
				if a, b := first(i), first(other); a != b && sketch.Likeness(sketches[other]) >= leastLike {
					groups[max(a, b)] = min(a, b)
				}
			}
			met[hash] = append(others, i)
		}
	}
	members := map[int][]int{}
	for i := range paths {
		members[first(i)] = append(members[first(i)], i)
	}
	var items []ReportItem
	for _, group := range members {
		if len(group) < 2 {
			continue
		}
		item := ReportItem{Likeness: 1, Size: len(group)}
		whole := r.shinglesOf(paths[group[0]])
		for _, i := range group {
			if len(item.Notes) < mostShown {
				item.Notes = append(item.Notes, string(paths[i]))
			}
			item.Likeness = min(item.Likeness, whole.Likeness(r.shinglesOf(paths[i])))
		}
		item.Likeness = rounded(item.Likeness, 2)
		items = append(items, item)
	}
	order.By(items, func(a, b ReportItem) int {
		return cmp.Or(cmp.Compare(b.Likeness, a.Likeness), cmp.Compare(b.Size, a.Size), cmp.Compare(a.Notes[0], b.Notes[0]))
	})
	return items, nil
}

// sketches returns the wanted notes by path, and a few shingles of each.
func (r *report) sketches() (paths []vpath.Path, sketches []shingle.Set) {
	r.s.Files(func(path vpath.Path) bool {
		if r.wants(path) {
			paths = append(paths, path)
		}
		return true
	})
	slices.Sort(paths)
	sketches = make([]shingle.Set, len(paths))
	known := r.ops.sketched.of(noKey)
	keys := make([]textKey, len(paths))
	index.InParallel(len(paths), func(i int) {
		if r.ctx.Err() != nil {
			return
		}
		viewWithKey(r.s, paths[i], func(key textKey, text []byte) {
			isKnown := false
			if sketches[i], isKnown = known[key]; !isKnown {
				sketches[i] = shingle.Smallest(text[md.BodyStart(text):], sketchSize)
			}
			keys[i] = key
		})
	})
	if r.in.Folder == "" && r.ctx.Err() == nil && len(paths) <= mostSketched {
		texts := map[textKey]shingle.Set{}
		for i, key := range keys {
			texts[key] = sketches[i]
		}
		r.ops.sketched.keep(noKey, texts)
	}
	return paths, sketches
}

// noKey says that sketches depend on nothing but the texts.
var noKey [sha256.Size]byte

func (r *report) shinglesOf(path vpath.Path) (all shingle.Set) {
	r.s.View(path, func(text []byte) { all = shingle.Of(text[md.BodyStart(text):]) })
	return all
}
