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
	nodes   []int32           // of the notes in the graph
	wanted  int32             // the only note that is looked for; -1 for all
	byText  map[string]called // by folded name
	lengths map[uint64][]int  // by the hash of the first word: how many words such names have, the most first
	firsts  sieve             // hashes of first words; small enough for the processor's first cache
	begins  sieve             // hashes of names of one word, and of the first two words of the others
}

// sieve is a set of hashes that may seem to have others too. Its size is a power of two.
type sieve []uint64

func newSieve(bits int) sieve { return make(sieve, bits/64) }

func (s sieve) add(hash uint64)      { s[hash/64&uint64(len(s)-1)] |= 1 << (hash % 64) }
func (s sieve) has(hash uint64) bool { return s[hash/64&uint64(len(s)-1)]&(1<<(hash%64)) != 0 }

// pairOf is the hash of two words in a row.
func pairOf(first, second uint64) uint64 { return (first<<7|first>>57)*0x9E3779B97F4A7C15 ^ second }

// called is the note that a name belongs to.
type called struct {
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
		byText: make(map[string]called, len(notes)), lengths: make(map[uint64][]int, len(notes)),
		firsts: newSieve(1 << 17), begins: newSieve(1 << 20),
	}
	sum := sha256.New()
	for i, note := range notes {
		sum.Write([]byte("\x00" + string(note) + "\x00"))
		for at, name := range names[i] {
			if found.add(name, int32(i)); at > 0 {
				sum.Write([]byte("\x00" + name.given))
			}
		}
	}
	sum.Write([]byte("\x00\x00\x00" + string(r.note)))
	sum.Sum(found.sum[:0])
	for _, lengths := range found.lengths {
		order.By(lengths, func(a, b int) int { return cmp.Compare(b, a) })
	}
	return found
}

// name is a name or an alias of a note.
type name struct {
	given, text string // as the note has it; composed and trimmed
	parts       []words.Word
	folded      string // what is between the first and the last word, folded
}

func nameOf(given string) name {
	n := name{given: given, text: composed(strings.TrimSpace(given))}
	if n.parts = wordsIn([]byte(n.text)); len(n.parts) > 0 {
		n.folded = fold.String(n.core())
	}
	return n
}

// core is the name without what precedes its first word and follows its last one.
func (n name) core() string { return n.text[n.parts[0].Start:n.parts[len(n.parts)-1].End] }

// add adds a name of a note.
func (c *callings) add(name name, note int32) {
	parts := name.parts
	if len(parts) == 0 || c.wanted < 0 && !isTelling(name.text) {
		return
	}
	core, text := name.core(), name.folded
	calling := called{note: note, lead: name.text[:parts[0].Start], tail: name.text[parts[len(parts)-1].End:]}
	known, isKnown := c.byText[text]
	if len(parts) == 1 && c.wanted < 0 {
		calling.exact = append(known.exact, core)
	}
	switch {
	case isKnown && known.note != note && note != c.wanted:
		if known.note == c.wanted && c.wanted >= 0 {
			return
		}
		calling = called{note: -1}
	case isKnown && calling.lead+calling.tail != "" && known.note == note:
		return // the plainer spelling counts
	}
	c.byText[text] = calling
	first := parts[0].Hash
	c.firsts.add(first)
	if !slices.Contains(c.lengths[first], len(parts)) {
		c.lengths[first] = append(c.lengths[first], len(parts))
	}
	if len(parts) == 1 {
		c.begins.add(first)
	} else {
		c.begins.add(pairOf(first, parts[1].Hash))
	}
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
		if names.firsts.has(word.Hash) && (names.begins.has(word.Hash) || more && names.begins.has(pairOf(word.Hash, next.Hash))) {
			if note, span := d.at(names, body, word); span.End > 0 {
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

// at finds the longest name that begins with a given word of a text. It returns the note of that name and where the name
// is, or an empty span if no name begins there.
func (d *desk) at(names *callings, body []byte, first words.Word) (note int32, span md.Span) {
	for _, length := range names.lengths[first.Hash] {
		d.ahead.Reset(body)
		d.ahead.From(first.End)
		last, ok := first, true
		for range length - 1 {
			if last, ok = d.ahead.Next(); !ok {
				break
			}
		}
		if !ok {
			continue
		}
		text := body[first.Start:last.End]
		d.folded = fold.Append(d.folded[:0], text)
		name, isName := names.byText[string(d.folded)]
		if !isName || !bytes.HasSuffix(body[:first.Start], []byte(name.lead)) || !bytes.HasPrefix(body[last.End:], []byte(name.tail)) {
			continue
		}
		if name.exact == nil || isOneOf(text, name.exact) {
			return name.note, md.Span{Start: first.Start - len(name.lead), End: last.End + len(name.tail)}
		}
	}
	return -1, md.Span{}
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
