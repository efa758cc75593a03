package periodic_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/template"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/vault/periodic"
)

// decoder decodes settings from texts, by file.
func decoder(files map[string]string) periodic.Decoder {
	return func(file string, into any) { _ = json.Unmarshal([]byte(files[file]), into) }
}

func date(t *testing.T, text string) moment.Date {
	t.Helper()
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return moment.Date{Year: day.Year(), Month: int(day.Month()), Day: day.Day()}
}

// periodicCase is a case of periodic/cases.
type periodicCase struct {
	ID, Title, Confidence string
	Quirk                 bool
	Config                map[string]json.RawMessage
	Vault                 map[string]string
	Op                    struct{ Period, Date, Locale, Path, Now, Template, Title string }
	Expect                json.RawMessage
}

// settings reads the settings of a case.
func (c periodicCase) settings() periodic.Settings {
	files := map[string]string{}
	for name, content := range c.Config {
		files[name+".json"] = string(content)
	}
	locale, known := moment.LocaleNamed(c.Op.Locale)
	if !known {
		locale = moment.English()
	}
	return periodic.Read(decoder(files), locale, nil)
}

// eachCase runs the cases of a file, and compares the answers.
func eachCase[T any](t *testing.T, kind string, answer func(c periodicCase) T) {
	t.Helper()
	all := cases.List[periodicCase](t, "periodic/cases/"+kind+".json")
	better := 0
	for _, c := range all {
		var want T
		if err := json.Unmarshal(c.Expect, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, answer(c)); diff != "" && c.Quirk {
			better++ // on purpose
		} else if diff != "" {
			t.Errorf("%s: %s (-want +got)\n%s", c.ID, c.Title, diff)
		}
	}
	t.Logf("%s: %d cases ran, %d of them quirks that are not copied", kind, len(all), better)
}

// TestPathCases compares paths with the answers of the plugins' own code.
func TestPathCases(t *testing.T) {
	type answer struct {
		Path    string
		Enabled bool
	}
	eachCase(t, "path", func(c periodicCase) answer {
		settings, period := c.settings(), periodic.Period(c.Op.Period)
		path, err := settings.Path(period, date(t, c.Op.Date))
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		return answer{string(path), settings.Of(period).Enabled}
	})
}

// TestMatchCases compares which notes are periodic with the answers of the plugins' own code.
func TestMatchCases(t *testing.T) {
	type match struct {
		Period, Date string
		Exact        *bool
	}
	type answer struct{ Matches []match }
	eachCase(t, "match", func(c periodicCase) answer {
		now := moment.Time{Date: date(t, c.Op.Now[:10])}
		properties := func(name string) string {
			_, after, _ := strings.Cut(c.Vault[c.Op.Path], "\n"+name+": ")
			value, _, _ := strings.Cut(after, "\n")
			return value
		}
		got := answer{[]match{}}
		_, sets := c.Config["plugins/periodic-notes/data"]
		sets = sets && strings.Contains(string(c.Config["plugins/periodic-notes/data"]), "calendarSets")
		for _, found := range c.settings().Matcher(now).Match(vpath.Path(c.Op.Path), properties) {
			shown := match{Period: string(found.Period), Date: moment.English().Format(moment.Time{Date: found.Date}, "YYYY-MM-DD")}
			if sets {
				shown.Exact = &found.Exact
			}
			got.Matches = append(got.Matches, shown)
		}
		return got
	})
}

// moments reads the date and time of a case.
func moments(t *testing.T, text string) moment.Time {
	t.Helper()
	at, ok := moment.English().Parse(text, "YYYY-MM-DDTHH:mm:ss", moment.Time{})
	if !ok {
		t.Fatalf("%s is not a time", text)
	}
	return at
}

// TestCreateCases compares new notes with those of the plugins' own code.
func TestCreateCases(t *testing.T) {
	type answer struct{ Path, Content string }
	eachCase(t, "create", func(c periodicCase) answer {
		settings, period, day := c.settings(), periodic.Period(c.Op.Period), date(t, c.Op.Date)
		path, err := settings.Path(period, day)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		content := ""
		for name, text := range c.Vault {
			wanted := strings.TrimSuffix(settings.Of(period).Template, ".md")
			if found := strings.TrimSuffix(name, ".md"); found == wanted || found[strings.LastIndex(found, "/")+1:] == wanted {
				content, _ = template.Render(text, template.Values{
					Title: path.Name(), Now: moments(t, c.Op.Now), Locale: settings.Locale, Period: settings.ForTemplate(period, day),
				})
			}
		}
		return answer{string(path), content}
	})
}

// TestRenderCases compares templates with what the help of the core plugin says about them.
func TestRenderCases(t *testing.T) {
	type answer struct{ Content string }
	eachCase(t, "render", func(c periodicCase) answer {
		var settings struct{ DateFormat, TimeFormat string }
		if err := json.Unmarshal(c.Config["templates"], &settings); err != nil {
			t.Fatal(err)
		}
		content, _ := template.Render(c.Vault[c.Op.Template], template.Values{
			Title: c.Op.Title, Now: moments(t, c.Op.Now), Locale: moment.English(), DateFormat: settings.DateFormat, TimeFormat: settings.TimeFormat,
		})
		return answer{content}
	})
}

const (
	storeLayout = `{"daily":{"enabled":true,"folder":"Days","template":" T/day "},"weekly":{"enabled":false,"folder":"Weeks"}}`
	setsLayout  = `{"activeCalendarSet":"gone","calendarSets":[{"id":"A","day":{"enabled":false,"folder":"A","templatePath":"T/a"}},{"id":"B"}]}`
)

// TestSources: whose settings count, and which values the config file gives instead.
func TestSources(t *testing.T) {
	folder, format := "Log", "YYYYMMDD"
	for _, test := range []struct {
		name     string
		files    map[string]string
		override periodic.Override
		period   periodic.Period
		want     periodic.Notes
	}{
		{"nothing is set", nil, periodic.Override{}, periodic.Weekly,
			periodic.Notes{Format: "gggg-[W]ww", Source: periodic.Default}},
		{"settings that are not JSON", map[string]string{"daily-notes.json": `{"folder":`, "core-plugins.json": "7"}, periodic.Override{}, periodic.Daily,
			periodic.Notes{Format: "YYYY-MM-DD", Enabled: true, Source: periodic.CoreDaily}},
		{"Periodic Notes before the core plugin", map[string]string{
			"daily-notes.json": `{"folder":"Core"}`, "community-plugins.json": `["periodic-notes"]`, "plugins/periodic-notes/data.json": storeLayout,
		}, periodic.Override{}, periodic.Daily,
			periodic.Notes{Folder: "Days", Format: "YYYY-MM-DD", Template: "T/day", Enabled: true, Source: periodic.PeriodicNotes}},
		{"a set that is gone, with days off: the core plugin", map[string]string{
			"daily-notes.json": `{"folder":"Core"}`, "community-plugins.json": `["periodic-notes"]`, "plugins/periodic-notes/data.json": setsLayout,
		}, periodic.Override{}, periodic.Daily,
			periodic.Notes{Folder: "Core", Format: "YYYY-MM-DD", Enabled: true, Source: periodic.CoreDaily}},
		{"the config file gives some values", map[string]string{"daily-notes.json": `{"folder":"Core","template":"T"}`},
			periodic.Override{Folder: &folder, Format: &format}, periodic.Daily,
			periodic.Notes{Folder: "Log", Format: "YYYYMMDD", Template: "T", Enabled: true, Source: periodic.CoreDaily, Given: []string{"folder", "format"}}},
		{"the config file turns a period on", nil, periodic.Override{Folder: &folder}, periodic.Yearly,
			periodic.Notes{Folder: "Log", Format: "YYYY", Enabled: true, Source: periodic.Default, Given: []string{"folder"}}},
	} {
		settings := periodic.Read(decoder(test.files), moment.English(), map[periodic.Period]periodic.Override{test.period: test.override})
		if diff := cmp.Diff(test.want, settings.Of(test.period), cmp.FilterPath(func(p cmp.Path) bool {
			return strings.HasSuffix(p.String(), "formatsDay")
		}, cmp.Ignore())); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}

// TestCalendarSetsTheWeek: Calendar's week counts for all periodic notes.
func TestCalendarSetsTheWeek(t *testing.T) {
	settings := periodic.Read(decoder(map[string]string{
		"community-plugins.json": `["calendar"]`, "plugins/calendar/data.json": `{"weekStart":"monday","localeOverride":"en-gb"}`,
	}), moment.English(), nil)
	if path, err := settings.Path(periodic.Weekly, date(t, "2027-01-03")); err != nil || path != "2026-W53.md" {
		t.Errorf("%s, %v", path, err)
	}
}

// TestPathsOutsideOfTheVault: settings cannot lead out of it, or to hidden files.
func TestPathsOutsideOfTheVault(t *testing.T) {
	for _, folder := range []string{"../x", ".obsidian", "a/../../b", "x\x00"} {
		settings := periodic.Read(decoder(nil), moment.English(), map[periodic.Period]periodic.Override{periodic.Daily: {Folder: &folder}})
		if path, err := settings.Path(periodic.Daily, date(t, "2026-11-16")); err == nil {
			t.Errorf("%q leads to %s", folder, path)
		}
	}
}
