package corpus

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// word is one word of a corpus and the number of notes that hold it.
type word struct {
	text  string
	notes int
	last  int // the note that was counted last
}

// words counts in how many notes each word occurs.
type words struct {
	known map[string]*word
	seen  int      // notes
	texts []string // of a few notes, for phrases and terms that meet
	all   []*word  // once settled: by number of notes, then by text
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
		one := w.known[token]
		if one == nil {
			one = &word{text: strings.Clone(token)}
			w.known[one.text] = one
		}
		if one.last != w.seen {
			one.last, one.notes = w.seen, one.notes+1
		}
	}
}

func isGap(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func (w *words) settle() {
	for _, one := range w.known {
		w.all = append(w.all, one)
	}
	slices.SortFunc(w.all, func(a, b *word) int {
		return cmp.Or(cmp.Compare(a.notes, b.notes), cmp.Compare(a.text, b.text))
	})
}

// between lists the words of a script that occur in at least low and at most
// high notes, rarest first.
func (w *words) between(script *unicode.RangeTable, low, high int) []string {
	var found []string
	for _, one := range w.all {
		if one.notes >= low && one.notes <= high && written(one.text, script) {
			found = append(found, one.text)
		}
	}
	return found
}

// written reports whether a word is made of a script alone, and long enough to
// be one; ASCII letters stand for the Latin script, as in a query typed fast.
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

// rarest lists the rarest words of a script that occur more than once: those
// in at most ten notes or, where a large vault has none, the first few.
func (w *words) rarest(script *unicode.RangeTable) []string {
	if few := w.between(script, 2, 10); len(few) >= perClass {
		return few
	}
	all := w.between(script, 2, w.seen)
	return all[:min(len(all), 2*perClass)]
}

// middling lists the words that about one note in a hundred holds.
func (w *words) middling(script *unicode.RangeTable) []string {
	if found := w.between(script, w.seen/200, w.seen/50); len(found) >= perClass {
		return found
	}
	all := w.between(script, 2, w.seen)
	return all[len(all)/3 : 2*len(all)/3]
}

// commonest lists the words that most notes hold, rarest of them first.
func (w *words) commonest(script *unicode.RangeTable) []string {
	all := w.between(script, 2, w.seen)
	return all[max(0, len(all)-2*perClass):]
}
