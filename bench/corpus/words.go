package corpus

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// word is a word of a corpus and the number of notes that contain it.
type word struct {
	text  string
	notes int
	last  int // the last note that was counted
}

// words counts in how many notes each word occurs.
type words struct {
	known map[string]*word
	seen  int      // notes
	texts []string // of a few notes, for phrases and terms that meet
	all   []*word  // when complete: by number of notes, then by text
}

// keptTexts is the number of notes whose texts are kept.
const keptTexts = 400

func newWords() *words { return &words{known: map[string]*word{}} }

func (w *words) add(text string) {
	w.seen++
	if len(w.texts) < keptTexts {
		w.texts = append(w.texts, text)
	}
	for token := range strings.FieldsFuncSeq(text, isGap) {
		entry := w.known[token]
		if entry == nil {
			entry = &word{text: strings.Clone(token)}
			w.known[entry.text] = entry
		}
		if entry.last != w.seen {
			entry.last, entry.notes = w.seen, entry.notes+1
		}
	}
}

func isGap(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func (w *words) settle() {
	for _, entry := range w.known {
		w.all = append(w.all, entry)
	}
	slices.SortFunc(w.all, func(a, b *word) int {
		return cmp.Or(cmp.Compare(a.notes, b.notes), cmp.Compare(a.text, b.text))
	})
}

// between lists the words of a script that occur in at least low and at most
// high notes, rarest first.
func (w *words) between(script *unicode.RangeTable, low, high int) []string {
	var found []string
	for _, entry := range w.all {
		if entry.notes >= low && entry.notes <= high && written(entry.text, script) {
			found = append(found, entry.text)
		}
	}
	return found
}

// written reports whether a word consists only of a script's letters and is long enough to be a word. ASCII letters
// stand for the Latin script, as in a query typed fast.
func written(text string, script *unicode.RangeTable) bool {
	letters := 0
	for _, r := range text {
		if !unicode.Is(script, r) || script == unicode.Latin && (r < 'a' || r > 'z') {
			return false
		}
		letters++
	}
	return letters >= 2
}

// rarest lists the rarest words of a script that occur more than once: those in at most ten notes or, if a large
// vault has no such words, the first few.
func (w *words) rarest(script *unicode.RangeTable) []string {
	if few := w.between(script, 2, 10); len(few) >= perClass {
		return few
	}
	all := w.between(script, 2, w.seen)
	return all[:min(len(all), 2*perClass)]
}

// middling lists the words that about one note in a hundred contains.
func (w *words) middling(script *unicode.RangeTable) []string {
	if found := w.between(script, w.seen/200, w.seen/50); len(found) >= perClass {
		return found
	}
	all := w.between(script, 2, w.seen)
	return all[len(all)/3 : 2*len(all)/3]
}

// commonest lists the words that most notes contain, rarest first.
func (w *words) commonest(script *unicode.RangeTable) []string {
	all := w.between(script, 2, w.seen)
	return all[max(0, len(all)-2*perClass):]
}
