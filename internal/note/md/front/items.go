package front

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/note/md"
)

// AddItem appends an item to a list, in the style of the list. A property that does not exist or is empty becomes a list;
// a single value becomes the first item of a list. An item that the list already has is not added again.
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
	if property.valueNode.Kind != yaml.SequenceNode {
		return b.Set(key, wanted[at].Value)
	}
	added, err := b.checked(b.appendItem(property, item), wanted)
	if err != nil {
		return b.Set(key, wanted[at].Value)
	}
	return added, nil
}

func (b *Block) appendItem(property entry, item Value) []md.Splice {
	list := property.valueNode
	w := writer{eol: b.eol(), quote: quotingOf(list)}
	listSpan := b.span(list, b.rootIndent(), b.isFlow())
	if isBlockList(list) {
		indent := b.column(b.start(list))
		var line strings.Builder
		line.WriteString(strings.Repeat(" ", indent) + "-")
		w.item(&line, item, indent)
		end := b.nextLine(listSpan.End)
		return []md.Splice{b.splice(md.Span{Start: end, End: end}, line.String())}
	}
	written := w.flowItem(item, b.isFlow())
	if len(list.Content) == 0 {
		at := listSpan.Start + 1
		return []md.Splice{b.splice(md.Span{Start: at, End: at}, written)}
	}
	end := b.span(list.Content[len(list.Content)-1], 0, true).End
	return []md.Splice{b.splice(md.Span{Start: end, End: end}, b.separator(list)+written)}
}

// separator returns the text between the items of a flow list.
func (b *Block) separator(list *yaml.Node) string {
	if len(list.Content) > 1 {
		between := string(b.yaml()[b.span(list.Content[0], 0, true).End:b.start(list.Content[1])])
		if strings.Trim(between, ", \t\r\n") == "" {
			return strings.TrimLeft(between, " \t")
		}
	}
	return ", "
}

// flowItem returns an item as it is written in a flow list.
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

// RemoveItems removes the items of a list for which gone returns true, each with its line or its comma. A list that loses
// its last item becomes [], and so does a single value that is removed.
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
	case property.valueNode.Kind != yaml.SequenceNode || len(kept) == 0 && isBlockList(property.valueNode):
		return b.Set(key, ListValue(kept...))
	}
	wanted := b.Fields()
	wanted[at].Value = ListValue(kept...)
	removed, err := b.checked(b.dropItems(property, func(i int) bool { return gone(property.value.Items[i]) }), wanted)
	if err != nil {
		return b.Set(key, wanted[at].Value)
	}
	return removed, nil
}

// dropItems removes items from a block list, or from a flow list, which may lose all of them.
func (b *Block) dropItems(property entry, gone func(i int) bool) []md.Splice {
	nodes := property.valueNode.Content
	block := isBlockList(property.valueNode)
	var splices []md.Splice
	kept := false // whether an earlier item stays
	for i, node := range nodes {
		if !gone(i) {
			kept = true
			continue
		}
		var span md.Span
		switch {
		case block:
			end := b.span(node, b.column(b.start(property.valueNode)), false).End
			span = md.Span{Start: b.lineStart(b.start(node)), End: b.nextLine(end)}
		case kept: // with the comma before it
			span = md.Span{Start: b.span(nodes[i-1], 0, true).End, End: b.span(node, 0, true).End}
		case i+1 < len(nodes): // with the comma after it
			span = md.Span{Start: b.start(node), End: b.start(nodes[i+1])}
		default: // no item stays: everything between the brackets
			list := b.span(property.valueNode, 0, true)
			return []md.Splice{b.splice(md.Span{Start: list.Start + 1, End: list.End - 1}, "")}
		}
		splices = append(splices, b.splice(span, ""))
	}
	return splices
}
