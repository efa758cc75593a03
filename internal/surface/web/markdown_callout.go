package web

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// callout is the head of a callout: the first line of a quote, [!kind] Title.
type callout struct {
	ast.BaseBlock
	kind    string // a CSS class
	written string // its type, as the note has it
	name    string // shown if it has no title
	folded  bool
}

var calloutKind = ast.NewNodeKind("Callout")

// Kind implements ast.Node.
func (c *callout) Kind() ast.NodeKind { return calloutKind }

// Dump prints the node for debugging.
func (c *callout) Dump(source []byte, level int) {
	ast.DumpHelper(c, source, level, map[string]string{"kind": c.kind}, nil)
}

// calloutClasses maps kinds of callouts to CSS classes. Other kinds look like notes.
var calloutClasses = map[string]string{
	"abstract": "info", "summary": "info", "tldr": "info", "info": "info", "todo": "info",
	"tip": "good", "hint": "good", "important": "good", "success": "good", "check": "good", "done": "good",
	"question": "warn", "help": "warn", "faq": "warn", "warning": "warn", "caution": "warn", "attention": "warn",
	"failure": "bad", "fail": "bad", "missing": "bad", "danger": "bad", "error": "bad", "bug": "bad",
	"example": "plain", "quote": "plain", "cite": "plain",
}

var calloutHead = regexp.MustCompile(`^\[!([^\]\n|]{1,40})(?:\|[^\]\n]*)?\]([+-]?)[ \t]*`)

// calloutHeads finds the heads of callouts before their text is parsed.
type calloutHeads struct{}

func (calloutHeads) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	quote, ok := node.Parent().(*ast.Blockquote)
	if !ok || node.PreviousSibling() != nil {
		return
	}
	first := node.Lines().At(0)
	first = first.TrimLeftSpace(reader.Source())
	line := bytes.TrimRight(first.Value(reader.Source()), " \t\r\n")
	found := calloutHead.FindSubmatch(line)
	if found == nil {
		return
	}
	name := strings.TrimSpace(string(found[1]))
	head := &callout{
		kind: calloutClasses[strings.ToLower(name)], written: string(found[1]), name: capital(name), folded: string(found[2]) == "-",
	}
	if head.kind == "" {
		head.kind = "note"
	}
	title := text.NewSegment(first.Start+len(found[0]), first.Start+len(line))
	if title.Start < title.Stop {
		head.Lines().Append(title)
	}
	quote.InsertBefore(quote, node, head)
	if node.Lines().Len() == 1 {
		quote.RemoveChild(quote, node)
		return
	}
	rest := text.NewSegments()
	rest.AppendAll(node.Lines().Sliced(1, node.Lines().Len()))
	node.SetLines(rest)
}

// capital capitalises a word.
func capital(word string) string {
	runes := []rune(strings.ToLower(word))
	if len(runes) == 0 {
		return ""
	}
	return strings.ToUpper(string(runes[:1])) + string(runes[1:])
}
