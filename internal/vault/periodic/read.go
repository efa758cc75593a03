package periodic

import (
	"encoding/json"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/moment"
)

// Files are the settings files that say something about periodic notes.
func Files() []string {
	return []string{coreFile, corePluginsFile, communityPluginsFile, periodicFile, calendarFile, appFile}
}

const (
	appFile              = "app.json"
	coreFile             = "daily-notes.json"
	corePluginsFile      = "core-plugins.json"
	communityPluginsFile = "community-plugins.json"
	periodicFile         = "plugins/periodic-notes/data.json"
	calendarFile         = "plugins/calendar/data.json"
)

// Decoder decodes a file of Obsidian's settings. If there is none, or it is not valid, it leaves the value as it is.
type Decoder func(file string, into any)

// Override is what the config file says about the notes of a period. Values that it does not give are nil.
type Override struct{ Folder, Format, Template *string }

// Read reads the settings. The locale counts unless the vault has its own.
func Read(decode Decoder, locale moment.Locale, overrides map[Period]Override) Settings {
	r := reader{decode: decode, settings: Settings{Locale: locale, notes: map[Period]Notes{}}}
	r.read()
	for period, override := range overrides {
		r.settings.notes[period] = r.settings.notes[period].with(override)
	}
	return r.settings
}

// with returns the settings with those of the config file.
func (n Notes) with(override Override) Notes {
	for _, value := range []struct {
		name  string
		given *string
		into  *string
	}{{"folder", override.Folder, &n.Folder}, {"format", override.Format, &n.Format}, {"template", override.Template, &n.Template}} {
		if value.given != nil {
			*value.into, n.Enabled = *value.given, true
			n.Given = append(n.Given, value.name)
		}
	}
	return n
}

// reader reads the settings of all plugins.
type reader struct {
	decode   Decoder
	settings Settings
}

func (r *reader) read() {
	plugins := r.communityPlugins()
	stored, sets := r.periodicNotes(slices.Contains(plugins, "periodic-notes"))
	for _, period := range Periods() {
		notes := stored[period]
		if !notes.Enabled && period == Daily {
			notes = r.coreDaily(notes)
		}
		if !notes.Enabled && period == Weekly && slices.Contains(plugins, "calendar") {
			notes = r.calendarWeeks()
		}
		if notes.Format == "" {
			notes.Format = period.defaultFormat()
		}
		if notes.Source == "" {
			notes.Source = Default
		}
		r.settings.notes[period] = notes
	}
	r.settings.sets = sets
	r.locale(sets, slices.Contains(plugins, "calendar"))
}

func (r *reader) communityPlugins() []string {
	var plugins []string
	r.decode(communityPluginsFile, &plugins)
	return plugins
}

// coreDaily returns the settings of the core plugin, unless it is off and the given ones say more.
func (r *reader) coreDaily(instead Notes) Notes {
	var file struct{ Folder, Format, Template string }
	r.decode(coreFile, &file)
	on := r.corePlugin("daily-notes")
	if !on && instead.Source != "" {
		return instead
	}
	return Notes{Folder: strings.TrimSpace(file.Folder), Format: file.Format, Template: strings.TrimSpace(file.Template), Enabled: on, Source: CoreDaily}
}

func (r *reader) calendarWeeks() Notes {
	var file struct {
		Format   string `json:"weeklyNoteFormat"`
		Folder   string `json:"weeklyNoteFolder"`
		Template string `json:"weeklyNoteTemplate"`
	}
	r.decode(calendarFile, &file)
	return Notes{Folder: strings.TrimSpace(file.Folder), Format: file.Format, Template: strings.TrimSpace(file.Template), Enabled: true, Source: Calendar}
}

// periodConfig is what Periodic Notes keeps about a period; the key of the template depends on its version.
type periodConfig struct {
	Enabled      bool
	Format       string
	Folder       string
	Template     string
	TemplatePath string
}

// periodicNotes returns the settings of Periodic Notes, and whether they are in calendar sets: its version 1.0 has them.
// Without sets, a period that is off has no settings.
func (r *reader) periodicNotes(on bool) (notes map[Period]Notes, sets bool) {
	if !on {
		return nil, false
	}
	var file struct {
		Daily, Weekly, Monthly, Quarterly, Yearly periodConfig

		ActiveCalendarSet string
		CalendarSets      []calendarSet
	}
	r.decode(periodicFile, &file)
	if len(file.CalendarSets) > 0 {
		return activeSet(file.CalendarSets, file.ActiveCalendarSet).notes(), true
	}
	notes = map[Period]Notes{}
	for period, config := range map[Period]periodConfig{
		Daily: file.Daily, Weekly: file.Weekly, Monthly: file.Monthly, Quarterly: file.Quarterly, Yearly: file.Yearly,
	} {
		if config.Enabled {
			notes[period] = Notes{
				Folder: strings.TrimSpace(config.Folder), Format: config.Format, Template: strings.TrimSpace(config.Template),
				Enabled: true, Source: PeriodicNotes,
			}
		}
	}
	return notes, false
}

type calendarSet struct {
	ID                              string
	Day, Week, Month, Quarter, Year *periodConfig
}

func activeSet(sets []calendarSet, id string) calendarSet {
	return sets[max(0, slices.IndexFunc(sets, func(set calendarSet) bool { return set.ID == id }))]
}

func (s calendarSet) notes() map[Period]Notes {
	notes := map[Period]Notes{}
	for period, config := range map[Period]*periodConfig{Daily: s.Day, Weekly: s.Week, Monthly: s.Month, Quarterly: s.Quarter, Yearly: s.Year} {
		if config != nil {
			notes[period] = Notes{
				Folder: config.Folder, Format: config.Format, Template: strings.TrimSpace(config.TemplatePath),
				Enabled: config.Enabled, Source: PeriodicNotes, formatsDay: true,
			}
		}
	}
	return notes
}

// locale applies the week that plugins set for all of Obsidian: Calendar in its own settings, Periodic Notes with sets in
// those of the vault. Locales that are not known are ignored.
func (r *reader) locale(sets, calendar bool) {
	var app, own struct{ WeekStart, LocaleOverride string }
	if sets {
		r.decode(appFile, &app)
	}
	if calendar {
		r.decode(calendarFile, &own)
	}
	for _, given := range []struct{ WeekStart, LocaleOverride string }{own, app} {
		if locale, known := moment.LocaleNamed(given.LocaleOverride); known {
			r.settings.Locale = locale
		}
		r.settings.Locale, _ = r.settings.Locale.StartingOn(given.WeekStart)
	}
}

// corePlugin reports whether a core plugin is on, as it is by default. The file lists those that are on, or says it of
// each.
func (r *reader) corePlugin(name string) bool {
	var raw json.RawMessage
	r.decode(corePluginsFile, &raw)
	var names []string
	if json.Unmarshal(raw, &names) == nil && names != nil {
		return slices.Contains(names, name)
	}
	var states map[string]bool
	_ = json.Unmarshal(raw, &states) // nothing is known of a plugin in any other form
	on, known := states[name]
	return on || !known
}
