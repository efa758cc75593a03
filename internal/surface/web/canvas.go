package web

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/canvas"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/text/order"
)

const (
	mostArrows  = 500 // arrows of a canvas that are listed
	longestName = 60  // of a card named by an arrow
)

// canvasAsMarkdown renders a canvas as a note: cards as quotes from top to bottom, groups
// as headings above their cards, arrows as a list. A quote ends whatever markup a card
// leaves open, so that no card spills into the next.
func canvasAsMarkdown(board canvas.Board) []byte {
	board.Nodes = slices.Clone(board.Nodes)
	order.Stably(board.Nodes, func(a, b canvas.Node) int {
		return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
	})
	var out bytes.Buffer
	writeCards(&out, board.Nodes)
	writeArrows(&out, board)
	if out.Len() == 0 {
		out.WriteString("This canvas is empty.\n")
	}
	return out.Bytes()
}

// writeCards writes cards without a group first, then group by group.
func writeCards(out *bytes.Buffer, nodes []canvas.Node) {
	groups := []canvas.Node{{}}
	for _, node := range nodes {
		if node.IsGroup() {
			groups = append(groups, node)
		}
	}
	members := make([][]canvas.Node, len(groups))
	for _, node := range nodes {
		if !node.IsGroup() {
			in := groupAmong(groups, node.Rect)
			members[in] = append(members[in], node)
		}
	}
	for i, group := range groups {
		if i > 0 {
			fmt.Fprintf(out, "# %s\n\n", literal(cmp.Or(firstLine(group.Label), "Group")))
		}
		for _, card := range members[i] {
			if text := cardMarkdown(card); text != "" {
				fmt.Fprintf(out, "> %s\n\n"+partEnd, strings.ReplaceAll(text, "\n", "\n> "))
			}
		}
	}
}

// mostGroups limits the groups that are searched for each card.
const mostGroups = 200

// groupAmong returns the smallest group that contains the middle of a card; the first
// group, which has no position, takes all other cards.
func groupAmong(groups []canvas.Node, c canvas.Rect) int {
	x, y := c.X+c.Width/2, c.Y+c.Height/2
	best := 0
	for i, group := range groups[:min(len(groups), mostGroups)] {
		inside := x >= group.X && x <= group.Right() && y >= group.Y && y <= group.Bottom()
		if i > 0 && inside && (best == 0 || group.Width*group.Height < groups[best].Width*groups[best].Height) {
			best = i
		}
	}
	return best
}

// cardMarkdown returns the text of a card.
func cardMarkdown(c canvas.Node) string {
	text := c.Text
	switch {
	case c.Type == canvas.FileCard && isLinkable(c.File+c.Subpath):
		text = "![[" + escapeHash(c.File) + c.Subpath + "]]"
	case c.Type == canvas.FileCard:
		text = literal(firstLine(c.File))
	case c.Type == canvas.LinkCard:
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

func writeArrows(out *bytes.Buffer, board canvas.Board) {
	if len(board.Edges) == 0 {
		return
	}
	names := map[string]string{}
	for _, node := range board.Nodes {
		names[node.ID] = cardName(node)
	}
	out.WriteString("# Arrows\n\n")
	for _, edge := range board.Edges[:min(len(board.Edges), mostArrows)] {
		from, to := cmp.Or(names[edge.From], missingCard), cmp.Or(names[edge.To], missingCard)
		fmt.Fprintf(out, "- %s %s %s", from, arrowSign(edge), to)
		if label := firstLine(edge.Label); label != "" {
			fmt.Fprintf(out, ": %s", literal(label))
		}
		out.WriteString("\n")
	}
	if more := len(board.Edges) - mostArrows; more > 0 {
		fmt.Fprintf(out, "\nAnd %s more.\n", amount.Number(more))
	}
}

// arrowSign returns the character for an arrow's direction.
func arrowSign(e canvas.Edge) string {
	switch {
	case e.FromArrow && e.ToArrow:
		return "↔"
	case e.FromArrow:
		return "←"
	case e.ToArrow:
		return "→"
	}
	return "–"
}

// cardName returns what the list of arrows calls a card.
func cardName(c canvas.Node) string {
	switch {
	case c.Type == canvas.FileCard && isLinkable(c.File):
		return "[[" + escapeHash(c.File) + "]]"
	case c.Type == canvas.TextCard:
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
