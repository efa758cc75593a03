package periodic_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/moment"
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

// TestPathCases compares paths with the answers of the plugins' own code.
func TestPathCases(t *testing.T) {
	text, err := os.ReadFile(cases.Path(t, "periodic/cases/path.json"))
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		Path    string
		Enabled bool
	}
	var file struct {
		Cases []struct {
			ID, Title string
			Config    map[string]json.RawMessage
			Op        struct{ Period, Date, Locale string }
			Expect    answer
		}
	}
	if err := json.Unmarshal(text, &file); err != nil || len(file.Cases) == 0 {
		t.Fatalf("%d cases, %v", len(file.Cases), err)
	}
	for _, c := range file.Cases {
		files := map[string]string{}
		for name, content := range c.Config {
			files[name+".json"] = string(content)
		}
		locale, _ := moment.LocaleNamed(c.Op.Locale)
		settings := periodic.Read(decoder(files), locale, nil)
		period := periodic.Period(c.Op.Period)
		path, err := settings.Path(period, date(t, c.Op.Date))
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		if diff := cmp.Diff(c.Expect, answer{string(path), settings.Of(period).Enabled}); diff != "" {
			t.Errorf("%s: %s (-want +got)\n%s", c.ID, c.Title, diff)
		}
	}
	t.Logf("path: %d cases ran", len(file.Cases))
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
