// Package html makes HTML out of Go values: a page is a tree of elements, attributes and texts.
//
// It promises that, whatever a text contains,
//
//   - a text stays a text and an attribute's value stays in its attribute: both are always escaped, and only Raw is not;
//   - an address leads to a web page, a mailbox, Obsidian or this server, and never runs anything (see Address);
//   - nothing gets into a script, a style or a handler of events: scripts have an address and no content, and there are
//     no style elements and no attributes that hold code.
//
// The names of elements and attributes are constants in the source: their type is not exported, so a value that is
// computed does not compile. A name that is not allowed panics, which every test that shows the view notices.
//
// It leaves to its callers which element goes where.
package html

import (
	"bytes"
	"slices"
	"strings"
)

// Node is a part of a page: an element, a text, several nodes, or an attribute of the element that it is given to. A nil
// Node is nothing.
type Node interface{ write(*bytes.Buffer) }

// name is the name of an element or attribute. Other packages can only write it as a constant.
type name string

// Text is text, which is escaped.
type Text string

func (t Text) write(out *bytes.Buffer) { _, _ = escaper.WriteString(out, string(t)) }

// Raw is HTML that is safe already, and is not escaped.
type Raw string

func (r Raw) write(out *bytes.Buffer) { out.WriteString(string(r)) }

// Nodes are several nodes in a row.
type Nodes []Node

func (n Nodes) write(out *bytes.Buffer) {
	for _, node := range n {
		if node != nil {
			node.write(out)
		}
	}
}

// escaper escapes for texts and quoted attributes. Browsers drop or replace NUL, depending on where it is.
var escaper = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\x00", "\ufffd",
)

// Escape returns a text as HTML.
func Escape(text string) string { return escaper.Replace(text) }

// Render returns the HTML of some nodes.
func Render(nodes ...Node) []byte {
	var out bytes.Buffer
	Nodes(nodes).write(&out)
	return out.Bytes()
}

// If returns the nodes if a condition holds. They are made in either case; where they need what may be nil, use an if
// statement.
func If(condition bool, nodes ...Node) Node {
	if !condition {
		return nil
	}
	return Nodes(nodes)
}

// IfElse returns one of two nodes.
func IfElse(condition bool, then, otherwise Node) Node {
	if condition {
		return then
	}
	return otherwise
}

// Each makes a node of each item.
func Each[T any](items []T, node func(T) Node) Nodes {
	nodes := make(Nodes, 0, len(items))
	for _, item := range items {
		nodes = append(nodes, node(item))
	}
	return nodes
}

// element is an element with its attributes and its content.
type element struct {
	name    name
	attrs   []attribute
	content Nodes
}

// El returns an element: the attributes among the parts become its own, the others its content. Package html has
// functions for most elements; this is for the rest.
func El(name name, parts ...Node) Node {
	if slices.Contains(forbidden, name) {
		panic("html: an element " + string(name) + " is not allowed here")
	}
	return newElement(name, parts)
}

// forbidden lists the elements that hold code or other pages, or change what addresses mean.
var forbidden = []name{"script", "style", "iframe", "object", "embed", "base", "template", "noscript", "foreignObject"}

func newElement(name name, parts []Node) *element {
	made := &element{name: name}
	made.add(parts)
	if isVoid(name) && len(made.content) > 0 {
		panic("html: an element " + string(name) + " has no content")
	}
	return made
}

func (e *element) add(parts []Node) {
	for _, part := range parts {
		switch part := part.(type) {
		case nil:
		case attribute:
			e.attrs = append(e.attrs, part)
		case Nodes:
			e.add(part)
		default:
			e.content = append(e.content, part)
		}
	}
}

func isVoid(element name) bool {
	return slices.Contains([]name{"br", "hr", "img", "input", "link", "meta"}, element)
}

func (e *element) write(out *bytes.Buffer) {
	out.WriteString("<" + string(e.name))
	for _, attr := range e.attrs {
		attr.write(out)
	}
	out.WriteString(">")
	if isVoid(e.name) {
		return
	}
	if e.name == "pre" || e.name == "textarea" {
		out.WriteString("\n") // browsers drop it, and would otherwise drop one that begins the content
	}
	e.content.write(out)
	out.WriteString("</" + string(e.name) + ">")
}
