package web

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var mathFence = []byte("$$")

// mathSpans reads $x$ within a line, and $$x$$ within a paragraph.
type mathSpans struct{}

func (mathSpans) Trigger() []byte { return []byte{'$'} }

func (mathSpans) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if bytes.HasPrefix(line, mathFence) {
		return displayMath(block, pc)
	}
	length := mathLength(line)
	if length == 0 {
		return nil
	}
	block.Advance(length)
	return &span{kind: mathKind, text: line[1 : length-1]}
}

// mathLength returns the length of the $x$ at the start of a line, or 0 if it is an amount of money.
func mathLength(line []byte) int {
	inner := line[1:]
	end := bytes.IndexByte(inner, '$')
	if end <= 0 || util.IsSpace(inner[0]) || util.IsSpace(inner[end-1]) ||
		end+1 < len(inner) && util.IsNumeric(inner[end+1]) {
		return 0
	}
	return end + 2
}

// unclosed remembers a range in which no closing $$ follows, so that it is searched only once.
var unclosed = parser.NewContextKey()

func displayMath(block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	if failed, _ := pc.Get(unclosed).(text.Segment); failed.Start <= segment.Start && segment.Start < failed.Stop {
		return nil
	}
	block.Advance(len(mathFence))
	if bytes.HasPrefix(line[len(mathFence):], mathFence) { // empty
		block.Advance(len(mathFence))
		return ast.NewTextSegment(segment.WithStop(segment.Start + 2*len(mathFence)))
	}
	searched := text.NewSegment(segment.Start, segment.Stop)
	var inner []byte
	for {
		line, segment := block.PeekLine()
		if line == nil {
			pc.Set(unclosed, searched)
			return nil
		}
		if end := bytes.Index(line, mathFence); end >= 0 {
			block.Advance(end + len(mathFence))
			return &span{kind: mathKind, text: append(inner, line[:end]...)}
		}
		inner, searched.Stop = append(inner, line...), segment.Stop
		block.AdvanceLine()
	}
}

// mathBlocks reads $$ over several lines and shows them as code. A $$ that closes one
// opened inside a paragraph does not begin a block.
type mathBlocks struct{}

func (mathBlocks) Trigger() []byte { return []byte{'$'} }

func (mathBlocks) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 || !bytes.HasPrefix(line[at:], mathFence) || bytes.Contains(line[at+2:], mathFence) ||
		hasOpenMath(pc, reader.Source()) {
		return nil, parser.NoChildren
	}
	node := ast.NewCodeBlock()
	if rest := line[at+2:]; !util.IsBlank(rest) {
		node.Lines().Append(text.NewSegment(segment.Stop-len(rest), segment.Stop))
	}
	return node, parser.NoChildren
}

// Continue reads a line. Text after the end of the block begins a paragraph.
func (mathBlocks) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, segment := reader.PeekLine()
	end := bytes.Index(line, mathFence)
	if end < 0 {
		node.Lines().Append(segment)
		reader.AdvanceToEOL()
		return parser.Continue | parser.NoChildren
	}
	closing := segment.Start + end - segment.Padding
	if !util.IsBlank(line[:end]) {
		node.Lines().Append(text.NewSegment(segment.Start, closing))
	}
	reader.AdvanceToEOL()
	if rest := paragraphOf(text.NewSegment(closing+len(mathFence), segment.Stop), reader.Source()); rest != nil {
		node.Parent().AppendChild(node.Parent(), rest)
		pc.SetOpenedBlocks(append(pc.OpenedBlocks(), parser.Block{Node: rest, Parser: parser.NewParagraphParser()}))
	}
	return parser.Close
}

func (mathBlocks) Close(ast.Node, text.Reader, parser.Context) {}
func (mathBlocks) CanInterruptParagraph() bool                 { return true }
func (mathBlocks) CanAcceptIndentedLine() bool                 { return false }

// paragraphOf turns the rest of a line into a paragraph, or returns nil if the rest is only the id of the block before.
func paragraphOf(rest text.Segment, source []byte) *ast.Paragraph {
	rest = rest.TrimLeftSpace(source)
	words := bytes.TrimRight(rest.Value(source), " \t\r\n")
	if len(words) == 0 || blockID.Match(words) {
		return nil
	}
	paragraph := ast.NewParagraph()
	paragraph.Lines().Append(rest)
	return paragraph
}

// blockID matches a text that is nothing but a block id.
var blockID = regexp.MustCompile(`^\^[A-Za-z0-9-]+$`)

// pairing counts the lines of a paragraph that were read and says whether a $$ is open
// after them.
type pairing struct {
	paragraph ast.Node
	lines     int
	open      bool
}

// paired caches the pairing of the last paragraph.
var paired = parser.NewContextKey()

// hasOpenMath reports whether the paragraph that a line would continue has an unclosed $$.
// It reads each of its lines once.
func hasOpenMath(pc parser.Context, source []byte) bool {
	paragraph, ok := pc.LastOpenedBlock().Node.(*ast.Paragraph)
	if !ok {
		return false
	}
	state, _ := pc.Get(paired).(*pairing)
	if state == nil || state.paragraph != paragraph {
		state = &pairing{paragraph: paragraph}
		pc.Set(paired, state)
	}
	for ; state.lines < paragraph.Lines().Len(); state.lines++ {
		line := paragraph.Lines().At(state.lines)
		state.read(line.Value(source))
	}
	return state.open
}

// read scans a line. A $$ in code or after a backslash does not count.
func (p *pairing) read(line []byte) {
	for len(line) > 0 {
		skip := 1
		switch {
		case bytes.HasPrefix(line, mathFence):
			p.open, skip = !p.open, len(mathFence)
		case p.open:
		case line[0] == '$':
			skip = max(mathLength(line), 1)
		case line[0] == '\\':
			skip = 2
		case line[0] == '`':
			skip = codeLength(line)
		}
		line = line[min(skip, len(line)):]
	}
}

// codeLength returns the length of the code span at the start of a line, or of its backticks if the line does not end it.
func codeLength(line []byte) int {
	width := len(line) - len(bytes.TrimLeft(line, "`"))
	for at := width; ; {
		next := bytes.IndexByte(line[at:], '`')
		if next < 0 {
			return width
		}
		at += next
		run := len(line[at:]) - len(bytes.TrimLeft(line[at:], "`"))
		if at += run; run == width {
			return at
		}
	}
}
