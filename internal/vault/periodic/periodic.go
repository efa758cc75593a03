// Package periodic knows where a vault keeps its daily, weekly, monthly, quarterly and yearly notes. Several plugins of
// Obsidian have settings for that; this package reads all of them and decides which count, as the plugins do.
//
// It reads no files: the caller decodes those that it asks for.
package periodic

import (
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/template"
	"obsidian-mcp/internal/note/vpath"
)

// Period is how often there is a note.
type Period string

// The periods.
const (
	Daily     Period = "daily"
	Weekly    Period = "weekly"
	Monthly   Period = "monthly"
	Quarterly Period = "quarterly"
	Yearly    Period = "yearly"
)

// Periods lists all periods, the shortest first.
func Periods() []Period { return []Period{Daily, Weekly, Monthly, Quarterly, Yearly} }

// defaultFormat is the format of notes that have none.
func (p Period) defaultFormat() string {
	switch p {
	case Weekly:
		return "gggg-[W]ww"
	case Monthly:
		return "YYYY-MM"
	case Quarterly:
		return "YYYY-[Q]Q"
	case Yearly:
		return "YYYY"
	}
	return "YYYY-MM-DD"
}

// unit is the unit of time that a note of the period is about.
func (p Period) unit() moment.Unit {
	switch p {
	case Weekly:
		return moment.Week
	case Monthly:
		return moment.Month
	case Quarterly:
		return moment.Quarter
	case Yearly:
		return moment.Year
	}
	return moment.Day
}

// property is the property by which Periodic Notes with calendar sets tells the date of a note.
func (p Period) property() string {
	return map[Period]string{Daily: "day", Weekly: "week", Monthly: "month", Quarterly: "quarter", Yearly: "year"}[p]
}

// Start returns the first day of the period that a day is in.
func (p Period) Start(day moment.Date, weeks moment.Weeks) moment.Date {
	switch p {
	case Weekly:
		return weeks.Start(day)
	case Monthly:
		return moment.Date{Year: day.Year, Month: day.Month, Day: 1}
	case Quarterly:
		return moment.Date{Year: day.Year, Month: 3*day.Quarter() - 2, Day: 1}
	case Yearly:
		return moment.Date{Year: day.Year, Month: 1, Day: 1}
	}
	return day
}

// Settings say where the notes of each period are.
type Settings struct {
	Locale moment.Locale
	notes  map[Period]Notes
	sets   bool // those of a version of Periodic Notes that has calendar sets
}

// Notes say where the notes of one period are.
type Notes struct {
	Folder   string
	Format   string
	Template string
	Enabled  bool     // a plugin, or the config file, keeps such notes
	Source   Source   // whose settings these are
	Given    []string // the names of the values that the config file gives instead

	formatsDay bool // the day itself is formatted, not the first day of its period
}

// Source is whose settings count.
type Source string

// The sources of settings.
const (
	Default       Source = "default"
	ConfigFile    Source = "config file"
	CoreDaily     Source = "core plugin Daily notes"
	PeriodicNotes Source = "plugin Periodic Notes"
	Calendar      Source = "plugin Calendar"
)

// Of returns the settings of a period.
func (s Settings) Of(p Period) Notes { return s.notes[p] }

// Path returns the path of the note for the period that a day is in.
func (s Settings) Path(p Period, day moment.Date) (vpath.Path, error) {
	return notePath(s.notes[p].Folder + "/" + s.ForTemplate(p, day).Name)
}

// ForTemplate returns what a template can say about the period that a day is in.
func (s Settings) ForTemplate(p Period, day moment.Date) *template.Period {
	notes := s.notes[p]
	if !notes.formatsDay {
		day = p.Start(day, s.Locale.Weeks)
	}
	return &template.Period{
		Unit: p.unit(), Day: day, Format: notes.Format, Name: s.Locale.Format(moment.Time{Date: day}, notes.Format), Sets: notes.formatsDay,
	}
}
