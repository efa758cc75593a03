package web

import (
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
)

// property is a property of a note with its values as they are written.
type property struct {
	Name   string
	Values [][]piece
}

// properties reads the properties of a note. If they cannot be parsed, they are shown as they are.
func (m markdown) properties(note *md.Note, body *notePage) {
	block, err := front.Parse(note)
	if err != nil {
		body.Problem, body.Raw = err.Error(), string(note.Front.YAML.Of(note.Source))
		return
	}
	for _, field := range block.Fields() {
		shown := property{Name: field.Key}
		for _, text := range valuesOf(field.Value) {
			shown.Values = append(shown.Values, m.pieces(field.Key, text))
		}
		body.Properties = append(body.Properties, shown)
	}
}

// valuesOf returns the texts of a value: the items of a list, the fields of a map.
func valuesOf(value front.Value) []string {
	switch value.Kind {
	case front.Null:
		return nil
	case front.List:
		var all []string
		for _, item := range value.Items {
			all = append(all, strings.Join(valuesOf(item), ", "))
		}
		return all
	case front.Map:
		var all []string
		for _, field := range value.Fields {
			all = append(all, field.Key+": "+strings.Join(valuesOf(field.Value), ", "))
		}
		return all
	}
	return []string{value.Text}
}

// pieces splits a value at its links.
func (m markdown) pieces(key, text string) []piece {
	if strings.EqualFold(key, "tags") {
		name := strings.TrimPrefix(text, "#")
		return []piece{{Text: "#" + name, To: target{Href: m.base + searchURL("tag:#"+name)}}}
	}
	if to, ok := outside(text); ok {
		return []piece{{Text: text, To: to}}
	}
	var scanner md.Scanner
	source := []byte(text)
	var all []piece
	at := 0
	for _, link := range scanner.ScanLinks(source, md.Span{End: len(source)}) {
		if link.Start < at {
			continue
		}
		all = append(all, piece{Text: text[at:link.Start]}, piece{Text: link.Display(source), To: m.inside(link.Target(source))})
		at = link.End
	}
	return append(all, piece{Text: text[at:]})
}
