package edit

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/text/order"
)

// rewriteNote rewrites the links in the body and the properties of a note.
func rewriteNote(note *md.Note, w rewriter) []md.Splice {
	return append(rewriteFront(note, w), rewriteBody(note, w, md.Scan)...)
}

// rewriteCanvas changes the strings of a canvas: rewrite returns the changes of one decoded string.
func rewriteCanvas(src []byte, rewrite func(text md.CanvasText) []md.Splice) ([]md.Splice, error) {
	texts, err := md.ScanCanvas(src)
	if err != nil {
		return nil, err
	}
	var splices []md.Splice
	for _, text := range texts {
		splices = append(splices, text.Splices(src, rewrite(text))...)
	}
	return splices, nil
}

// rewriteCard rewrites the links in a text card of a canvas.
func rewriteCard(text string, w rewriter) []md.Splice {
	return rewriteBody(md.ScanText([]byte(text)), w, md.ScanText)
}

func rewriteBody(note *md.Note, w rewriter, scan func([]byte) *md.Note) []md.Splice {
	body := passage{src: note.Source, links: note.Links, blocks: note.Blocks,
		scan: func(src []byte) []md.Link { return scan(src).Links }}
	splices, _ := body.rewrite(w)
	return splices
}

// rewriteFront rewrites the links in the properties of a note and keeps the quoting of the values. Invalid YAML has no
// links.
func rewriteFront(note *md.Note, w rewriter) []md.Splice {
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

// rewriteValue rewrites the links of one value. If quoting or line folding changes the text of its links, or if they
// cannot be written in the usual form, it rewrites the entire value.
func rewriteValue(src []byte, links []front.Link, w rewriter) []md.Splice {
	value, folded := links[0].Value, links[0].Folded
	quote := value.Quote
	if folded {
		src, quote = []byte(value.Text), keepText
	}
	var changes []md.Splice
	for _, link := range links {
		if changed, ok := w.rewrite(src, link.Link, link.Target, usual, quote); ok {
			changes = append(changes, changed.splices...)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	text := passage{src: []byte(value.Text), scan: scanValue}
	text.links = scanValue(text.src)
	if decoded, form := text.rewrite(w); folded || form > usual {
		return []md.Splice{{Span: value.Span, Text: []byte(front.Quoted(string(md.Apply(text.src, decoded))))}}
	}
	return inValue(src, value, changes)
}

// scanValue returns the links in the decoded value of a property.
func scanValue(text []byte) []md.Link {
	links := slices.Clone(new(md.Scanner).ScanLinks(text, md.Span{End: len(text)}))
	order.Stably(links, func(a, b md.Link) int { return a.Start - b.Start })
	return links
}

// inValue returns the changes of one value. It puts a plain value into quotes if the changes require it.
func inValue(src []byte, value front.Scalar, changes []md.Splice) []md.Splice {
	local := make([]md.Splice, len(changes))
	for i, change := range changes {
		span := md.Span{Start: change.Start - value.Start, End: change.End - value.Start}
		local[i] = md.Splice{Span: span, Text: change.Text}
	}
	text := string(md.Apply(value.Of(src), local))
	if quoted := value.Requote(text); quoted != "" && !strings.Contains(text, "\n") {
		return []md.Splice{{Span: value.Span, Text: []byte(quoted)}}
	}
	return changes
}
