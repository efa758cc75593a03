package ops

import (
	"math"

	"obsidian-mcp/internal/query/bases"
	"obsidian-mcp/internal/query/dataview"
	"obsidian-mcp/internal/query/value"
)

// taskItem is a task or another item of a list in the result of a query.
type taskItem struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Symbol string `json:"symbol,omitempty"`
	Text   string `json:"text"`
}

// linkValue is a link in the result of a query.
type linkValue struct {
	Link string `json:"link"`
	Text string `json:"text,omitempty"`
}

func queryTask(item *dataview.Item, path string) taskItem {
	return taskItem{path, item.Line + 1, item.Status, item.Text}
}

// maxParts is how many parts of a single value are shown.
const maxParts = 20_000

// queryValue returns a value as JSON shows it: dates and durations in the forms of ISO 8601, links and pages as objects
// with their path, errors as objects with their text. What is too much of a value is left out.
func queryValue(v value.Value) any {
	left := maxParts
	return shownPart(v, &left)
}

func shownPart(v value.Value, left *int) any {
	if *left--; *left < 0 {
		return "…"
	}
	if path, ok := dataview.PageOf(v); ok {
		return linkValue{Link: path}
	}
	if item, path, ok := dataview.ItemOf(v); ok {
		return queryTask(item, path)
	}
	switch v := v.(type) {
	case nil, bool, string:
		return v
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return value.Number(v)
		}
		return v
	case bases.Tag:
		return string(v)
	case value.Date:
		if v.IsDay || !v.HasTime() && v.Zone == "" {
			return v.Time.Format("2006-01-02")
		}
		return v.ISO()
	case value.Duration:
		return v.ISO()
	case value.Link:
		return queryLink(v)
	case value.List:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = shownPart(element, left)
		}
		return list[:min(len(list), maxParts)]
	case *bases.File:
		return linkValue{Link: v.Path}
	case bases.Rich:
		return map[string]string{v.Kind: v.Text}
	case dataview.ExternalLink:
		return map[string]string{"url": v.URL, "text": v.Display}
	case error:
		return map[string]string{"error": v.Error()}
	case value.Fields:
		object := map[string]any{}
		for _, key := range v.Keys() {
			field, _ := v.Get(key)
			object[key] = shownPart(field, left)
		}
		return object
	}
	return dataview.Text(v)
}

func queryLink(l value.Link) linkValue {
	path := l.Path
	switch l.Kind {
	case value.ToHeader:
		path += "#" + l.Subpath
	case value.ToBlock:
		path += "#^" + l.Subpath
	}
	return linkValue{path, l.Display}
}
