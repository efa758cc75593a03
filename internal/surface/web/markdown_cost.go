package web

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// The parser takes time that grows with the square of a paragraph's length
// where a paragraph is nothing but brackets or stars. What is made to that end
// is shown as plain text; what people write is far below these limits.
const (
	// maxCost is about the nanoseconds that the marks of a note may take: the
	// sum of each paragraph's marks times its length.
	maxCost = 150_000_000
	// maxContainers is how deep quotes and lists may be nested in a line.
	maxContainers = 32
	// maxDefinitions is how many lines of a paragraph may look like definitions
	// of links, which are cut off one by one.
	maxDefinitions = 1000
	// maxCells is how many cells the tables of a note may have: short rows are
	// filled up to as many as the head has.
	maxCells = 100_000
	// maxEscapes is how many escaped bars a table may have, each of which is
	// looked for in each piece of code.
	maxEscapes = 1000
)

// costly reports texts whose lines alone cost too much: what headings and the
// cells of tables are made of.
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

// shallow is a text in which no line opens more quotes and lists than there may
// be in one another; of further marks it shows what they are.
func shallow(source []byte) []byte {
	var out []byte
	kept := 0
	for start := 0; start < len(source); {
		line := source[start:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		if at := tooDeep(line); at > 0 {
			out = append(append(out, source[kept:start+at]...), unseen...)
			kept = start + at
		}
		start += len(line)
	}
	if kept == 0 {
		return source
	}
	return append(out, source[kept:]...)
}

// tooDeep is where in a line the marks of quotes and lists are as many as there
// may be; 0 if they are not, or are a rule.
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

// isRule reports a line across the page.
func isRule(line []byte) bool {
	marks := bytes.ReplaceAll(bytes.ReplaceAll(bytes.TrimSpace(line), []byte(" "), nil), []byte("\t"), nil)
	return len(marks) >= 3 && bytes.IndexByte([]byte("-*_"), marks[0]) >= 0 && len(bytes.Trim(marks, string(marks[:1]))) == 0
}

// budget is what the texts of a page have taken so far.
type budget struct {
	cost  int // of their paragraphs
	cells int // that their tables may have
}

var spent = parser.NewContextKey()

// context is that of a text that adds to what others have taken.
func (b *budget) context() parser.Context {
	pc := parser.NewContext()
	pc.Set(spent, b)
	return pc
}

// costlyParagraphs makes plain text of paragraphs that cost too much.
type costlyParagraphs struct{}

func (costlyParagraphs) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	all := pc.Get(spent).(*budget)
	so := all.cost + cost(node.Lines().Value(reader.Source()))
	if so > maxCost {
		asPlain(node)
		return
	}
	all.cost = so
}

// manyDefinitions makes plain text of paragraphs with more definitions of links
// than anybody writes.
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

// hugeTables makes plain text of paragraphs that would become tables without
// measure.
type hugeTables struct{}

func (hugeTables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	columns := 0
	for _, segment := range node.Lines().Sliced(0, node.Lines().Len()) {
		if line := segment.Value(reader.Source()); len(bytes.Trim(line, "|:- \t\r\n")) == 0 {
			columns = max(columns, bytes.Count(line, []byte("|"))+1)
		}
	}
	all := pc.Get(spent).(*budget)
	so := all.cells + columns*node.Lines().Len()
	if so > maxCells || columns > 0 && bytes.Count(node.Lines().Value(reader.Source()), []byte(`\|`)) > maxEscapes {
		asPlain(node)
		return
	}
	all.cells = so
}

// asPlain puts the lines of a paragraph in its place as they are.
func asPlain(node *ast.Paragraph) {
	plain := ast.NewCodeBlock()
	plain.SetLines(node.Lines())
	node.Parent().ReplaceChild(node.Parent(), node, plain)
}
