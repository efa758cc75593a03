package ops

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/text/words"
)

// leastName is how many letters a name must have to be looked for in the whole vault.
const leastName = 4

// mentions lists the places where the name or an alias of a note occurs in another that has no link to it: the first place
// in each note.
func (r *report) mentions() ([]ReportItem, error) {
	names := r.mentionable()
	paths := r.mayMention(names)
	found := make([][]ReportItem, len(paths))
	known := r.ops.called.of(names.sum)
	texts := make([]calledIn, len(paths))
	inParallel(len(paths), func(i int) {
		if r.ctx.Err() == nil {
			sum := r.s.Sum(paths[i])
			texts[i] = known[sum]
			found[i] = r.mentionsIn(paths[i], names, &texts[i])
			texts[i].sum = sum
		}
	})
	if r.note == "" && r.in.Folder == "" && r.ctx.Err() == nil {
		r.remember(names, texts)
	}
	return slices.Concat(found...), nil
}

// calledIn is where a text calls notes by their names.
type calledIn struct {
	sum        textSum // of the text
	isSearched bool
	places     []place // anywhere, in their order
	isRead     bool    // which of them are prose is known
	prose      []said  // the first one of each note
}

// said is a place in prose.
type said struct {
	place
	line int
	text string // as the name is written there
}

// mostRemembered is how many places are remembered.
const mostRemembered = 200_000

// remember keeps where names occur in texts for the next report.
func (r *report) remember(names callings, all []calledIn) {
	texts, places := make(map[textSum]calledIn, len(all)), 0
	for _, text := range all {
		if places += len(text.places) + len(text.prose); places <= mostRemembered {
			texts[text.sum] = text
		}
	}
	r.ops.called.keep(names.sum, texts)
}

// callings are the names by which notes are looked for.
type callings struct {
	sum     [sha256.Size]byte // of all names
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
	note       vpath.Path
	exact      []string // the spellings that count; nil for any letter case
	lead, tail string   // what the name has before its first word and after its last one
}

// mentionable lists the names and aliases of notes. Those that several notes have are left out, because they do not say
// which note is meant, except for those of the wanted note. In the whole vault, a name of one word must be written as it is,
// because it may be an ordinary word too.
func (r *report) mentionable() callings {
	var notes []vpath.Path
	for _, named := range r.s.Names() {
		if named.Path == r.note || r.isListed(named.Path) {
			notes = append(notes, named.Path)
		}
	}
	names := make([][]name, len(notes)) // of each note
	inParallel(len(notes), func(i int) {
		names[i] = append(names[i], nameOf(notes[i].Name()))
		for _, alias := range r.s.Aliases(notes[i]) {
			names[i] = append(names[i], nameOf(alias))
		}
	})
	found := callings{
		byText: make(map[string]called, len(notes)), lengths: make(map[uint64][]int, len(notes)),
		firsts: newSieve(1 << 17), begins: newSieve(1 << 20),
	}
	sum := sha256.New()
	for i, note := range notes {
		sum.Write([]byte("\x00" + string(note) + "\x00"))
		for at, name := range names[i] {
			if found.add(name, note, r.note); at > 0 {
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
func (c callings) add(name name, note, wanted vpath.Path) {
	parts := name.parts
	if len(parts) == 0 || wanted == "" && !isTelling(name.text) {
		return
	}
	core, text := name.core(), name.folded
	calling := called{note: note, lead: name.text[:parts[0].Start], tail: name.text[parts[len(parts)-1].End:]}
	known, isKnown := c.byText[text]
	if len(parts) == 1 && wanted == "" {
		calling.exact = append(known.exact, core)
	}
	switch {
	case isKnown && known.note != note && note != wanted:
		if known.note == wanted && wanted != "" {
			return
		}
		calling = called{} // no note
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

// mayMention lists the notes to look at: all, or those that contain a name of the wanted note.
func (r *report) mayMention(names callings) []vpath.Path {
	var paths []vpath.Path
	add := func(path vpath.Path) bool {
		if path != r.note && r.wants(path) {
			paths = append(paths, path)
		}
		return true
	}
	if r.note == "" {
		r.s.Files(add)
	}
	for text, name := range names.byText {
		if r.note != "" && name.note == r.note {
			for _, path := range r.s.Containing(text) {
				add(path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

var scanners = sync.Pool{New: func() any { return new(md.Scanner) }}

// mentionsIn lists the mentions in a note of notes that it has no link to. What it finds out about the text it adds to what is
// known.
func (r *report) mentionsIn(path vpath.Path, names callings, known *calledIn) (items []ReportItem) {
	g := r.s.LinkGraph()
	node, _ := g.Node(path)
	isWanted := func(place place) bool {
		if place.note == path {
			return false
		}
		meant, _ := g.Node(place.note)
		_, isLinked := slices.BinarySearch(g.Out[node], meant)
		return !isLinked
	}
	if !known.isSearched || !known.isRead && slices.ContainsFunc(known.places, isWanted) {
		r.s.View(path, func(source []byte) {
			if !known.isSearched {
				known.places, known.isSearched = slices.DeleteFunc(names.in(source), func(place place) bool {
					return place.note == "" || r.note != "" && place.note != r.note
				}), true
			}
			if slices.ContainsFunc(known.places, isWanted) {
				known.read(source)
			}
		})
	}
	for _, said := range slices.Backward(known.prose) { // who makes the edits in this order does not move the places of the others
		if isWanted(said.place) {
			items = append(items, ReportItem{Path: string(path), Line: said.line, Text: said.text, Note: string(said.note), at: said.Span})
		}
	}
	return items
}

// read finds out which places of a text are prose.
func (c *calledIn) read(source []byte) {
	scanner := scanners.Get().(*md.Scanner)
	defer scanners.Put(scanner)
	note := scanner.Scan(source)
	text := newProse(note)
	for _, place := range c.places {
		isKnown := slices.ContainsFunc(c.prose, func(other said) bool { return other.note == place.note })
		if !isKnown && text.has(place.Span) {
			c.prose = append(c.prose, said{place, note.LineOf(place.Start), string(place.Of(source))})
		}
	}
	c.isRead = true
}

// place is where a note is called by its name.
type place struct {
	md.Span
	note vpath.Path
}

// in finds names in the body of a note. Where one is part of another, the longer one is found.
func (c callings) in(source []byte) (found []place) {
	start := md.BodyStart(source)
	body := source[start:]
	scanner := words.In(body)
	var buf []byte
	for word, ok := scanner.Next(); ok; {
		next, more := scanner.Next()
		if c.firsts.has(word.Hash) && (c.begins.has(word.Hash) || more && c.begins.has(pairOf(word.Hash, next.Hash))) {
			var note vpath.Path
			var span md.Span
			if note, span, buf = c.at(body, word, buf); span.End > 0 {
				found = append(found, place{md.Span{Start: start + span.Start, End: start + span.End}, note})
				scanner.From(span.End)
				next, more = scanner.Next()
			}
		}
		word, ok = next, more
	}
	return found
}

// at finds the longest name that begins with a given word of a text. It returns the note of that name and where the name
// is, or an empty span if no name begins there.
func (c callings) at(body []byte, first words.Word, buf []byte) (vpath.Path, md.Span, []byte) {
	for _, length := range c.lengths[first.Hash] {
		scanner := words.In(body)
		scanner.From(first.End)
		last, ok := first, true
		for range length - 1 {
			if last, ok = scanner.Next(); !ok {
				break
			}
		}
		if !ok {
			continue
		}
		text := body[first.Start:last.End]
		buf = fold.Append(buf[:0], text)
		name, isName := c.byText[string(buf)]
		if !isName || !bytes.HasSuffix(body[:first.Start], []byte(name.lead)) || !bytes.HasPrefix(body[last.End:], []byte(name.tail)) {
			continue
		}
		if name.exact == nil || slices.Contains(name.exact, composed(string(text))) {
			return name.note, md.Span{Start: first.Start - len(name.lead), End: last.End + len(name.tail)}, buf
		}
	}
	return "", md.Span{}, buf
}

// prose tells which parts of a note are plain text.
type prose struct {
	source []byte
	others []md.Span // links, tags, headings, code, math, comments and HTML; in order, without overlaps
}

func newProse(note *md.Note) prose {
	p := prose{source: note.Source}
	for _, link := range note.Links {
		p.others = append(p.others, link.Span)
	}
	for _, heading := range note.Headings {
		p.others = append(p.others, heading.Span)
	}
	for _, region := range note.Regions {
		p.others = append(p.others, region.Span)
	}
	p.others = append(p.others, note.Tags...)
	order.By(p.others, func(a, b md.Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	merged := p.others[:0]
	for _, span := range p.others {
		if last := len(merged) - 1; last >= 0 && span.Start < merged[last].End {
			merged[last].End = max(merged[last].End, span.End)
			continue
		}
		merged = append(merged, span)
	}
	p.others = merged
	return p
}

// nearby is how many bytes around a name are looked at.
const nearby = 256

// What may be right before and after a name. Other characters make it a part of something else: an identifier, a file name,
// a footnote, a reference, the id of a block, an address.
const (
	mayPrecede = " \t\n\r\u00a0(\"'“‘„«¿¡—–*"
	mayFollow  = " \t\n\r\u00a0)\"'”’“»—–*,;!?…"
)

// has reports whether a part of a note is plain text that may become a link.
func (p prose) has(span md.Span) bool {
	next, _ := slices.BinarySearchFunc(p.others, span.Start, func(other md.Span, start int) int {
		if other.End <= start {
			return -1
		}
		return 1
	})
	if next < len(p.others) && p.others[next].Start < span.End {
		return false
	}
	before := p.source[max(0, span.Start-nearby):span.Start]
	after := p.source[span.End:min(len(p.source), span.End+nearby)]
	name := span.Of(p.source)
	return mayStart(before, name) && mayEnd(after, name) && !isOpen(before)
}

// isOpen reports whether a text ends inside a link, a Templater command, a template variable or a Kanban date. These may
// begin on an earlier line.
func isOpen(text []byte) bool {
	for i := len(text) - 2; i >= 0; i-- {
		switch text[i+1] { // few bytes are one of these, and comparing two would take longer
		case '[', '%', '{', ']', '>', '}':
			switch string(text[i : i+2]) {
			case "[[", "<%", "{{", "@{":
				return true
			case "]]", "%>", "}}":
				return false
			}
		}
	}
	return false
}

// mayStart reports whether a name may begin behind a text.
func mayStart(before, name []byte) bool {
	last, size := utf8.DecodeLastRune(before)
	first, _ := utf8.DecodeRune(name)
	if size > 0 && !strings.ContainsRune(mayPrecede, last) && !(fold.Kind(first) == fold.CJK && isCJK(last)) {
		return false
	}
	rest := bytes.TrimRight(before, " \t")
	sign, size := utf8.DecodeLastRune(rest) // dates and ids of tasks follow a sign, values of fields two colons
	return !bytes.HasSuffix(rest, []byte("::")) && (size == 0 || len(rest) == len(before) || !unicode.Is(unicode.So, sign) && sign != '\ufe0f')
}

// mayEnd reports whether a name may end before a text.
func mayEnd(after, name []byte) bool {
	first, size := utf8.DecodeRune(after)
	last, _ := utf8.DecodeLastRune(name)
	switch {
	case size == 0 || strings.ContainsRune(mayFollow, first) || fold.Kind(last) == fold.CJK && isCJK(first):
		return true
	case first == '.' || first == ':':
		second, size := utf8.DecodeRune(after[1:])
		return size == 0 || strings.ContainsRune(mayFollow, second)
	}
	return false
}

// isCJK reports whether a character may be beside one of a script without spaces.
func isCJK(r rune) bool {
	return fold.Kind(r) == fold.CJK || unicode.In(r, unicode.Po, unicode.Ps, unicode.Pe) && r > 0x2e7f
}

// withEdits adds the edits that make links of mentions.
func (r *report) withEdits(items []ReportItem) ([]ReportItem, error) {
	all, err := r.ops.vault.Relinking(r.ctx)
	if err != nil {
		return nil, err
	}
	style := r.ops.vault.Settings(r.ctx).Links
	items = slices.Clone(items)
	for start := 0; start < len(items); {
		end := start + 1
		for end < len(items) && items[end].Path == items[start].Path {
			end++
		}
		r.s.View(vpath.Path(items[start].Path), func(source []byte) {
			if !utf8.Valid(source) {
				return // no tool edits such a note
			}
			note := md.Scan(source)
			for i := start; i < end && r.ctx.Err() == nil; i++ {
				if link, ok := linkOf(all.Snapshot.Paths, note, items[i], style); ok {
					items[i].Edit = replacement(note, items[i].at, link)
				}
			}
		})
		start = end
	}
	return items, r.ctx.Err()
}

// linkOf is the link that a mention becomes; false if the name does not allow one.
func linkOf(paths *vpath.Set, note *md.Note, item ReportItem, style edit.LinkStyle) (string, bool) {
	target, text := vpath.Path(item.Note), item.Text
	if strings.ContainsAny(text, "[]|\n") {
		return "", false
	}
	if text == target.Name() {
		text = ""
	}
	link, err := edit.NewLink(paths, vpath.Path(item.Path), target, style, text)
	isInTable := slices.ContainsFunc(note.Blocks, func(block md.Block) bool {
		return block.Kind == md.Table && block.Start <= item.at.Start && item.at.Start < block.End
	})
	if isInTable {
		link = strings.ReplaceAll(link, "|", `\|`)
	}
	return link, err == nil
}

// contextBytes is how many bytes before a mention its edit has, if its line has them; words are not cut.
const contextBytes = 24

// replacement is the edit of replace_text, which changes the first occurrence of a text, that puts a link in a place: with as
// much of the text before it as it needs to be the first, and to stay so when other mentions have become links.
func replacement(note *md.Note, span md.Span, link string) *ReportEdit {
	source, body := note.Source, note.Source[note.Body:]
	lineStart := func(at int) int { return max(note.Body, bytes.LastIndexByte(source[:at], '\n')+1) }
	start := max(lineStart(span.Start), span.Start-contextBytes)
	if blank := bytes.IndexByte(source[start:span.Start], ' '); start > lineStart(span.Start) && blank >= 0 {
		start += blank + 1
	}
	for start > note.Body && !utf8.RuneStart(source[start]) {
		start--
	}
	for bytes.Index(body, source[start:span.End]) != start-note.Body {
		if line := lineStart(start); line < start {
			start = line
		} else {
			start = lineStart(start - 1) // the line before; the body's start is the last
		}
	}
	return &ReportEdit{OldText: string(source[start:span.End]), NewText: string(source[start:span.Start]) + link}
}
