package resource

import (
	"slices"
	"strings"
)

// wellKnown says what arguments with usual names name.
var wellKnown = map[string]Completes{
	"note": CompleteNote, "notes": CompleteNote, "file": CompleteNote, "name": CompleteNote, "title": CompleteNote,
	"path": CompleteFile, "tag": CompleteTag, "tags": CompleteTag, "folder": CompleteFolder, "date": CompleteDate, "day": CompleteDate,
	"property": CompleteProperty, "template": CompleteTemplate, "task_status": CompleteStatus,
}

// declaredCompletion reads what the detail 'complete' of an argument says.
func declaredCompletion(text string) (of Completes, property string) {
	kind, property, _ := strings.Cut(text, ":")
	switch kind = strings.ToLower(strings.TrimSpace(kind)); kind {
	case "notes", "tags", "property":
		of = wellKnown[strings.TrimSuffix(kind, "s")]
	case "folders":
		of = CompleteFolder
	case "files":
		of = CompleteFile
	case "dates":
		of = CompleteDate
	case "headings":
		of = CompleteHeading
	case "templates":
		of = CompleteTemplate
	case "statuses":
		of = CompleteStatus
	}
	if property = strings.TrimSpace(property); property != "" && kind == "property" {
		return CompleteValue, property
	}
	return of, ""
}

// infer decides by an argument's name what it names, unless that is declared: a heading of the note that another argument
// names, something well known, or else a value of the property with that name.
func (a *Argument) infer(all []Argument) {
	if a.Completes != CompleteNothing {
		return
	}
	name := strings.ToLower(a.Name)
	hasNote := slices.ContainsFunc(all, func(other Argument) bool { return other.Name == headingOf })
	if (name == "heading" || name == "section") && hasNote {
		a.Completes = CompleteHeading
		return
	}
	if a.Completes = wellKnown[name]; a.Completes == CompleteNothing {
		a.Completes, a.Property = CompleteValue, a.Name
	}
}

// headingOf is the argument that names the note whose headings are completed.
const headingOf = "note"
