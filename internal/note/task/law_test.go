package task_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/task"
	_ "obsidian-mcp/internal/testkit/mode" // fixes rapid's seed
)

var today = moment.Date{Year: 2026, Month: 11, Day: 16}

// values are values of each field.
var values = map[task.Kind][]string{
	task.ID: {"a", "b-1", "x_2"}, task.DependsOn: {"a", "a,b"}, task.Priority: {"highest", "high", "medium", "low", "lowest"},
	task.Recurrence: {"every day", "every month on the 31st when done"}, task.OnCompletion: {"keep"},
	task.Created: {"2026-01-01"}, task.Start: {"2026-02-03", "2026-02-30"}, task.Scheduled: {"2026-11-16"}, task.Due: {"2026-12-24", "1999-01-01"},
}

var writable = []task.Kind{
	task.ID, task.DependsOn, task.Priority, task.Recurrence, task.OnCompletion, task.Created, task.Start, task.Scheduled, task.Due,
}

// drawTask makes the line of an open task in one of the formats, with fields of some kinds.
func drawTask(t *rapid.T, settings task.Settings, kinds []task.Kind) string {
	line := rapid.SampledFrom([]string{"", "  ", "\t", "> ", "> > \t"}).Draw(t, "indent") +
		rapid.SampledFrom([]string{"-", "*", "+", "12.", "3)"}).Draw(t, "marker") + " [ ] " +
		rapid.SampledFrom([]string{"call", "two  words #tag", "日本 [[Note|x]]", "a 📅 in the text", "", "due:: x [a:: b]", "é ✅ "}).Draw(t, "text")
	for _, kind := range kinds {
		if !rapid.Bool().Draw(t, "has "+string(kind)) {
			continue
		}
		if read, ok := settings.Parse(line); ok {
			line = settings.SetField(read, kind, rapid.SampledFrom(values[kind]).Draw(t, string(kind)))
		}
		if rapid.Bool().Draw(t, "tag") {
			line += " #later"
		}
	}
	return line + rapid.SampledFrom([]string{"", " ^id-1", " ", "   ", "\t"}).Draw(t, "end")
}

func drawSettings(t *rapid.T) task.Settings {
	settings := task.Defaults()
	settings.Dataview = rapid.Bool().Draw(t, "dataview")
	return settings
}

// Toggling a task there and back gives the same line, unless it recurs.
func TestToggleLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		settings := drawSettings(t)
		kinds := []task.Kind{task.ID, task.DependsOn, task.Priority, task.Created, task.Start, task.Scheduled, task.Due}
		line := drawTask(t, settings, kinds)
		now := line
		for range 2 {
			read, ok := settings.Parse(now)
			if !ok {
				t.Fatalf("%q is not a task", now)
			}
			changed := settings.Toggle(read, today)
			if len(changed.Lines) != 1 {
				t.Fatalf("%q becomes %q", now, changed.Lines)
			}
			now = changed.Lines[0]
		}
		if now != line {
			t.Errorf("%q becomes %q", line, now)
		}
	})
}

// A field that is set reads back as it was given, everything else stays, and removing it again gives the same line.
func TestSetLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		settings := drawSettings(t)
		line := drawTask(t, settings, writable)
		kind := rapid.SampledFrom(writable).Draw(t, "kind")
		value := rapid.SampledFrom(values[kind]).Draw(t, "value")
		before, ok := settings.Parse(line)
		if !ok {
			t.Fatalf("%q is not a task", line)
		}
		changed := settings.SetField(before, kind, value)
		after, ok := settings.Parse(changed)
		if !ok || after.Get(kind) != value {
			t.Fatalf("%s=%s makes %q of %q", kind, value, changed, line)
		}
		if everythingBut(before, kind) != everythingBut(after, kind) {
			t.Errorf("%s=%s makes %q of %q", kind, value, changed, line)
		}
		if before.Get(kind) == "" {
			if removed := settings.SetField(after, kind, ""); removed != line {
				t.Errorf("%s added to %q and removed: %q", kind, line, removed)
			}
		}
	})
}

// everythingBut describes a task without a field.
func everythingBut(t task.Task, kind task.Kind) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%q %q %q %q %q %q", t.Indent, t.Marker, t.Status.Symbol, t.Description, t.Tags, t.BlockID)
	for _, other := range writable {
		if other != kind {
			fmt.Fprintf(&text, " %s=%q", other, t.Get(other))
		}
	}
	return text.String()
}

// A description that is set reads back as it was given, and the fields stay.
func TestDescriptionLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		settings := drawSettings(t)
		line := drawTask(t, settings, writable)
		text := rapid.SampledFrom([]string{"new", "new #tag", "#a b #c", "日本 [[x]]"}).Draw(t, "new text")
		before, _ := settings.Parse(line)
		changed := settings.SetDescription(before, text)
		after, ok := settings.Parse(changed)
		if !ok || after.Description != text || after.BlockID != before.BlockID {
			t.Fatalf("%q makes %q of %q", text, changed, line)
		}
		for _, kind := range writable {
			if after.Get(kind) != before.Get(kind) {
				t.Errorf("%q makes %q of %q", text, changed, line)
			}
		}
	})
}
