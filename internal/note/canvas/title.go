package canvas

import (
	"path"
	"regexp"
	"strings"
)

// longestName is how many characters of a node's name an edge shows.
const longestName = 40

var (
	lineMarks = regexp.MustCompile(`^(?:#{1,6}(?:\s+|$)|>\s*|[-*+](?:\s+|$)|\d{1,9}[.)](?:\s+|$))`)
	taskBox   = regexp.MustCompile(`^\[.\](?:\s+|$)`)
)

// lines returns what an outline says about a card: its first line, and further ones of a text card.
func (n Node) lines() (first string, more []string) {
	if n.Type != TextCard {
		return n.title(), nil
	}
	for line := range strings.SplitSeq(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(n.Text), "\n") {
		if line = strings.TrimRight(line, " \t\v\f\u00a0"); strings.TrimSpace(line) != "" {
			more = append(more, line)
		}
	}
	if len(more) == 0 {
		return "(empty)", nil
	}
	return withoutMarks(more[0]), more[1:]
}

// withoutMarks removes what makes a line a heading, a quote or a list item.
func withoutMarks(line string) string {
	line = strings.TrimSpace(line)
	for marks := lineMarks.FindString(line); marks != ""; marks = lineMarks.FindString(line) {
		line = line[len(marks):]
	}
	if line == "" {
		return "(empty)"
	}
	return line
}

// title returns the first line of a node in an outline, without its mark.
func (n Node) title() string {
	switch n.Type {
	case TextCard:
		first, _ := n.lines()
		return first
	case FileCard:
		return "[[" + singleLine(strings.TrimSuffix(n.File, ".md")+n.Subpath) + "]]"
	case LinkCard:
		return "<" + singleLine(n.URL) + ">"
	case Group:
		if label := singleLine(n.Label); label != "" {
			return label
		}
		return "(group)"
	}
	if kind := singleLine(n.Type); kind != "" {
		return "(" + kind + ")"
	}
	return "(card)"
}

// name returns what edges call a node.
func (n Node) name() string {
	name := n.fullName()
	if runes := []rune(name); len(runes) > longestName {
		return string(runes[:longestName-1]) + "…"
	}
	return name
}

func (n Node) fullName() string {
	switch n.Type {
	case TextCard:
		title := n.title()
		if plain := title[len(taskBox.FindString(title)):]; plain != "" {
			return plain
		}
		return title
	case FileCard:
		name := strings.TrimSuffix(path.Base(n.File), ".md")
		for part := range strings.SplitSeq(n.Subpath, "#") {
			if part = strings.TrimSpace(part); part != "" {
				name += " > " + part
			}
		}
		return singleLine(name)
	case LinkCard:
		return singleLine(n.URL)
	}
	return n.title()
}

// titles returns the texts by which an operation can mean a node, besides its id.
func (n Node) titles() []string {
	titles := []string{n.title(), n.fullName(), n.name()}
	if n.Type == FileCard {
		titles = append(titles, n.File+n.Subpath, strings.TrimSuffix(n.File, ".md")+n.Subpath, path.Base(n.File)+n.Subpath)
	}
	return titles
}
