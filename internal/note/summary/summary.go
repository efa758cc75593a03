// Package summary makes an extract of a note that is worth reading: whole
// sentences and list items, in their order, never more than the words asked
// for, and the same on every call. It does no I/O and writes nothing of its
// own but the marks below.
//
// What is drawn from: paragraphs, list items, quotes and callouts. Links show
// their text, tasks keep their box, inline code and math stay as written. Frontmatter, code
// blocks, tables, block math, embeds, raw HTML, footnotes and %%comments%%
// never appear. A note with hardly any text gives its headings too, one a
// line; one that has nothing but tables gives their head rows; what has nothing
// of all that has an empty summary.
//
// How it is put together: sentences of a paragraph are joined by a space (by
// nothing in Chinese and Japanese), everything else by a line break; a list
// item has "- " before it. A sentence too long to be one is taken in parts,
// with … where it was cut. Where not one sentence fits the budget, the first
// is cut at a word, with … at its end.
//
// What a word is: a run of characters between spaces that has a letter or a
// digit in it. In scripts that are written without spaces (Chinese, Japanese,
// Thai, Lao, Khmer, Burmese) each letter is one. A run of more than 40
// characters counts once for every 40. The same rule counts the words of the
// summary, those of the note and the budget.
package summary

import (
	"bytes"
	"strings"

	"obsidian-mcp/internal/note/md"
)

// Summary is an extract of a note.
type Summary struct {
	Text  string
	Words int // of Text; never more than asked for
	Total int // of the note's body as it reads, code and tables included
}

// Extract picks what matters most from a note. The title is the note's name;
// weight says how telling a term is in this vault (its inverse document
// frequency) and is asked with lower-cased terms, two letters at a time where
// words have no spaces between them. It may be nil.
func Extract(note []byte, title string, maxWords int, weight func(term string) float64) Summary {
	note = bytes.ToValidUTF8(note, []byte("\ufffd"))
	text := read(md.Scan(note))
	pieces := cutPieces(text.telling(), maxWords)
	result := Summary{Total: text.total}
	if maxWords < 1 || len(pieces) == 0 {
		return result
	}
	pieces = sample(pieces, maxPieces)
	judge(pieces, text, title, weight)
	chosen := choose(pieces, maxWords)
	if len(chosen) == 0 {
		end, _ := measure(pieces[0].text, maxWords-markWords(pieces[0].unit))
		result.Text = pieces[0].unit.mark() + strings.TrimRight(pieces[0].text[:end], " \n,;:") + "…"
	} else {
		result.Text = compose(chosen)
	}
	result.Words = countWords(result.Text)
	return result
}
