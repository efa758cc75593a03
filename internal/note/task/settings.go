package task

import (
	"reflect"

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

// status returns the status of a symbol. One that is not configured is something to do.
func (s Settings) status(symbol string) Status {
	if found, ok := s.configured(symbol); ok {
		return found
	}
	return Status{symbol, "Unknown", "x", Todo}
}

func (s Settings) configured(symbol string) (Status, bool) {
	for _, status := range s.Statuses {
		if status.Symbol == symbol {
			return status, true
		}
	}
	return Status{}, false
}

// File is the settings file of the plugin, of which all values may be missing.
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

// Settings returns the settings that the file stands for.
func (f File) Settings(locale moment.Locale) Settings {
	s := Defaults()
	s.Dataview, s.GlobalFilter, s.Locale = f.TaskFormat == "dataview", f.GlobalFilter, locale
	if f.StatusSettings != nil {
		s.Statuses = append(append([]Status{}, f.StatusSettings.Core...), f.StatusSettings.Custom...)
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
