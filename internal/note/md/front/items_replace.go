package front

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/text/order"
)

// ReplaceTexts replaces texts of a property: the items of a list, or a single text. Only the bytes of the replaced texts
// change. An item that becomes the same as another, whatever the letter case and with or without #, is removed.
func (b *Block) ReplaceTexts(key string, replace func(text string) (string, bool)) ([]md.Splice, error) {
	at := b.find(key)
	if at < 0 {
		return nil, nil
	}
	property := b.entries[at]
	if property.value.Kind == Text {
		if text, changed := replace(property.value.Text); changed {
			return b.Set(property.key, TextValue(text))
		}
		return nil, nil
	}
	if property.value.Kind != List {
		return nil, nil
	}
	items, gone, changed := replacedItems(property.value.Items, replace)
	if !changed {
		return nil, nil
	}
	wanted := b.Fields()
	wanted[at].Value = ListValue()
	for i, item := range items {
		if !gone[i] {
			wanted[at].Value.Items = append(wanted[at].Value.Items, item)
		}
	}
	if property.valueNode.Kind != yaml.SequenceNode {
		return b.Set(property.key, wanted[at].Value)
	}
	splices := b.dropItems(property, func(i int) bool { return gone[i] })
	for i, item := range items {
		if !gone[i] && !item.Equal(property.value.Items[i]) {
			splices = append(splices, b.replaceItem(property, i, item))
		}
	}
	order.By(splices, func(x, y md.Splice) int { return x.Start - y.Start })
	checked, err := b.checked(splices, wanted)
	if err != nil {
		return b.Set(property.key, wanted[at].Value)
	}
	return checked, nil
}

// replacedItems replaces the texts of a list, and says which items are then there twice. Those that do not change stay.
func replacedItems(list []Value, replace func(string) (string, bool)) (items []Value, gone []bool, changed bool) {
	items, gone = slices.Clone(list), make([]bool, len(list))
	same := func(text string) string { return strings.ToLower(strings.TrimPrefix(text, "#")) }
	present := map[string]bool{}
	var renamed []int
	for i, item := range list {
		text, differs := "", false
		if item.Kind == Text {
			text, differs = replace(item.Text)
		}
		if differs {
			items[i] = TextValue(text)
			renamed = append(renamed, i)
		} else {
			present[same(item.Text)] = true
		}
	}
	for _, i := range renamed {
		key := same(items[i].Text)
		gone[i], present[key] = present[key], true
	}
	return items, gone, len(renamed) > 0
}

// replaceItem writes another text in place of an item, in the style of the old one.
func (b *Block) replaceItem(property entry, i int, item Value) md.Splice {
	node := property.valueNode.Content[i]
	w := writer{eol: b.eol(), quote: quotingOf(node)}
	if isBlockList(property.valueNode) {
		var out strings.Builder
		w.scalar(&out, item, 0)
		return b.splice(b.span(node, b.column(b.start(property.valueNode)), false), out.String())
	}
	return b.splice(b.span(node, 0, true), w.flowItem(item, b.isFlow()))
}
