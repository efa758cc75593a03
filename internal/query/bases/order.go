package bases

import (
	"cmp"
	"slices"
	"strings"

	"obsidian-mcp/internal/query/value"
)

// kinds are the order of values of different types.
var kinds = []string{"boolean", "number", "duration", "date", "string", "link", "file", "list", "object"}

// compare puts values in order. When the work is used up, every value is like every other; the query then ends.
func (e *environment) compare(a, b value.Value) int {
	if e.spend(0) != nil {
		return 0
	}
	switch x := a.(type) {
	case bool:
		if y, ok := b.(bool); ok {
			return cmp.Compare(boolNumber(x), boolNumber(y))
		}
	case float64:
		if y, ok := b.(float64); ok {
			return cmp.Compare(x, y)
		}
	case value.Date:
		if y, ok := b.(value.Date); ok {
			return x.Time.Compare(y.Time)
		}
	case value.Duration:
		if y, ok := b.(value.Duration); ok {
			return cmp.Compare(x.Millis(), y.Millis())
		}
	case value.List:
		if y, ok := b.(value.List); ok {
			return slices.CompareFunc(x, y, e.compare)
		}
	}
	if typeName(a) == typeName(b) {
		first, second := shownText(a), shownText(b)
		if e.spend(min(len(first), len(second))/value.BytesPerStep) != nil {
			return 0
		}
		return compareTexts(first, second)
	}
	return cmp.Compare(slices.Index(kinds, typeName(a)), slices.Index(kinds, typeName(b)))
}

func boolNumber(on bool) int {
	if on {
		return 1
	}
	return 0
}

// shownText is the text of a value as a view shows it: of a link only its name.
func shownText(v value.Value) string {
	if link, ok := v.(value.Link); ok {
		return cmp.Or(link.Display, link.Path[strings.LastIndexByte(link.Path, '/')+1:])
	}
	return Text(v)
}
