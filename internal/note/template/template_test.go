package template_test

import (
	"testing"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/template"
)

// monday is the clock of the tests.
var monday = moment.Time{Date: moment.Date{Year: 2026, Month: 11, Day: 16}, Hour: 9, Minute: 5}

func values() template.Values {
	return template.Values{
		Title: "Plan", Folder: "Work/Plans", Now: monday, Locale: moment.English(), Created: monday, Modified: monday.Add(1, moment.Hour),
		Property: func(name string) (string, bool) { return "open", name == "status" },
		Given:    map[string]string{"client": "{{date}} <% tp.file.title %>"},
	}
}

// TestTemplater: tags that only make text are filled in, all others stay.
func TestTemplater(t *testing.T) {
	for text, want := range map[string]string{
		`<% tp.file.title %>`:                                       "Plan",
		`<% tp.date.now() %>`:                                       "2026-11-16",
		`<% tp.date.now("dddd Do", 7) %>`:                           "Monday 23rd",
		`<% tp.date.now('YYYY-MM-DD', "P1M-1D") %>`:                 "2026-12-15",
		`<% tp.date.now("YYYY-MM-DD", "P1M") %>`:                    "2026-12-16",
		`<% tp.date.now("YYYY-MM-DD", "-P1W") %>`:                   "2026-11-09",
		`<% tp.date.now("YYYY-MM-DDTHH:mm", "PT2H") %>`:             "2026-11-16T11:05",
		`<% tp.date.now("D", 1, tp.file.title, "[Plan]YYYY") %>`:    "",
		`<% tp.date.now("ddd", 1, "2024-02-28", "YYYY-MM-DD") %>`:   "Thu",
		`<% tp.date.tomorrow("D") + " / " + tp.date.yesterday() %>`: "17 / 2026-11-15",
		`<% tp.date.weekday("YYYY-MM-DD", 1) %>`:                    "2026-11-16",
		`<% tp.date.weekday("YYYY-MM-DD", -7) %>`:                   "2026-11-08",
		`<% tp.file.folder() %> <% tp.file.folder(true) %>`:         "Plans Work/Plans",
		`<% tp.file.creation_date() %>`:                             "2026-11-16 09:05",
		`<% tp.file.last_modified_date("HH") %>`:                    "10",
		`<% tp.frontmatter.status %><% tp.frontmatter["status"] %>`: "openopen",
		`<% tp.frontmatter.other %>`:                                "",
		`<% tp.system.prompt("?") %>`:                               "",
		`<%* x = 1 %>`:                                              "",
		`<%+ tp.file.title %>`:                                      "",
		"<% `a${1}` %>":                                             "",
		"<% `a` %>":                                                 "a",
		`<% tp.file.title.toUpperCase() %>`:                         "",
		`<% tp.file.title`:                                          "",
		"a \n<%_ tp.file.title _%>\n b":                             "aPlanb",
		"a\n<%- tp.file.title -%>\nb":                               "aPlanb",
		`{{client}} {{other}} {{title}}`:                            "{{date}} <% tp.file.title %> {{other}} Plan",
	} {
		if want == "" {
			want = text
		}
		if got, _ := template.Render(text, values()); got != want {
			t.Errorf("%s\n is %q\nwant %q", text, got, want)
		}
	}
}

// TestCountsWhatIsLeft: the caller can tell the user how much was not filled in.
func TestCountsWhatIsLeft(t *testing.T) {
	text := `<% tp.file.title %> <% tp.system.clipboard() %> <%* if (x) { %> <%`
	if got, left := template.Render(text, values()); left != 2 {
		t.Errorf("%d tags are left in %q, want 2", left, got)
	}
}

// FuzzRender: no template panics, and text without braces and tags stays as it is.
func FuzzRender(f *testing.F) {
	for _, seed := range []string{"{{date:YYYY}}", "<% tp.date.now('x', 1, \"2\") + `y` %>", "<%_ _%>", "<%%>", "<%-%>", "{{monday:D}}", "<% tp.frontmatter['a'] %>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, unit := range []moment.Unit{"", moment.Day, moment.Week, moment.Month, moment.Quarter, moment.Year} {
			for _, sets := range []bool{false, true} {
				v := values()
				if unit != "" {
					v.Period = &template.Period{Unit: unit, Day: monday.Date, Format: "YYYY-MM-DD", Name: "2026-11-16", Sets: sets}
				}
				template.Render(text, v)
			}
		}
	})
}
