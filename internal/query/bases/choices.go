package bases

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/collate"
)

// This file decides what Obsidian's documents leave open, except for points of grammar (parse.go, base.go, times.go) and of
// single functions. docs/BASES.md lists the choices in words; a change here changes them there.

// fileName is file.name: with its extension, since file.basename is documented as the name without it.
func fileName(f *File) string { return f.name() }

// rootFolder is the folder of files in the root.
const rootFolder = "/"

// inFolder reports whether a file is in a folder or below it. The root, however it is written, holds every file.
func inFolder(f *File, folder string) bool {
	folder = strings.Trim(folder, "/")
	return folder == "" || strings.HasPrefix(f.Path, folder+"/")
}

// isTruthy reports whether a value counts as true. Empty lists and objects do not.
func isTruthy(v value.Value) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case float64:
		return v != 0 && v == v
	case string:
		return v != ""
	case Tag:
		return v != ""
	case value.List:
		return len(v) > 0
	case value.Fields:
		return len(v.Keys()) > 0
	case value.Duration:
		return v.Millis() != 0
	}
	return true
}

// emptyArithmetic is what calculating with an empty property gives: nothing.
func emptyArithmetic() value.Value { return nil }

// emptyMethod is what a function of an empty property gives, unless every value has it: nothing.
func emptyMethod() value.Value { return nil }

// compareEmpty is what <, <=, > and >= say if a side is empty.
func compareEmpty() bool { return false }

// passesWithoutParts is what an empty and, or or not says.
const passesWithoutParts = true

// limited are the rows that a view shows. The limit counts those of the whole view, before they are grouped; summaries are
// computed before it.
func limited(rows []*tableRow, limit int) []*tableRow {
	if limit < 0 || limit > len(rows) {
		return rows
	}
	return rows[:limit]
}

// tagText is the text of a tag in lists of tags: with #.
func tagText(tag string) string { return "#" + strings.TrimPrefix(tag, "#") }

// distinctLinks lists every file that is linked once.
func distinctLinks(list value.List) value.List {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(v value.Value) bool {
		path := v.(value.Link).Path
		isKnown := seen[path]
		seen[path] = true
		return isKnown
	})
}

// compareTexts is the order of texts in sorted views and lists: as people sort them, numbers by their value.
func compareTexts(a, b string) int { return collate.Natural(a, b) }

// compareInColumn compares values in the direction of a column; empty values and errors come last in both.
func (e *environment) compareInColumn(a, b value.Value, descending bool) int {
	_, aFailed := a.(error)
	_, bFailed := b.(error)
	aEmpty, bEmpty := a == nil || aFailed, b == nil || bFailed
	switch {
	case aEmpty && bEmpty:
		return 0
	case aEmpty:
		return 1
	case bEmpty:
		return -1
	case descending:
		return e.compare(b, a)
	}
	return e.compare(a, b)
}

// isEmptyValue is what the summaries Empty and Filled, and isEmpty(), count as empty.
func isEmptyValue(v value.Value) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case value.List:
		return len(v) == 0
	case value.Fields:
		return len(v.Keys()) == 0
	}
	return false
}

// deviationDivisor is what a standard deviation divides by: the number of values (population).
func deviationDivisor(count int) float64 { return float64(count) }

// isUnchecked is what the summary Unchecked counts: boxes that are off, not those that are missing.
func isUnchecked(v value.Value) bool { return v == false }

// typeName is what isType() calls the type of a value.
func typeName(v value.Value) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string, Tag:
		return "string"
	case value.Date:
		return "date"
	case value.Duration:
		return "duration"
	case value.Link:
		return "link"
	case value.List:
		return "list"
	case *File:
		return "file"
	case pattern:
		return "regexp"
	case Rich:
		return "html"
	}
	return "object"
}
