package index

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/order"
)

// suggestion is a note that a name may mean.
type suggestion struct {
	path vpath.Path
	cost int // the lower, the likelier
}

// Suggest lists notes that a name that matches none may mean, the likeliest first: by name or, if none is similar, by a
// search for its words.
func (s *Snapshot) Suggest(ctx context.Context, name string, limit int) []vpath.Path {
	if paths := s.SuggestByName(name, limit); len(paths) > 0 {
		return paths
	}
	return s.searchSuggestions(ctx, wantedNote(name), limit)
}

// wantedNote is the name of a note that a path or name asks for.
func wantedNote(name string) wantedName {
	return newWantedName(strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], vpath.NoteExt))
}

// SuggestByName lists the notes with similar names: by alias, by spelling, by words in common.
func (s *Snapshot) SuggestByName(name string, limit int) []vpath.Path {
	wanted := wantedNote(name)
	if wanted.want == "" {
		return nil
	}
	best := map[vpath.Path]int{}
	consider := func(path vpath.Path, cost int) {
		if known, ok := best[path]; !ok || cost < known {
			best[path] = cost
		}
	}
	s.aliases.keys(func(alias vpath.Key) bool {
		if cost, ok := wanted.cost(string(alias)); ok {
			for _, path := range notesOf(s.aliases.get(alias)) {
				consider(path, cost)
			}
		}
		return true
	})
	naming := s.naming()
	for i, folded := range naming.folded {
		if cost, ok := wanted.cost(folded); ok {
			consider(naming.names[i].Path, cost)
		}
	}
	found := make([]suggestion, 0, len(best))
	for path, cost := range best {
		found = append(found, suggestion{path, cost})
	}
	order.By(found, func(a, b suggestion) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.path, b.path))
	})
	var paths []vpath.Path
	for _, suggested := range found[:min(limit, len(found))] {
		paths = append(paths, suggested.path)
	}
	return paths
}

// searchedWords is how many words of a name are searched for: each common word takes a while.
const searchedWords = 3

// searchSuggestions finds notes that contain the rarest words of a name, or at least the rarest.
func (s *Snapshot) searchSuggestions(ctx context.Context, wanted wantedName, limit int) []vpath.Path {
	words, weights := slices.Clone(wanted.words), map[string]float64{}
	for _, word := range words {
		weights[word] = s.Weight(word)
	}
	order.Stably(words, func(a, b string) int { return cmp.Compare(weights[b], weights[a]) })
	for _, count := range []int{min(searchedWords, len(words)), 1} {
		if len(words) < count || count == 0 {
			return nil
		}
		// In quotes, so that notes with only some of the words, which takes longest, are not looked for.
		query, err := search.Parse(`"`+strings.Join(words[:count], `" "`)+`"`, search.Options{})
		if err != nil {
			return nil
		}
		results, err := s.Search(ctx, Search{Query: query, Limit: limit})
		if notes := notesIn(results.Found); err != nil || len(notes) > 0 {
			return notes
		}
	}
	return nil
}

func notesIn(found []Found) []vpath.Path {
	var notes []vpath.Path
	for _, file := range found {
		if file.Path.IsNote() {
			notes = append(notes, file.Path)
		}
	}
	return notes
}

// wantedName is a name that matches no note.
type wantedName struct {
	want    string // folded
	letters letters
	runes   int
	most    int // how many letters may differ
	words   []string
}

func newWantedName(name string) wantedName {
	want := string(vpath.FoldKey(strings.TrimSpace(name)))
	w := wantedName{want: want, letters: lettersOf(want), runes: utf8.RuneCountInString(want)}
	w.most = min(4, w.runes/4+1)
	for _, word := range strings.FieldsFunc(want, isSeparator) {
		if utf8.RuneCountInString(word) > 2 {
			w.words = append(w.words, word)
		}
	}
	return w
}

func isSeparator(r rune) bool { return strings.ContainsRune(" -_.,;:/()[]'\"#|", r) }

// Costs of a suggestion beyond those of different letters.
const (
	costContains = 10 // one name contains the other
	costWords    = 20 // they have words in common; less for each
)

// cost says how far a folded name is from the wanted one, and whether it is near at all.
func (w wantedName) cost(name string) (int, bool) {
	length := utf8.RuneCountInString(name)
	if difference := length - w.runes; difference <= w.most && -difference <= w.most && w.letters.differ(name) <= 2*w.most {
		if d := fault.Distance(w.want, name, w.most); d <= w.most {
			return d, true
		}
	}
	if min(length, w.runes) > 2 && (strings.Contains(name, w.want) || strings.Contains(w.want, name)) {
		return costContains, true
	}
	common := 0
	for _, word := range w.words {
		if strings.Contains(name, word) {
			common++
		}
	}
	return costWords - common, common > 0 && 2*common >= len(w.words)
}

// letters is the set of a name's ASCII characters; those of other scripts count as one.
type letters uint64

func lettersOf(name string) letters {
	var set letters
	for i := range len(name) {
		if name[i] < utf8.RuneSelf {
			set |= 1 << (name[i] % 63)
		} else {
			set |= 1 << 63
		}
	}
	return set
}

// differ returns how many characters only one of two names has. It is at most twice the number of letters in which they
// differ.
func (l letters) differ(name string) int { return bits.OnesCount64(uint64(l ^ lettersOf(name))) }
