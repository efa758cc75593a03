package value

import "obsidian-mcp/internal/note/md/front"

// OfProperty is the value of a property. Its texts are read by a function.
func OfProperty(v front.Value, text func(string) Value) Value {
	switch v.Kind {
	case front.Bool:
		return v.True()
	case front.Number:
		return v.Float()
	case front.Text:
		return text(v.Text)
	case front.List:
		list := make(List, len(v.Items))
		for i, item := range v.Items {
			list[i] = OfProperty(item, text)
		}
		return list
	case front.Map:
		object := NewObject()
		for _, field := range v.Fields {
			object.Set(field.Key, OfProperty(field.Value, text))
		}
		return object
	}
	return nil
}
