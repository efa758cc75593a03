package periodic_test

import (
	"testing"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/vault/periodic"
)

// TestSpans: dates as people write them, on Monday, 16 November 2026.
func TestSpans(t *testing.T) {
	american := periodic.Read(decoder(nil), moment.English(), nil)
	british := periodic.Read(decoder(nil), moment.British(), nil)
	show := func(day moment.Date) string { return moment.English().Format(moment.Time{Date: day}, "YYYY-MM-DD") }
	for _, test := range []struct {
		text     string
		period   periodic.Period
		settings periodic.Settings
		want     string
	}{
		{"today", periodic.Daily, american, "2026-11-16 2026-11-16"},
		{" Yesterday ", periodic.Daily, american, "2026-11-15 2026-11-15"},
		{"tomorrow", periodic.Weekly, american, "2026-11-17 2026-11-17"},
		{"2024-02-29", periodic.Daily, american, "2024-02-29 2024-02-29"},
		{"2025-02-29", periodic.Daily, american, ""},
		{"2026-W47", periodic.Weekly, american, "2026-11-15 2026-11-21"},
		{"2026-w47", periodic.Weekly, british, "2026-11-16 2026-11-22"},
		{"2026-W54", periodic.Weekly, british, ""},
		{"2026-02", periodic.Monthly, american, "2026-02-01 2026-02-28"},
		{"2026-Q4", periodic.Quarterly, american, "2026-10-01 2026-12-31"},
		{"2024", periodic.Yearly, american, "2024-01-01 2024-12-31"},
		{"+1", periodic.Daily, american, "2026-11-17 2026-11-17"},
		{"-2", periodic.Monthly, american, "2026-09-01 2026-09-30"},
		{"+1", periodic.Weekly, american, "2026-11-22 2026-11-28"},
		{"-1", periodic.Quarterly, american, "2026-07-01 2026-09-30"},
		{"last friday", periodic.Daily, american, "2026-11-13 2026-11-13"},
		{"last monday", periodic.Daily, american, "2026-11-09 2026-11-09"},
		{"next monday", periodic.Daily, american, "2026-11-23 2026-11-23"},
		{"this sunday", periodic.Daily, american, "2026-11-15 2026-11-15"},
		{"this sunday", periodic.Daily, british, "2026-11-22 2026-11-22"},
		{"this week", periodic.Daily, british, "2026-11-16 2026-11-22"},
		{"last month", periodic.Monthly, british, "2026-10-01 2026-10-31"},
		{"next year", periodic.Daily, british, "2027-01-01 2027-12-31"},
		{"3 days ago", periodic.Daily, american, "2026-11-13 2026-11-13"},
		{"in 2 weeks", periodic.Daily, american, "2026-11-30 2026-11-30"},
		{"2026-11-09..2026-11-15", periodic.Daily, american, "2026-11-09 2026-11-15"},
		{"2026-10 .. today", periodic.Daily, american, "2026-10-01 2026-11-16"},
		{"2026-11-15..2026-11-09", periodic.Daily, american, ""},
		{"someday", periodic.Daily, american, ""},
		{"", periodic.Daily, american, ""},
		{"..", periodic.Daily, american, ""},
	} {
		got := ""
		if span, ok := test.settings.Span(test.text, test.period, moment.Date{Year: 2026, Month: 11, Day: 16}); ok {
			got = show(span.First) + " " + show(span.Last)
		}
		if got != test.want {
			t.Errorf("%q of %s notes is %q, want %q", test.text, test.period, got, test.want)
		}
	}
}

// TestEach lists the periods of a span.
func TestEach(t *testing.T) {
	settings := periodic.Read(decoder(nil), moment.English(), nil)
	span, _ := settings.Span("2026-11", periodic.Weekly, moment.Date{Year: 2026, Month: 11, Day: 16})
	weeks := settings.Each(periodic.Weekly, span, 100)
	if len(weeks) != 5 || weeks[0] != (moment.Date{Year: 2026, Month: 11, Day: 1}) {
		t.Errorf("weeks of November: %v", weeks)
	}
	if days := settings.Each(periodic.Daily, span, 10); len(days) != 10 {
		t.Errorf("%d days, want 10", len(days))
	}
}
