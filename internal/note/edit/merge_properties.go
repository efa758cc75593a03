package edit

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
)

// MergeProperties adds the properties of another note, given as its fields, to a note, as Obsidian does: what the note
// has stays, lists are united, and missing properties are added. The names become aliases.
func MergeProperties(src []byte, fields []front.Field, aliases []string) ([]byte, error) {
	var err error
	merge := func(edit func(*front.Block) ([]md.Splice, error)) {
		if err == nil {
			var splices []md.Splice
			splices, err = editProperties(md.Scan(src), edit)
			src = md.Apply(src, splices)
		}
	}
	for _, field := range fields {
		merge(func(block *front.Block) ([]md.Splice, error) {
			has, found := block.Get(field.Key)
			if !found || has.Kind == front.Null {
				return block.Set(field.Key, field.Value)
			}
			return nil, nil
		})
		isList := slices.Contains(listProperties, strings.ToLower(field.Key))
		if field.Value.Kind != front.List && !isList {
			continue
		}
		items := field.Value.Items
		if field.Value.Kind != front.List {
			items = []front.Value{field.Value}
		}
		for _, item := range items {
			merge(func(block *front.Block) ([]md.Splice, error) {
				if strings.EqualFold(field.Key, tagsKey) && item.Kind == front.Text {
					item = front.TextValue(strings.TrimPrefix(item.Text, "#"))
					if slices.ContainsFunc(block.Tags(), func(tag string) bool { return strings.EqualFold(tag, item.Text) }) {
						return nil, nil
					}
				}
				if has, _ := block.Get(field.Key); has.Kind != front.List && !isList {
					return nil, nil // a single value stays
				}
				return block.AddItem(field.Key, item)
			})
		}
	}
	for _, alias := range aliases {
		merge(func(block *front.Block) ([]md.Splice, error) {
			if slices.Contains(block.Aliases(), alias) {
				return nil, nil
			}
			return block.AddItem("aliases", front.TextValue(alias))
		})
	}
	return src, err
}

// listProperties are lists even where they have a single value.
var listProperties = []string{tagsKey, "aliases", "cssclasses"}
