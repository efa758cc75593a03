package task

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/note/moment"
)

// Type is what a status means.
type Type string

// The types of statuses.
const (
	Todo       Type = "TODO"
	InProgress Type = "IN_PROGRESS"
	OnHold     Type = "ON_HOLD"
	Done       Type = "DONE"
	Cancelled  Type = "CANCELLED"
	NonTask    Type = "NON_TASK"
)

// IsDone reports whether nothing is left to do.
func (t Type) IsDone() bool { return t == Done || t == Cancelled || t == NonTask }

// Status is what the character in a task's box means.
type Status struct {
	Symbol string `json:"symbol"`
	Name   string `json:"name"`
	Next   string `json:"nextStatusSymbol"`
	Type   Type   `json:"type"`
}

// Settings are those of the plugin Tasks, with its defaults.
type Settings struct {
	Dataview     bool   // new fields are written as [due:: …], not with signs; both are read
	GlobalFilter string // text that a line needs to be a task
	Statuses     []Status

	SetDone, SetCancelled, SetCreated bool // dates that are set
	CopyBelow                         bool // the next occurrence comes after the finished one
	DropScheduled                     bool // the next occurrence has no scheduled date if it has another

	// DateFromName takes the scheduled date of a task without dates from the name of its note: from any in the usual
	// formats, or from those of this format in these folders.
	DateFromName bool
	NameFormat   string
	NameFolders  []string

	Locale moment.Locale
}

// Defaults are the settings of a vault that has none.
func Defaults() Settings {
	return Settings{SetDone: true, SetCancelled: true, Statuses: defaultStatuses(), Locale: moment.English()}
}

func defaultStatuses() []Status {
	return []Status{
		{" ", "Todo", "x", Todo}, {"x", "Done", " ", Done}, {"/", "In Progress", "x", InProgress}, {"-", "Cancelled", " ", Cancelled},
	}
}

// Equal reports whether two settings are the same.
func (s Settings) Equal(other Settings) bool { return reflect.DeepEqual(s, other) }

// Status returns the status of a symbol. One that is not configured is something to do.
func (s Settings) Status(symbol string) Status {
	if found, ok := s.configured(symbol); ok {
		return found
	}
	return Status{symbol, "Unknown", "x", Todo}
}

// Plain are the settings for boxes that the plugin does not know: they are only ticked.
func (s Settings) Plain() Settings {
	return Settings{Locale: s.Locale, Statuses: []Status{
		{" ", "Todo", "x", Todo}, {"x", "Done", " ", Done}, {"X", "Done", " ", Done}, {"/", "In Progress", " ", InProgress}, {"-", "Cancelled", " ", Cancelled},
	}}
}

// SymbolOf returns the character for a type: the usual one, or the first that is configured.
func (s Settings) SymbolOf(kind Type) (string, bool) {
	for _, usual := range defaultStatuses() {
		if found, ok := s.configured(usual.Symbol); ok && usual.Type == kind && found.Type == kind {
			return usual.Symbol, true
		}
	}
	for _, status := range s.Statuses {
		if status.Type == kind {
			return status.Symbol, true
		}
	}
	return "", false
}

// Find returns the character that a text stands for: itself, or the name or type of a status.
func (s Settings) Find(text string) (symbol string, ok bool) {
	if utf8.RuneCountInString(text) == 1 {
		return text, isSymbol(text)
	}
	for _, status := range s.Statuses {
		if strings.EqualFold(status.Name, text) {
			return status.Symbol, true
		}
	}
	return s.SymbolOf(Type(strings.ToUpper(strings.ReplaceAll(text, " ", "_"))))
}

// isSymbol reports whether a text can be in a box: one character that can be seen, or a space.
func isSymbol(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size > 0 && size == len(text) && r != utf8.RuneError && unicode.IsPrint(r) && r != ']' && r != '['
}

func (s Settings) configured(symbol string) (Status, bool) {
	for _, status := range s.Statuses {
		if status.Symbol == symbol {
			return status, true
		}
	}
	return Status{}, false
}

// File is the plugin's settings file. Any of its values may be missing.
type File struct {
	TaskFormat     string `json:"taskFormat"`
	GlobalFilter   string `json:"globalFilter"`
	GlobalQuery    string `json:"globalQuery"`
	StatusSettings *struct {
		Core   []Status `json:"coreStatuses"`
		Custom []Status `json:"customStatuses"`
	} `json:"statusSettings"`
	SetCreatedDate                  *bool             `json:"setCreatedDate"`
	SetDoneDate                     *bool             `json:"setDoneDate"`
	SetCancelledDate                *bool             `json:"setCancelledDate"`
	RecurrenceOnNextLine            bool              `json:"recurrenceOnNextLine"`
	RemoveScheduledDateOnRecurrence bool              `json:"removeScheduledDateOnRecurrence"`
	UseFilenameAsScheduledDate      bool              `json:"useFilenameAsScheduledDate"`
	FilenameAsScheduledDateFormat   string            `json:"filenameAsScheduledDateFormat"`
	FilenameAsDateFolders           []string          `json:"filenameAsDateFolders"`
	Presets                         map[string]string `json:"presets"`
}

// QueryPresets returns the presets for queries: those of the file, or the ones that the plugin begins with.
func (f File) QueryPresets() map[string]string {
	if f.Presets != nil {
		return f.Presets
	}
	hide := func(parts ...string) string { return "hide " + strings.Join(parts, "\nhide ") }
	return map[string]string{
		"this_file": "path includes {{query.file.path}}", "this_folder": "folder includes {{query.file.folder}}",
		"this_root": "root includes {{query.file.root}}", "this_folder_only": "filter by function task.file.folder === query.file.folder",
		"hide_date_fields":     hide("due date", "scheduled date", "start date", "created date", "done date", "cancelled date"),
		"hide_non_date_fields": hide("id", "depends on", "recurrence rule", "on completion", "priority"),
		"hide_query_elements":  hide("toolbar", "postpone button", "edit button", "backlinks", "task count"),
		"hide_everything":      "preset hide_date_fields\npreset hide_non_date_fields\npreset hide_query_elements",
	}
}

// Settings returns the settings that the file stands for.
func (f File) Settings(locale moment.Locale) Settings {
	s := Defaults()
	s.Dataview, s.GlobalFilter, s.Locale = f.TaskFormat == "dataview", f.GlobalFilter, locale
	if strings.TrimSpace(s.GlobalFilter) == "" {
		s.GlobalFilter = ""
	}
	if f.StatusSettings != nil {
		s.Statuses = nil
		for _, status := range append(append([]Status{}, f.StatusSettings.Core...), f.StatusSettings.Custom...) {
			if !isSymbol(status.Next) {
				status.Next = " "
			}
			if isSymbol(status.Symbol) {
				s.Statuses = append(s.Statuses, status)
			}
		}
	}
	for value, into := range map[*bool]*bool{f.SetCreatedDate: &s.SetCreated, f.SetDoneDate: &s.SetDone, f.SetCancelledDate: &s.SetCancelled} {
		if value != nil {
			*into = *value
		}
	}
	s.CopyBelow, s.DropScheduled = f.RecurrenceOnNextLine, f.RemoveScheduledDateOnRecurrence
	s.DateFromName, s.NameFormat, s.NameFolders = f.UseFilenameAsScheduledDate, f.FilenameAsScheduledDateFormat, f.FilenameAsDateFolders
	return s
}
