package front

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/note/md"
)

// AddItem appends an item to a property that is a list, in the style that the
// list is written in. A property that is absent or empty becomes a list, one
// that is a single value becomes the first item. An item that is there
// already is not added again.
func (b *Block) AddItem(key string, item Value) ([]md.Splice, error) {
	at := b.find(key)
	if at < 0 {
		return b.Set(key, ListValue(item))
	}
	property := b.entries[at]
	switch {
	case property.value.Kind == Null:
		return b.Set(key, ListValue(item))
	case property.value.Kind != List:
		if property.value.Equal(item) {
			return nil, nil
		}
		return b.Set(key, ListValue(property.value, item))
	case slices.ContainsFunc(property.value.Items, item.Equal):
		return nil, nil
	}
	wanted := b.Fields()
	wanted[at].Value = ListValue(append(slices.Clone(property.value.Items), item)...)
	if property.holds.Kind != yaml.SequenceNode {
		return b.Set(key, wanted[at].Value)
	}
	added, err := b.checked(b.appendItem(property, item), wanted)
	if err != nil {
		return b.Set(key, wanted[at].Value)
	}
	return added, nil
}

func (b *Block) appendItem(property entry, item Value) []md.Splice {
	list := property.holds
	w := writer{eol: b.eol(), quote: quotingOf(list)}
	place := b.place(list, b.rootIndent(), b.isFlow())
	if isBlockList(list) {
		indent := b.column(b.start(list))
		var line strings.Builder
		line.WriteString(strings.Repeat(" ", indent) + "-")
		w.item(&line, item, indent)
		end := b.nextLine(place.End)
		return []md.Splice{b.splice(md.Span{Start: end, End: end}, line.String())}
	}
	written := w.flowItem(item, b.isFlow())
	if len(list.Content) == 0 {
		at := place.Start + 1
		return []md.Splice{b.splice(md.Span{Start: at, End: at}, written)}
	}
	end := b.place(list.Content[len(list.Content)-1], 0, true).End
	return []md.Splice{b.splice(md.Span{Start: end, End: end}, b.separator(list)+written)}
}

// separator is what stands between the items of a flow list.
func (b *Block) separator(list *yaml.Node) string {
	if len(list.Content) > 1 {
		between := string(b.yaml()[b.place(list.Content[0], 0, true).End:b.start(list.Content[1])])
		if strings.Trim(between, ", \t\r\n") == "" {
			return strings.TrimLeft(between, " \t")
		}
	}
	return ", "
}

// flowItem writes an item between brackets.
func (w writer) flowItem(item Value, json bool) string {
	if json || item.isBlock() || item.Kind == Null || item.Kind == Text && strings.Contains(item.Text, "\n") {
		return string(item.appendJSON(nil))
	}
	if item.Kind == Text && w.quote == quoteIfNeeded && strings.ContainsAny(item.Text, ",[]{}:\"") {
		w.quote = quoteDouble
	}
	var out strings.Builder
	w.scalar(&out, item, 0)
	return out.String()
}

// RemoveItems takes out of a list the items for which gone is true, each with
// its own line or its own place between commas. A list that loses its last
// item becomes []; so does a single value that is to go.
func (b *Block) RemoveItems(key string, gone func(Value) bool) ([]md.Splice, error) {
	at := b.find(key)
	if at < 0 {
		return nil, nil
	}
	property := b.entries[at]
	if property.value.Kind != List {
		if property.value.Kind == Null || !gone(property.value) {
			return nil, nil
		}
		return b.Set(key, ListValue())
	}
	kept := slices.DeleteFunc(slices.Clone(property.value.Items), gone)
	switch {
	case len(kept) == len(property.value.Items):
		return nil, nil
	case property.holds.Kind != yaml.SequenceNode || len(kept) == 0 && isBlockList(property.holds):
		return b.Set(key, ListValue(kept...))
	}
	wanted := b.Fields()
	wanted[at].Value = ListValue(kept...)
	removed, err := b.checked(b.dropItems(property, gone), wanted)
	if err != nil {
		return b.Set(key, wanted[at].Value)
	}
	return removed, nil
}

// dropItems takes items out of a block list, or out of a flow list, which may
// lose all of them.
func (b *Block) dropItems(property entry, gone func(Value) bool) []md.Splice {
	nodes := property.holds.Content
	block := isBlockList(property.holds)
	var splices []md.Splice
	kept := false // an item stays before the one at hand
	for i, node := range nodes {
		if !gone(property.value.Items[i]) {
			kept = true
			continue
		}
		var span md.Span
		switch {
		case block:
			end := b.place(node, b.column(b.start(property.holds)), false).End
			span = md.Span{Start: b.lineStart(b.start(node)), End: b.nextLine(end)}
		case kept: // with the comma before it
			span = md.Span{Start: b.place(nodes[i-1], 0, true).End, End: b.place(node, 0, true).End}
		case i+1 < len(nodes): // with the comma behind it
			span = md.Span{Start: b.start(node), End: b.start(nodes[i+1])}
		default: // none stays: all that is between the brackets
			list := b.place(property.holds, 0, true)
			return []md.Splice{b.splice(md.Span{Start: list.Start + 1, End: list.End - 1}, "")}
		}
		splices = append(splices, b.splice(span, ""))
	}
	return splices
}
