package edit

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
)

// rewriteNote has the links of a note written anew, in its body and in its
// properties.
func rewriteNote(note *md.Note, w writer) []md.Splice {
	return append(rewriteFront(note, w), rewriteBody(note, w, md.Scan)...)
}

// rewriteCard has the links in a text card of a canvas written anew.
func rewriteCard(text string, w writer) []md.Splice {
	return rewriteBody(md.ScanText([]byte(text)), w, md.ScanText)
}

func rewriteBody(note *md.Note, w writer, scan func([]byte) *md.Note) []md.Splice {
	body := passage{src: note.Source, links: note.Links, blocks: note.Blocks,
		scan: func(src []byte) []md.Link { return scan(src).Links }}
	splices, _ := body.rewrite(w)
	return splices
}

// rewriteFront has the links in a note's properties written anew, inside of the
// values' own quotes. What YAML refuses holds no links.
func rewriteFront(note *md.Note, w writer) []md.Splice {
	block, err := front.Parse(note)
	if err != nil {
		return nil
	}
	var splices []md.Splice
	links := block.Links()
	for len(links) > 0 {
		count := 1
		for count < len(links) && links[count].Value.Span == links[0].Value.Span {
			count++
		}
		splices = append(splices, rewriteValue(note.Source, links[:count], w)...)
		links = links[count:]
	}
	return splices
}

// rewriteValue has the links of one value written anew. A value whose quoting
// or folded lines run through its links, or whose links cannot be written the
// usual way, is written anew as a whole.
func rewriteValue(src []byte, links []front.Link, w writer) []md.Splice {
	value, folded := links[0].Value, links[0].Folded
	quote := value.Quote
	if folded {
		src, quote = []byte(value.Text), keepText
	}
	var changes []md.Splice
	for _, link := range links {
		if changed, ok := w.write(src, link.Link, link.Target, usual, quote); ok {
			changes = append(changes, changed.splices...)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	text := passage{src: []byte(value.Text), scan: scanValue}
	text.links = scanValue(text.src)
	if asRead, how := text.rewrite(w); folded || how > usual {
		return []md.Splice{{Span: value.Span, Text: []byte(front.Quoted(string(md.Apply(text.src, asRead))))}}
	}
	return inValue(src, value, changes)
}

// scanValue finds the links in a property's value as it reads.
func scanValue(text []byte) []md.Link {
	links := slices.Clone(new(md.Scanner).ScanLinks(text, md.Span{End: len(text)}))
	slices.SortStableFunc(links, func(a, b md.Link) int { return a.Start - b.Start })
	return links
}

// inValue makes the changes of one value. A plain one that they would turn into
// something else is put into quotes.
func inValue(src []byte, value front.TextPlace, changes []md.Splice) []md.Splice {
	local := make([]md.Splice, len(changes))
	for i, change := range changes {
		local[i] = md.Splice{Span: md.Span{Start: change.Start - value.Start, End: change.End - value.Start}, Text: change.Text}
	}
	text := string(md.Apply(value.Of(src), local))
	if quoted := value.Requote(text); quoted != "" && !strings.Contains(text, "\n") {
		return []md.Splice{{Span: value.Span, Text: []byte(quoted)}}
	}
	return changes
}
