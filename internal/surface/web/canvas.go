package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/text/amount"
)

const (
	mostArrows  = 500 // arrows of a canvas that are listed
	longestName = 60  // of a card named by an arrow
)

// canvas is a board of cards with arrows between them, as Obsidian stores it.
type canvas struct {
	cards  []canvasCard
	arrows []canvasArrow
}

type canvasCard struct {
	ID      string  `json:"id"`
	Type    string  `json:"type"`
	Text    string  `json:"text"`
	File    string  `json:"file"`
	Subpath string  `json:"subpath"`
	URL     string  `json:"url"`
	Label   string  `json:"label"`
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
	Width   float64 `json:"width"`
	Height  float64 `json:"height"`
}

type canvasArrow struct {
	From    string `json:"fromNode"`
	To      string `json:"toNode"`
	FromEnd string `json:"fromEnd"`
	ToEnd   string `json:"toEnd"`
	Label   string `json:"label"`
}

// canvasAsMarkdown renders a canvas as a note: cards as quotes from top to bottom, groups
// as headings above their cards, arrows as a list. A quote ends whatever markup a card
// leaves open, so that no card spills into the next.
func canvasAsMarkdown(source []byte) (text []byte, ok bool) {
	board, ok := readCanvas(bytes.TrimSpace(bytes.TrimPrefix(source, []byte("\ufeff"))))
	if !ok {
		return nil, false
	}
	slices.SortStableFunc(board.cards, func(a, b canvasCard) int {
		return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
	})
	var out bytes.Buffer
	board.writeCards(&out)
	board.writeArrows(&out)
	if out.Len() == 0 {
		out.WriteString("This canvas is empty.\n")
	}
	return out.Bytes(), true
}

// readCanvas reads a board and leaves out malformed cards and arrows.
func readCanvas(source []byte) (board canvas, ok bool) {
	if len(source) == 0 {
		return canvas{}, true // an empty file, as Obsidian creates it
	}
	var raw struct{ Nodes, Edges []json.RawMessage }
	if json.Unmarshal(source, &raw) != nil {
		return canvas{}, false
	}
	for _, node := range raw.Nodes {
		var card canvasCard
		if json.Unmarshal(node, &card) == nil {
			board.cards = append(board.cards, card)
		}
	}
	for _, edge := range raw.Edges {
		var arrow canvasArrow
		if json.Unmarshal(edge, &arrow) == nil {
			board.arrows = append(board.arrows, arrow)
		}
	}
	return board, true
}

// writeCards writes cards without a group first, then group by group.
func (c canvas) writeCards(out *bytes.Buffer) {
	groups := []canvasCard{{}}
	for _, node := range c.cards {
		if node.Type == "group" {
			groups = append(groups, node)
		}
	}
	members := make([][]canvasCard, len(groups))
	for _, node := range c.cards {
		if node.Type != "group" {
			in := node.groupAmong(groups)
			members[in] = append(members[in], node)
		}
	}
	for i, group := range groups {
		if i > 0 {
			fmt.Fprintf(out, "# %s\n\n", literal(cmp.Or(firstLine(group.Label), "Group")))
		}
		for _, card := range members[i] {
			if text := card.markdown(); text != "" {
				fmt.Fprintf(out, "> %s\n\n"+partEnd, strings.ReplaceAll(text, "\n", "\n> "))
			}
		}
	}
}

// mostGroups limits the groups that are searched for each card.
const mostGroups = 200

// groupAmong returns the smallest group that contains the middle of a card; the first
// group, which has no position, takes all other cards.
func (c canvasCard) groupAmong(groups []canvasCard) int {
	x, y := c.X+c.Width/2, c.Y+c.Height/2
	best := 0
	for i, group := range groups[:min(len(groups), mostGroups)] {
		inside := x >= group.X && x <= group.X+group.Width && y >= group.Y && y <= group.Y+group.Height
		if i > 0 && inside && (best == 0 || group.Width*group.Height < groups[best].Width*groups[best].Height) {
			best = i
		}
	}
	return best
}

// markdown returns the text of a card.
func (c canvasCard) markdown() string {
	text := c.Text
	switch {
	case c.Type == "file" && isLinkable(c.File+c.Subpath):
		text = "![[" + escapeHash(c.File) + c.Subpath + "]]"
	case c.Type == "file":
		text = literal(firstLine(c.File))
	case c.Type == "link":
		text = literal(firstLine(c.URL))
		if _, ok := outside(c.URL); ok && !strings.ContainsAny(c.URL, " <>\n") {
			text = "<" + c.URL + ">"
		}
	}
	return strings.TrimRight(strings.Trim(newlines.Replace(text), "\n"), " \t\n")
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// isLinkable reports whether a path can be written as a link.
func isLinkable(path string) bool { return path != "" && !strings.ContainsAny(path, "[]|\n\r") }

// escapeHash escapes a path so that a link does not split it at a #.
func escapeHash(path string) string { return strings.ReplaceAll(path, "#", hash) }

// missingCard names the end of an arrow whose card does not exist.
const missingCard = "a missing card"

func (c canvas) writeArrows(out *bytes.Buffer) {
	if len(c.arrows) == 0 {
		return
	}
	names := map[string]string{}
	for _, node := range c.cards {
		names[node.ID] = node.name()
	}
	out.WriteString("# Arrows\n\n")
	for _, edge := range c.arrows[:min(len(c.arrows), mostArrows)] {
		from, to := cmp.Or(names[edge.From], missingCard), cmp.Or(names[edge.To], missingCard)
		fmt.Fprintf(out, "- %s %s %s", from, edge.sign(), to)
		if label := firstLine(edge.Label); label != "" {
			fmt.Fprintf(out, ": %s", literal(label))
		}
		out.WriteString("\n")
	}
	if more := len(c.arrows) - mostArrows; more > 0 {
		fmt.Fprintf(out, "\nAnd %s more.\n", amount.Number(more))
	}
}

// sign returns the character for the arrow's direction.
func (e canvasArrow) sign() string {
	back, forth := e.FromEnd == "arrow", e.ToEnd != "none"
	switch {
	case back && forth:
		return "↔"
	case back:
		return "←"
	case forth:
		return "→"
	}
	return "–"
}

// name returns what the list of arrows calls a card.
func (c canvasCard) name() string {
	switch {
	case c.Type == "file" && isLinkable(c.File):
		return "[[" + escapeHash(c.File) + "]]"
	case c.Type == "text":
		return "“" + literal(firstLine(strings.TrimLeft(c.Text, "#>*-+ \t\r\n"))) + "”"
	}
	return literal(cmp.Or(firstLine(c.Label), firstLine(c.URL), firstLine(c.File), "a card"))
}

// firstLine returns the start of a text, short enough to share a line.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if runes := []rune(line); len(runes) > longestName {
		return string(runes[:longestName]) + "…"
	}
	return line
}

// literal escapes a text so that Markdown does not interpret it.
func literal(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r < 0x80 && strings.ContainsRune("\\`*_{}[]<>()#+-.!|~$=%&^:/", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}
