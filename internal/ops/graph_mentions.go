package ops

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
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
	inParallel(len(paths), func(i int) {
		if r.ctx.Err() == nil {
			found[i] = r.mentionsIn(paths[i], names)
		}
	})
	return slices.Concat(found...), nil
}

// callings are the names by which notes are looked for.
type callings struct {
	byText  map[string]called // by folded name
	lengths map[uint64][]int  // by the hash of the first word: how many words such names have, the most first
	begins  sieve             // hashes of names of one word, and of the first two words of the others
}

// sieve is a set of hashes that may seem to have others too.
type sieve []uint64

const sieveBits = 1 << 22

func (s sieve) add(hash uint64)      { s[hash%sieveBits/64] |= 1 << (hash % 64) }
func (s sieve) has(hash uint64) bool { return s[hash%sieveBits/64]&(1<<(hash%64)) != 0 }

// pairOf is the hash of two words in a row.
func pairOf(first, second uint64) uint64 { return (first<<7|first>>57)*0x9E3779B97F4A7C15 ^ second }

// called is the note that a name belongs to.
type called struct {
	note  vpath.Path
	exact string // how the name must be written; "" for any letter case
}

// mentionable lists the names and aliases of notes. Those that several notes have are left out, because they do not say
// which note is meant. In the whole vault, a name of one word must be written as it is, because it may be an ordinary word
// too.
func (r *report) mentionable() callings {
	found := callings{map[string]called{}, map[uint64][]int{}, make(sieve, sieveBits/64)}
	add := func(name string, note vpath.Path) {
		text := fold.String(name)
		parts := wordsIn([]byte(text))
		isShort := utf8.RuneCountInString(text) < leastName && !isUnspaced(text)
		if len(parts) == 0 || r.note == "" && (isShort || functionWords[text] || !strings.ContainsFunc(text, isLetter)) {
			return
		}
		text = text[parts[0].Start:parts[len(parts)-1].End]
		calling := called{note: note}
		if len(parts) == 1 && r.note == "" {
			calling.exact = strings.TrimSpace(name)
		}
		if known, isKnown := found.byText[text]; isKnown && known.note != note {
			calling = called{} // no note
		}
		found.byText[text] = calling
		first := parts[0].Hash
		if !slices.Contains(found.lengths[first], len(parts)) {
			found.lengths[first] = append(found.lengths[first], len(parts))
		}
		if len(parts) == 1 {
			found.begins.add(first)
		} else {
			found.begins.add(pairOf(first, parts[1].Hash))
		}
	}
	for _, named := range r.s.Names() {
		add(named.Path.Name(), named.Path)
		for _, alias := range r.s.Entry(named.Path).Aliases {
			add(alias, named.Path)
		}
	}
	for _, lengths := range found.lengths {
		order.By(lengths, func(a, b int) int { return cmp.Compare(b, a) })
	}
	return found
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

// mentionsIn lists the mentions in a note.
func (r *report) mentionsIn(path vpath.Path, names callings) (items []ReportItem) {
	g := r.s.LinkGraph()
	node, _ := g.Node(path)
	r.s.View(path, func(source []byte) {
		found := slices.DeleteFunc(names.in(source), func(place place) bool {
			if place.note == "" || place.note == path || r.note != "" && place.note != r.note {
				return true
			}
			meant, _ := g.Node(place.note)
			_, isLinked := slices.BinarySearch(g.Out[node], meant)
			return isLinked
		})
		if len(found) == 0 {
			return
		}
		scanner := scanners.Get().(*md.Scanner)
		defer scanners.Put(scanner)
		note := scanner.Scan(source)
		for _, place := range found {
			isKnown := slices.ContainsFunc(items, func(item ReportItem) bool { return item.Note == string(place.note) })
			if !isKnown && isProse(note, place.Span) {
				items = append(items, ReportItem{
					Path: string(path), Line: note.LineOf(place.Start), Text: string(place.Of(source)), Note: string(place.note), at: place.Span,
				})
			}
		}
	})
	return items
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
		if c.begins.has(word.Hash) || more && c.begins.has(pairOf(word.Hash, next.Hash)) {
			var name called
			var end int
			if name, end, buf = c.at(body, word, buf); end > 0 {
				found = append(found, place{md.Span{Start: start + word.Start, End: start + end}, name.note})
				scanner.From(end)
				next, more = scanner.Next()
			}
		}
		word, ok = next, more
	}
	return found
}

// at returns the longest name that begins with a word of a text, and where it ends; 0 if there is no name.
func (c callings) at(body []byte, first words.Word, buf []byte) (called, int, []byte) {
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
		if name, isName := c.byText[string(buf)]; isName && (name.exact == "" || name.exact == string(text)) {
			return name, last.End, buf
		}
	}
	return called{}, 0, buf
}

// isProse reports whether a part of a note is plain text: not in a link, a tag, an address, code, math, a comment or HTML.
func isProse(note *md.Note, span md.Span) bool {
	touches := func(other md.Span) bool { return other.Start < span.End && span.Start < other.End }
	if slices.ContainsFunc(note.Links, func(link md.Link) bool { return touches(link.Span) }) ||
		slices.ContainsFunc(note.Tags, touches) ||
		slices.ContainsFunc(note.Regions, func(region md.Region) bool { return touches(region.Span) }) {
		return false
	}
	isBlank := func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }
	before := bytes.LastIndexFunc(note.Source[:span.Start], isBlank) + 1
	after := span.End
	if next := bytes.IndexFunc(note.Source[span.End:], isBlank); next >= 0 {
		after += next
	} else {
		after = len(note.Source)
	}
	around := note.Source[before:after]
	return !bytes.Contains(around, []byte("://")) && !bytes.Contains(around, []byte("](")) && !bytes.Contains(around, []byte("www."))
}

// withEdits adds the edits that make links of mentions.
func (r *report) withEdits(items []ReportItem) ([]ReportItem, error) {
	style := r.ops.vault.Settings(r.ctx).Links
	all, err := r.ops.vault.Relinking(r.ctx)
	if err != nil {
		return nil, err
	}
	items = slices.Clone(items)
	for i := range items {
		item := &items[i]
		source, target := vpath.Path(item.Path), vpath.Path(item.Note)
		text := item.Text
		if text == target.Name() {
			text = ""
		}
		link, err := edit.NewLink(all.Snapshot.Paths, source, target, style, text)
		if err != nil {
			continue // the name of the note does not allow a link
		}
		note := md.Scan([]byte(r.s.Text(source)))
		if isInTable(note, item.at.Start) {
			link = strings.ReplaceAll(link, "|", `\|`)
		}
		item.Edit = replacement(note, item.at, link)
	}
	return items, nil
}

func isInTable(note *md.Note, at int) bool {
	return slices.ContainsFunc(note.Blocks, func(block md.Block) bool {
		return block.Kind == md.Table && block.Start <= at && at < block.End
	})
}

// replacement is the edit of replace_text, which changes the first occurrence of a text, that puts a link in a place: with as
// much of the text before it as it needs.
func replacement(note *md.Note, span md.Span, link string) *ReportEdit {
	body := note.Source[note.Body:]
	around := span
	for bytes.Index(body, around.Of(note.Source)) != around.Start-note.Body {
		if around == span {
			around.Start++ // begin with the line itself
		}
		around.Start = max(note.Body, bytes.LastIndexByte(note.Source[:around.Start-1], '\n')+1)
	}
	return &ReportEdit{
		OldText: string(around.Of(note.Source)),
		NewText: string(note.Source[around.Start:span.Start]) + link,
	}
}
