package web

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"obsidian-mcp/internal/note/md"
)

// span is an inline element of Obsidian that the parser's library does not know.
type span struct {
	ast.BaseInline
	kind  ast.NodeKind
	text  []byte // what it shows
	dest  string // of a wikilink: path and subpath
	embed bool
}

var (
	wikiLinkKind  = ast.NewNodeKind("WikiLink")
	tagKind       = ast.NewNodeKind("Tag")
	mathKind      = ast.NewNodeKind("Math")
	highlightKind = ast.NewNodeKind("Highlight")
	taskKind      = ast.NewNodeKind("Task")
)

// Kind implements ast.Node.
func (s *span) Kind() ast.NodeKind { return s.kind }

// Dump prints the node for debugging.
func (s *span) Dump(source []byte, level int) {
	ast.DumpHelper(s, source, level, map[string]string{"text": string(s.text), "dest": s.dest}, nil)
}

// wikiLinks reads [[path#heading|text]] and its embeds.
type wikiLinks struct{}

func (wikiLinks) Trigger() []byte { return []byte{'!', '['} }

func (wikiLinks) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	inner, embed := bytes.CutPrefix(line, []byte("!"))
	inner, ok := bytes.CutPrefix(inner, []byte("[["))
	if !ok {
		return nil
	}
	end := bytes.Index(inner, []byte("]]"))
	if end <= 0 {
		return nil
	}
	written := inner[:end]
	if bytes.Contains(written, []byte("[[")) {
		return nil
	}
	block.Advance(len(line) - len(inner) + end + 2)
	dest, shown, _ := bytes.Cut(written, []byte("|"))
	dest = bytes.TrimSuffix(dest, []byte(`\`)) // tables escape the |
	return &span{kind: wikiLinkKind, embed: embed, dest: string(bytes.TrimSpace(dest)), text: bytes.TrimSpace(shown)}
}

// tasks reads [ ], [x] and any other mark at the start of a list item.
type tasks struct{}

func (tasks) Trigger() []byte { return []byte{'['} }

func (tasks) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	item, ok := parent.Parent().(*ast.ListItem)
	if !ok || item.FirstChild() != parent || parent.HasChildren() {
		return nil
	}
	line, _ := block.PeekLine()
	mark, size := utf8.DecodeRune(line[1:])
	end := 1 + size
	if mark == ']' || unicode.IsControl(mark) || len(line) < end+2 || line[end] != ']' || !util.IsSpace(line[end+1]) {
		return nil
	}
	block.Advance(end + 2)
	return &span{kind: taskKind, text: line[1:end]}
}

// tags reads #tag.
type tags struct{}

func (tags) Trigger() []byte { return []byte{'#'} }

func (tags) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	if before := block.PrecendingCharacter(); !unicode.IsSpace(before) {
		return nil
	}
	line, _ := block.PeekLine()
	end := 1
	for end < len(line) {
		r, size := utf8.DecodeRune(line[end:])
		if !inTag(r) {
			break
		}
		end += size
	}
	name := line[1:end]
	if !md.ValidTag(string(name)) {
		return nil
	}
	block.Advance(end)
	return &span{kind: tagKind, text: name}
}

// inTag reports whether a character can be part of a tag.
func inTag(r rune) bool {
	if r < utf8.RuneSelf {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' || r == '/'
	}
	return !unicode.IsSpace(r) && !unicode.In(r, unicode.Po, unicode.Ps, unicode.Pe)
}

// highlights reads ==text==.
type highlights struct{}

func (highlights) Trigger() []byte { return []byte{'='} }

func (h highlights) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, 2, h)
	if node == nil || node.OriginalLength != 2 {
		return nil
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

func (highlights) IsDelimiter(c byte) bool { return c == '=' }

func (highlights) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

func (highlights) OnMatch(int) ast.Node { return &span{kind: highlightKind} }
