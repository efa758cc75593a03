package ops

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/text/words"
)

// leastName is how many letters a name must have to be looked for in the whole vault.
const leastName = 4

// callings are the names by which notes are looked for.
type callings struct {
	sum     [sha256.Size]byte // of the notes and all their names
	notes   []vpath.Path
	nodes   []int32               // of the notes in the graph
	wanted  int32                 // the only note that is looked for; -1 for all
	byText  map[string]*called    // by folded name
	byBegin map[uint64][]spelling // by the hash of the only word, or of the first two; those of more words first
	begins  sieve                 // those hashes; small enough for the processor's second cache
}

// sieve is a set of hashes that may seem to have others too. Its size is a power of two.
type sieve []uint64

func newSieve(bits int) sieve { return make(sieve, bits/64) }

func (s sieve) add(hash uint64) { s[hash/64&uint64(len(s)-1)] |= 1 << (hash % 64) }

// hasAny reports whether the sieve has one of two hashes. It looks for both, because few words begin a name, so that the processor
// guesses the answer.
func (s sieve) hasAny(a, b uint64) bool {
	return (s[a/64&uint64(len(s)-1)]>>(a%64)|s[b/64&uint64(len(s)-1)]>>(b%64))&1 != 0
}

// pairOf is the hash of two words in a row.
func pairOf(first, second uint64) uint64 { return (first<<7|first>>57)*0x9E3779B97F4A7C15 ^ second }

// spelling is a name with the number of its words, which may depend on invisible characters.
type spelling struct {
	words int
	*called
}

// called is the note that a name belongs to.
type called struct {
	text       string   // the name, folded
	note       int32    // its number; -1 if several notes have the name
	exact      []string // the spellings that count; nil for any letter case
	lead, tail string   // what the name has before its first word and after its last one
}

// mentionable lists the names and aliases of notes. Those that several notes have are left out, because they do not say
// which note is meant, except for those of the wanted note. In the whole vault, a name of one word must be written as it is,
// because it may be an ordinary word too.
func (r *report) mentionable() *callings {
	var notes []vpath.Path
	var nodes []int32
	for node, path := range r.s.LinkGraph().Paths {
		if path == r.note || r.isListed(path) {
			notes, nodes = append(notes, path), append(nodes, int32(node))
		}
	}
	names := make([][]name, len(notes)) // of each note
	index.InParallel(len(notes), func(i int) {
		names[i] = append(names[i], nameOf(notes[i].Name()))
		for _, alias := range r.s.Aliases(notes[i]) {
			names[i] = append(names[i], nameOf(alias))
		}
	})
	found := &callings{
		notes: notes, nodes: nodes, wanted: int32(slices.Index(notes, r.note)),
		byText: make(map[string]*called, len(notes)), byBegin: make(map[uint64][]spelling, len(notes)), begins: newSieve(1 << 20),
	}
	var all []byte // the notes, with the names that their paths do not have
	for i, note := range notes {
		all = append(append(append(all, 0), note...), 0)
		for at, name := range names[i] {
			if found.add(name, int32(i)); at > 0 {
				all = append(append(all, 0), name.given...)
			}
		}
	}
	for _, alike := range found.byBegin {
		if len(alike) > 1 {
			order.By(alike, func(a, b spelling) int { return cmp.Compare(b.words, a.words) })
		}
	}
	all = append(append(all, 0, 0, 0), r.note...)
	found.sum = sha256.Sum256(all)
	return found
}

// name is a name or an alias of a note.
type name struct {
	given, text string // as the note has it; composed and trimmed
	parts       []words.Word
	folded      string // what is between the first and the last word, folded
	isTelling   bool
}

func nameOf(given string) name {
	n := name{given: given, text: composed(strings.TrimSpace(given))}
	if n.parts = wordsIn([]byte(n.text)); len(n.parts) > 0 {
		n.folded, n.isTelling = fold.String(n.core()), isTelling(n.text)
	}
	return n
}

// core is the name without what precedes its first word and follows its last one.
func (n name) core() string { return n.text[n.parts[0].Start:n.parts[len(n.parts)-1].End] }

// add adds a name of a note.
func (c *callings) add(name name, note int32) {
	parts := name.parts
	if len(parts) == 0 || c.wanted < 0 && !name.isTelling {
		return
	}
	calling := called{text: name.folded, note: note, lead: name.text[:parts[0].Start], tail: name.text[parts[len(parts)-1].End:]}
	known, isKnown := c.byText[calling.text]
	if !isKnown {
		known = &called{note: note}
		c.byText[calling.text] = known
	}
	begin := parts[0].Hash
	if len(parts) > 1 {
		begin = pairOf(begin, parts[1].Hash)
	} else if c.wanted < 0 {
		calling.exact = append(known.exact, name.core())
	}
	switch {
	case known.note != note && note != c.wanted:
		if known.note == c.wanted && c.wanted >= 0 {
			return
		}
		calling = called{text: calling.text, note: -1}
	case isKnown && calling.lead+calling.tail != "" && known.note == note:
		return // the plainer spelling counts
	}
	*known = calling
	spelt := spelling{len(parts), known}
	if isKnown && slices.Contains(c.byBegin[begin], spelt) {
		return
	}
	c.byBegin[begin] = append(c.byBegin[begin], spelt)
	c.begins.add(begin)
}

// composed is a text whose letters are one character each, with their marks.
func composed(text string) string { return string(fold.Compose([]byte(text))) }

// isTelling reports whether a name is worth looking for in the whole vault.
func isTelling(name string) bool {
	least := leastName
	if isUnspaced(name) {
		least = 2
	}
	return utf8.RuneCountInString(name) >= least && !functionWords[strings.ToLower(name)] && strings.ContainsFunc(name, isLetter)
}

// wordsIn lists the words of a text.
func wordsIn(text []byte) (all []words.Word) {
	scanner := words.In(text)
	for word, ok := scanner.Next(); ok; word, ok = scanner.Next() {
		all = append(all, word)
	}
	return all
}

func isLetter(r rune) bool { kind := fold.Kind(r); return kind == fold.Letter || kind == fold.CJK }

// search finds names in the body of a note. Where one is part of another, the longer one is found.
func (d *desk) search(names *callings, source []byte) []place {
	start := md.BodyStart(source)
	body := source[start:]
	d.places = d.places[:0]
	d.words.Reset(body)
	for word, ok := d.words.Next(); ok; {
		next, more := d.words.Next()
		if names.begins.hasAny(word.Hash, pairOf(word.Hash, next.Hash)) {
			if note, span := d.at(names, body, word, next); span.End > 0 {
				if note >= 0 && (names.wanted < 0 || note == names.wanted) {
					d.places = append(d.places, place{int32(start + span.Start), int32(start + span.End), note})
				}
				d.words.From(span.End)
				next, more = d.words.Next()
			}
		}
		word, ok = next, more
	}
	return slices.Clone(d.places)
}

// at finds the longest name that begins with a given word of a text, after which another one comes. It returns the note of that name and
// where the name is, or an empty span if no name begins there.
func (d *desk) at(names *callings, body []byte, first, second words.Word) (note int32, span md.Span) {
	for _, name := range names.byBegin[pairOf(first.Hash, second.Hash)] {
		last, ok := second, second.End > 0
		if name.words > 2 {
			d.ahead.Reset(body)
			d.ahead.From(second.End)
			for i := 2; i < name.words && ok; i++ {
				last, ok = d.ahead.Next()
			}
		}
		if ok && d.isCalled(name.called, body, first.Start, last.End) {
			return name.note, md.Span{Start: first.Start - len(name.lead), End: last.End + len(name.tail)}
		}
	}
	for _, name := range names.byBegin[first.Hash] {
		if d.isCalled(name.called, body, first.Start, first.End) {
			return name.note, md.Span{Start: first.Start - len(name.lead), End: first.End + len(name.tail)}
		}
	}
	return -1, md.Span{}
}

// isCalled reports whether a part of a text is a name, and has around it what the name needs.
func (d *desk) isCalled(name *called, body []byte, start, end int) bool {
	text := body[start:end]
	d.folded = fold.Append(d.folded[:0], text)
	return string(d.folded) == name.text && bytes.HasSuffix(body[:start], []byte(name.lead)) && bytes.HasPrefix(body[end:], []byte(name.tail)) &&
		(name.exact == nil || isOneOf(text, name.exact))
}

// isOneOf reports whether a text is one of several composed ones.
func isOneOf(text []byte, all []string) bool {
	isText := func(other string) bool { return string(text) == other }
	if slices.ContainsFunc(all, isText) {
		return true
	}
	text = fold.Compose(text)
	return slices.ContainsFunc(all, isText)
}
