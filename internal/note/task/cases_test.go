package task_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/testkit/cases"
)

// taskCase is a case of tasks/cases.
type taskCase struct {
	ID, Title, Confidence, Now string
	Settings                   json.RawMessage
	Op                         struct {
		Name, Line, Path, Symbol, Field, Rule string
		Value, Start, Scheduled, Due          *string
	}
	Expect json.RawMessage
}

func (c taskCase) settings(t *testing.T) task.Settings {
	t.Helper()
	var file task.File
	if len(c.Settings) > 0 {
		if err := json.Unmarshal(c.Settings, &file); err != nil {
			t.Fatal(err)
		}
	}
	return file.Settings(moment.English())
}

func date(t *testing.T, text string) moment.Date {
	t.Helper()
	at, ok := moment.English().Parse(text[:10], "YYYY-MM-DD", moment.Time{})
	if !ok {
		t.Fatalf("%s is not a date", text)
	}
	return at.Date
}

func show(date *moment.Date) *string {
	if date == nil {
		return nil
	}
	return new(moment.English().Format(moment.Time{Date: *date}, "YYYY-MM-DD"))
}

// eachCase runs the cases of a file, and compares the answers.
func eachCase[T any](t *testing.T, kind string, answer func(c taskCase, want T) T) {
	t.Helper()
	all := cases.List[taskCase](t, "tasks/cases/"+kind+".json")
	different := 0
	for _, c := range all {
		var want T
		if err := json.Unmarshal(c.Expect, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, answer(c, want)); diff != "" && c.Confidence == "medium" {
			different++
			t.Logf("%s: %s (-want +got)\n%s", c.ID, c.Title, diff)
		} else if diff != "" {
			t.Errorf("%s: %s %q (-want +got)\n%s", c.ID, c.Title, c.Op.Line, diff)
		}
	}
	t.Logf("%s: %d cases ran, %d differ on purpose", kind, len(all), different)
}

type status struct {
	Symbol, Name, Next string
	Type               task.Type
}

// parsed is what a case says about a task.
type parsed struct {
	Task                                            bool
	Indent, Marker                                  string
	Status                                          status
	Description, Priority                           string
	Tags                                            []string
	Created, Start, Scheduled, Due, Done, Cancelled *string
	Recurrence, ID                                  *string
	OnCompletion                                    *string  `json:"on_completion"`
	DependsOn                                       []string `json:"depends_on"`
	BlockID                                         *string  `json:"block_id"`
	Inferred                                        bool     `json:"scheduled_inferred"`
	Invalid                                         []string
}

// TestParseCases compares what is read from lines with the answers of the plugin's own code.
func TestParseCases(t *testing.T) {
	eachCase(t, "parse", func(c taskCase, want parsed) parsed {
		s := c.settings(t)
		read, ok := s.Parse(c.Op.Line)
		if !ok {
			return parsed{}
		}
		return describe(s.Infer(read, c.Op.Path))
	})
}

func describe(read task.Task) parsed {
	optional := func(kind task.Kind) *string {
		if value := read.Get(kind); value != "" {
			return &value
		}
		return nil
	}
	got := parsed{
		Task: true, Indent: read.Indent, Marker: read.Marker, Description: read.Description, Tags: append([]string{}, read.Tags...),
		Status:   status{read.Status.Symbol, read.Status.Name, read.Status.Next, read.Status.Type},
		Priority: "none", Created: optional(task.Created), Start: optional(task.Start), Scheduled: optional(task.Scheduled), Due: optional(task.Due),
		Done: optional(task.DoneDate), Cancelled: optional(task.CancelledDate), ID: optional(task.ID), Inferred: read.Inferred != "",
	}
	if priority := optional(task.Priority); priority != nil {
		got.Priority = *priority
	}
	if rule, ok := task.ReadRecurrence(read.Get(task.Recurrence)); ok {
		got.Recurrence = new(rule.Text())
	}
	if word := read.Get(task.OnCompletion); word == "keep" || word == "delete" {
		got.OnCompletion = &word
	}
	got.DependsOn = []string{}
	if ids := read.Get(task.DependsOn); ids != "" {
		got.DependsOn = strings.Split(ids, ",")
	}
	if read.BlockID != "" {
		got.BlockID = &read.BlockID
	}
	for _, kind := range []task.Kind{task.Created, task.Start, task.Scheduled, task.Due, task.DoneDate, task.CancelledDate} {
		if _, exists := read.Date(kind); !exists && read.Get(kind) != "" {
			got.Invalid = append(got.Invalid, string(kind))
		}
	}
	return got
}

// TestRecurrenceCases compares the next dates with the answers of the plugin's own code.
func TestRecurrenceCases(t *testing.T) {
	type dates struct{ Start, Scheduled, Due *string }
	type answer struct {
		Text, TextAgain *string
		Next            *dates
		Never           bool
		Then            []string
	}
	eachCase(t, "recurrence", func(c taskCase, want answer) answer {
		got := answer{TextAgain: want.TextAgain}
		var had task.Dates
		for text, into := range map[*string]**moment.Date{c.Op.Start: &had.Start, c.Op.Scheduled: &had.Scheduled, c.Op.Due: &had.Due} {
			if text == nil {
				continue
			}
			day, ok := moment.English().Parse(*text, "YYYY-MM-DD", moment.Time{})
			if !ok {
				return got
			}
			*into = &day.Date
		}
		rule, ok := task.ReadRecurrence(c.Op.Rule)
		if !ok {
			return got
		}
		got.Text = new(rule.Text())
		s, today := c.settings(t), date(t, c.Now)
		next, ok := rule.Next(had, today, s.DropScheduled)
		if got.Never = !ok; !ok {
			return got
		}
		got.Next = &dates{show(next.Start), show(next.Scheduled), show(next.Due)}
		for range want.Then {
			again, _ := task.ReadRecurrence(rule.Text())
			if next, ok = again.Next(next, today, s.DropScheduled); !ok {
				break
			}
			for _, day := range []*moment.Date{next.Due, next.Scheduled, next.Start} {
				if day != nil {
					got.Then = append(got.Then, *show(day))
					break
				}
			}
			rule = again
		}
		return got
	})
}

// TestToggleCases compares the lines after a change of the status with those of the plugin's own code, with the least
// change of each.
func TestToggleCases(t *testing.T) {
	type answer struct {
		Lines        []string
		Roles        []string
		MinimalLines []string `json:"minimal_lines"`
		NotATask     bool     `json:"not_a_task"`
	}
	eachCase(t, "toggle", func(c taskCase, want answer) answer {
		s, today := c.settings(t), date(t, c.Now)
		got := want
		lines := []string{}
		var roles []string
		read, ok := s.Parse(c.Op.Line)
		if got.NotATask = !ok; !ok {
			lines = append(lines, task.CoreToggle(c.Op.Line))
		} else {
			roles = []string{}
			changed := s.Toggle(read, today)
			if c.Op.Name == "set_status" {
				changed = s.SetStatus(read, c.Op.Symbol, today)
			}
			for i, line := range changed.Lines {
				role := "changed"
				if i == changed.Copy {
					role = "copy"
				}
				lines, roles = append(lines, line), append(roles, role)
			}
		}
		if got.Roles = roles; want.MinimalLines != nil {
			got.MinimalLines = lines
		} else {
			got.Lines = lines
		}
		return got
	})
}

// TestSetCases compares lines after a change of a field with those of the plugin's own code.
func TestSetCases(t *testing.T) {
	type answer struct {
		Line        string
		MinimalLine string `json:"minimal_line"`
	}
	kinds := map[string]task.Kind{"onCompletion": task.OnCompletion, "dependsOn": task.DependsOn, "done": task.DoneDate, "cancelled": task.CancelledDate}
	eachCase(t, "set", func(c taskCase, want answer) answer {
		s := c.settings(t)
		read, ok := s.Parse(c.Op.Line)
		if !ok {
			t.Fatalf("%s is not a task", c.Op.Line)
		}
		kind, value := kinds[c.Op.Field], ""
		if kind == "" {
			kind = task.Kind(c.Op.Field)
		}
		if c.Op.Value != nil {
			value = *c.Op.Value
		}
		line := s.SetField(read, kind, value)
		if want.MinimalLine != "" {
			return answer{want.Line, line}
		}
		return answer{Line: line}
	})
}

// TestUrgencyCases compares urgencies with those of the plugin's own code.
func TestUrgencyCases(t *testing.T) {
	type answer struct{ Urgency float64 }
	eachCase(t, "urgency", func(c taskCase, _ answer) answer {
		s := c.settings(t)
		read, ok := s.Parse(c.Op.Line)
		if !ok {
			t.Fatalf("%s is not a task", c.Op.Line)
		}
		return answer{s.Infer(read, c.Op.Path).Urgency().On(date(t, c.Now))}
	})
}
