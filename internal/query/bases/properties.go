package bases

import (
	"strings"
	"time"

	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/query/value"
)

// Types returns the type of a property in the vault's settings, or "".
type Types func(name string) front.Type

// Properties reads the properties of a note as a base sees them. pool is what it may share with other notes; nil: nothing.
func Properties(fields []front.Field, types Types, zone *time.Location, pool *value.Pool) *value.Object {
	object := value.NewObject()
	for _, field := range fields {
		kind := types(field.Key)
		if name := strings.ToLower(field.Key); kind == "" && (name == "tags" || name == "tag") {
			kind = "tags"
		}
		object.Set(field.Key, value.OfProperty(field.Value, func(text string) value.Value { return typedText(text, kind, zone) }))
	}
	if pool != nil {
		pool.Share(object)
	}
	return object
}

// typedText is the value of a text of a property: texts in the form of a date are dates unless the property has another
// type, and texts that are one link are links.
func typedText(text string, kind front.Type, zone *time.Location) value.Value {
	switch kind {
	case "tags":
		return Tag(text)
	case "", "date", "datetime":
		if date, ok := parseDate(text, zone); ok && strings.Contains(text, "-") {
			return date
		}
	}
	if link, ok := wholeLink(text); ok {
		return link
	}
	return text
}

// wholeLink reads a text that is one link and nothing else.
func wholeLink(text string) (value.Link, bool) {
	inner, opens := strings.CutPrefix(text, "[[")
	inner, closes := strings.CutSuffix(inner, "]]")
	if !opens || !closes || strings.ContainsAny(inner, "[]") {
		return value.Link{}, false
	}
	target, display, _ := strings.Cut(inner, "|")
	path, subpath, _ := strings.Cut(target, "#")
	link := value.FileLink(path)
	link.Display, link.Subpath = display, subpath
	if subpath != "" {
		link.Kind = value.ToHeader
	}
	return link, true
}
