package web

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// For a paragraph of nothing but brackets or stars, the parser takes time that grows with
// the square of its length. Such hostile text is shown as plain text; what people write
// stays far below these limits.
const (
	// maxCost limits roughly the nanoseconds that the marks of a note may take:
	// the sum of each paragraph's marks times its length.
	maxCost = 150_000_000
	// maxContainers is how deep quotes and lists may be nested in a line.
	maxContainers = 32
	// maxDefinitions is how many lines of a paragraph may look like link
	// definitions, which the parser cuts off one by one.
	maxDefinitions = 1000
	// maxCells is how many cells the tables of a note may have; short rows are
	// padded to the length of the head.
	maxCells = 100_000
	// maxEscapes is how many escaped bars a table may have; the parser searches
	// every code span for each of them.
	maxEscapes = 1000
)

// costly reports whether single lines of a text, as in headings and table cells, cost too
// much.
func costly(sources ...[]byte) bool {
	total := 0
	for _, source := range sources {
		for line := range bytes.Lines(source) {
			total += cost(line)
		}
	}
	return total > maxCost
}

func cost(part []byte) int {
	marks := 0
	for _, c := range part {
		switch c {
		case '[', ']', '(', '!', '*', '_', '~', '`', '<', '$', '=', '#':
			marks++
		}
	}
	return marks * len(part)
}

// shallow limits how deep a line nests quotes and lists; it escapes further marks, so that
// they are shown as text.
func shallow(source []byte) []byte {
	var out []byte
	copied := 0
	for start := 0; start < len(source); {
		line := source[start:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		if at := tooDeep(line); at > 0 {
			out = append(append(out, source[copied:start+at]...), unseen...)
			copied = start + at
		}
		start += len(line)
	}
	if copied == 0 {
		return source
	}
	return append(out, source[copied:]...)
}

// tooDeep returns the offset in a line at which quotes and lists reach the limit; 0 if they do not, or if the line is a
// rule.
func tooDeep(line []byte) int {
	if isRule(line) {
		return 0
	}
	count := 0
	for i, c := range line {
		isMark := c == '>'
		switch c {
		case '>', ' ', '\t', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		case '-', '*', '+':
			isMark = i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t')
		case '.', ')':
			isMark = i > 0 && '0' <= line[i-1] && line[i-1] <= '9'
		default:
			return 0
		}
		if isMark {
			count++
		}
		if count == maxContainers {
			return i + 1
		}
	}
	return 0
}

// isRule reports whether a line is a horizontal rule.
func isRule(line []byte) bool {
	marks := bytes.ReplaceAll(bytes.ReplaceAll(bytes.TrimSpace(line), []byte(" "), nil), []byte("\t"), nil)
	return len(marks) >= 3 && bytes.IndexByte([]byte("-*_"), marks[0]) >= 0 &&
		len(bytes.Trim(marks, string(marks[:1]))) == 0
}

// budget counts what the texts of a page have used so far.
type budget struct {
	cost  int // of their paragraphs
	cells int // of their tables
}

var spent = parser.NewContextKey()

// context makes the parser context of a text that shares the budget.
func (b *budget) context() parser.Context {
	pc := parser.NewContext()
	pc.Set(spent, b)
	return pc
}

// costlyParagraphs turns paragraphs that cost too much into plain text.
type costlyParagraphs struct{}

func (costlyParagraphs) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	all := pc.Get(spent).(*budget)
	total := all.cost + cost(node.Lines().Value(reader.Source()))
	if total > maxCost {
		asPlain(node)
		return
	}
	all.cost = total
}

// manyDefinitions turns paragraphs with absurdly many link definitions into plain text.
type manyDefinitions struct{}

func (manyDefinitions) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	count := 0
	for _, segment := range node.Lines().Sliced(0, node.Lines().Len()) {
		if bytes.HasPrefix(bytes.TrimLeft(segment.Value(reader.Source()), " \t"), []byte("[")) {
			count++
		}
	}
	if count > maxDefinitions {
		asPlain(node)
	}
}

// hugeTables turns paragraphs that would become enormous tables into plain text.
type hugeTables struct{}

func (hugeTables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	columns := 0
	for _, segment := range node.Lines().Sliced(0, node.Lines().Len()) {
		if line := segment.Value(reader.Source()); len(bytes.Trim(line, "|:- \t\r\n")) == 0 {
			columns = max(columns, bytes.Count(line, []byte("|"))+1)
		}
	}
	all := pc.Get(spent).(*budget)
	total := all.cells + columns*node.Lines().Len()
	escapes := bytes.Count(node.Lines().Value(reader.Source()), []byte(`\|`))
	if total > maxCells || columns > 0 && escapes > maxEscapes {
		asPlain(node)
		return
	}
	all.cells = total
}

// asPlain replaces a paragraph with its lines as plain text.
func asPlain(node *ast.Paragraph) {
	plain := ast.NewCodeBlock()
	plain.SetLines(node.Lines())
	node.Parent().ReplaceChild(node.Parent(), node, plain)
}
