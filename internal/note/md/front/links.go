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
	md.Link        // spans of the note's source or, if Folded, of the value as it reads
	Folded  bool   // YAML's quoting or line folding runs through the link
	Key     string // of the property; list items and nested keys follow after dots
	Target  string // path and subpath, decoded
	Value   TextPlace
}

// Original is the link as the value reads.
func (l Link) Original(src []byte) string {
	if l.Folded {
		return string(l.Of([]byte(l.Value.Text)))
	}
	return string(l.Of(src))
}

// TextPlace is the whole scalar that holds a link, and how it is quoted. What
// is written into it must be escaped its way.
type TextPlace struct {
	md.Span
	Text   string // as it reads
	double bool
	single bool
	plain  bool
	inFlow bool
}

// Links finds the links in the texts of all properties, in document order.
// A link written without quotes, [[A]], is a list in YAML and no link.
func (b *Block) Links() []Link {
	var links []Link
	scanner := new(md.Scanner)
	var visit func(node *yaml.Node, key string, indent int, inFlow bool)
	visit = func(node *yaml.Node, key string, indent int, inFlow bool) {
		inFlow = inFlow || node.Style&yaml.FlowStyle != 0
		switch node.Kind {
		case yaml.ScalarNode:
			if readScalar(node).Kind == Text && mayHoldLink(node.Value) {
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

func mayHoldLink(text string) bool {
	return strings.Contains(text, "[[") || strings.Contains(text, "](")
}

func (b *Block) linksIn(scanner *md.Scanner, node *yaml.Node, key string, indent int, inFlow bool) []Link {
	base := b.front.YAML.Start
	place := b.place(node, indent, inFlow)
	value := TextPlace{
		Span: md.Span{Start: base + place.Start, End: base + place.End}, Text: node.Value,
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
	read := []byte(value.Text)
	asRead := slices.Clone(scanner.ScanLinks(read, md.Span{End: len(read)}))
	asWritten := scanner.ScanLinks(b.src, inner)
	folded := len(asRead) != len(asWritten)
	for i := 0; i < len(asRead) && !folded; i++ {
		target, ok := value.target(b.src, asWritten[i])
		folded = !ok || target != asRead[i].Target(read) || asWritten[i].HasText != asRead[i].HasText ||
			value.double && bytes.IndexByte(asWritten[i].Dest.Of(b.src), '\\') >= 0
	}
	links := make([]Link, len(asRead))
	for i, link := range asRead {
		links[i] = Link{Link: link, Folded: folded, Key: key, Target: link.Target(read), Value: value}
		if !folded {
			links[i].Link = asWritten[i]
		}
	}
	return links
}

// target decodes a link's target: first YAML's quoting, then the link's.
func (p TextPlace) target(src []byte, found md.Link) (string, bool) {
	dest, ok := p.unquote(string(found.Dest.Of(src)))
	if !ok {
		return "", false
	}
	if found.Kind == md.WikiLink {
		return dest, true
	}
	return md.Link{Dest: md.Span{End: len(dest)}, Kind: found.Kind}.Target([]byte(dest)), true
}

// unquote reads a part of the scalar as YAML does.
func (p TextPlace) unquote(part string) (string, bool) {
	switch {
	case p.single:
		return strings.ReplaceAll(part, "''", "'"), true
	case p.double && strings.Contains(part, `\`):
		var node yaml.Node
		if err := unmarshal([]byte(`"`+part+`"`), &node); err != nil || len(node.Content) == 0 {
			return "", false
		}
		return node.Content[0].Value, true
	}
	return part, true
}

// Quote writes text as a part of the scalar.
func (p TextPlace) Quote(text string) string {
	switch {
	case p.double:
		quoted := doubleQuoted(text)
		return quoted[1 : len(quoted)-1]
	case p.single:
		return strings.ReplaceAll(text, "'", "''")
	}
	return text
}

// Quoted is a whole scalar for the text, in double quotes and on one line.
func Quoted(text string) string { return doubleQuoted(text) }

// Requote is the whole scalar in double quotes, for a plain one that would
// not read as the text any more; "" where it can stay as it is.
func (p TextPlace) Requote(text string) string {
	if p.plain && (needsQuotes(text) || p.inFlow && strings.ContainsAny(text, ",[]{}")) {
		return doubleQuoted(text)
	}
	return ""
}
