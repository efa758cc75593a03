package front

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/note/md"
)

// Link is a link in the text of a property.
type Link struct {
	md.Link        // spans in the note's source or, if Folded, in the decoded value
	Folded  bool   // YAML's quoting or line folding changes the text of the link
	Key     string // of the property; list indexes and nested keys follow after dots
	Target  string // path and subpath, decoded
	Value   Scalar // the scalar that contains the link
}

// Original returns the link as it appears in the decoded value.
func (l Link) Original(src []byte) string {
	if l.Folded {
		return string(l.Of([]byte(l.Value.Text)))
	}
	return string(l.Of(src))
}

// Scalar is a text in the YAML and the way it is quoted. Text that is spliced into it must be quoted the same way.
type Scalar struct {
	md.Span
	Text   string // decoded
	double bool
	single bool
	plain  bool
	inFlow bool
}

// Links returns the links in the texts of all properties, in document order. An unquoted [[A]] is a list in YAML, not a
// link.
func (b *Block) Links() []Link {
	var links []Link
	scanner := new(md.Scanner)
	var visit func(node *yaml.Node, key string, indent int, inFlow bool)
	visit = func(node *yaml.Node, key string, indent int, inFlow bool) {
		inFlow = inFlow || node.Style&yaml.FlowStyle != 0
		switch node.Kind {
		case yaml.ScalarNode:
			if readScalar(node).Kind == Text && mayContainLink(node.Value) {
				links = append(links, b.linksIn(scanner, node, key, indent, inFlow)...)
			}
		case yaml.SequenceNode:
			indent = b.column(b.start(node))
			for i, item := range node.Content {
				visit(item, key+"."+strconv.Itoa(i), indent, inFlow)
			}
		case yaml.MappingNode:
			for i := 0; i+1 < len(node.Content); i += 2 {
				name := keyText(node.Content[i])
				if key != "" {
					name = key + "." + name
				}
				visit(node.Content[i+1], name, b.column(b.start(node.Content[i])), inFlow)
			}
		}
	}
	if b.root != nil {
		visit(b.root, "", 0, false)
	}
	return links
}

func mayContainLink(text string) bool {
	return strings.Contains(text, "[[") || strings.Contains(text, "](")
}

// linksIn returns the links in one scalar.
func (b *Block) linksIn(scanner *md.Scanner, node *yaml.Node, key string, indent int, inFlow bool) []Link {
	base := b.front.YAML.Start
	at := b.span(node, indent, inFlow)
	value := Scalar{
		Span: md.Span{Start: base + at.Start, End: base + at.End}, Text: node.Value,
		double: node.Style&yaml.DoubleQuotedStyle != 0,
		single: node.Style&yaml.SingleQuotedStyle != 0,
		inFlow: inFlow,
	}
	value.plain = !value.double && !value.single && node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0
	inner := value.Span
	if value.double || value.single {
		inner.Start++
		inner.End--
	}
	text := []byte(value.Text)
	decoded := slices.Clone(scanner.ScanLinks(text, md.Span{End: len(text)}))
	asWritten := scanner.ScanLinks(b.src, inner)
	folded := len(decoded) != len(asWritten)
	for i := 0; i < len(decoded) && !folded; i++ {
		target, ok := value.target(b.src, asWritten[i])
		folded = !ok || target != decoded[i].Target(text) || asWritten[i].HasText != decoded[i].HasText ||
			value.double && bytes.IndexByte(asWritten[i].Dest.Of(b.src), '\\') >= 0
	}
	links := make([]Link, len(decoded))
	for i, link := range decoded {
		links[i] = Link{Link: link, Folded: folded, Key: key, Target: link.Target(text), Value: value}
		if !folded {
			links[i].Link = asWritten[i]
		}
	}
	return links
}

// target decodes the target of a link: first YAML's quoting, then that of the link.
func (s Scalar) target(src []byte, found md.Link) (string, bool) {
	dest, ok := s.unquote(string(found.Dest.Of(src)))
	if !ok {
		return "", false
	}
	if found.Kind == md.WikiLink {
		return dest, true
	}
	return md.Link{Dest: md.Span{End: len(dest)}, Kind: found.Kind}.Target([]byte(dest)), true
}

// unquote decodes a part of the scalar as YAML does.
func (s Scalar) unquote(part string) (string, bool) {
	switch {
	case s.single:
		return strings.ReplaceAll(part, "''", "'"), true
	case s.double && strings.Contains(part, `\`):
		var node yaml.Node
		if err := unmarshal([]byte(`"`+part+`"`), &node); err != nil || len(node.Content) == 0 {
			return "", false
		}
		return node.Content[0].Value, true
	}
	return part, true
}

// Quote returns text in the form that it needs as a part of the scalar.
func (s Scalar) Quote(text string) string {
	switch {
	case s.double:
		quoted := doubleQuoted(text)
		return quoted[1 : len(quoted)-1]
	case s.single:
		return strings.ReplaceAll(text, "'", "''")
	}
	return text
}

// Quoted returns a scalar for text, in double quotes and on one line.
func Quoted(text string) string { return doubleQuoted(text) }

// Requote returns a new scalar in double quotes if text cannot replace the content of this plain one. It returns "" if
// no quotes are needed.
func (s Scalar) Requote(text string) string {
	if s.plain && (needsQuotes(text) || s.inFlow && strings.ContainsAny(text, ",[]{}")) {
		return doubleQuoted(text)
	}
	return ""
}
