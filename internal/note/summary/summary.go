// Package summary extracts the most important sentences of a note. A summary consists of complete sentences and list
// items in their original order, never has more words than requested, and is the same on every call. The package does no
// I/O and adds no text of its own except the marks described below.
//
// Content: a summary draws on paragraphs, list items, quotes and callouts. Links show their text, tasks keep their
// checkbox, inline code and math stay as written. Frontmatter, code blocks, tables, block math, embeds, raw HTML,
// footnotes and %%comments%% never appear. For a note with hardly any text the summary includes the headings, one per
// line; for a note with only tables, their head rows. Any other note has an empty summary.
//
// Form: the sentences of a paragraph are joined by a space (by nothing in Chinese and Japanese), everything else by a line
// break. List items start with "- ". An overlong sentence is split into parts, with … where it was cut. If not even one
// sentence fits, the first is cut at a word and ends in ….
//
// Words: a word is a run of characters between spaces that contains a letter or a digit. In scripts written without spaces
// (Chinese, Japanese, Thai, Lao, Khmer, Burmese) each letter is a word. A run of more than 40 characters counts once for
// every 40. The words of the summary, of the note and of the budget are all counted by this rule.
package summary

import (
	"bytes"
	"strings"

	"obsidian-mcp/internal/note/md"
)

// Summary is an extract of a note.
type Summary struct {
	Text  string
	Words int // words of Text; never more than requested
	Total int // words of the note's body, including code and tables
}

// Extract returns a summary of a note. The title is the name of the note. weight returns how distinctive a term is in this
// vault (its inverse document frequency); terms are in lower case, and pairs of letters in scripts without spaces. weight
// may be nil.
func Extract(note []byte, title string, maxWords int, weight func(term string) float64) Summary {
	note = bytes.ToValidUTF8(note, []byte("\ufffd"))
	text := read(md.Scan(note))
	pieces := cutPieces(text.candidates(), maxWords)
	result := Summary{Total: text.total}
	if maxWords < 1 || len(pieces) == 0 {
		return result
	}
	pieces = sample(pieces, maxPieces)
	rate(pieces, text, title, weight)
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
