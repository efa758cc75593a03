package tasks_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/query/tasks"
	"obsidian-mcp/internal/testkit/cases"
)

// dated is a task line that ends in a date with a sign.
var dated = regexp.MustCompile(`^[\s>]*(?:[-*+]|\d+[.)]) +\[.\] .*(📅|⏳|🛫|➕|✅|❌)\x{fe0f}? *(\d{4}-\d\d-\d\d)$`)

var signs = map[string]task.Kind{
	"📅": task.Due, "⏳": task.Scheduled, "🛫": task.Start, "➕": task.Created, "✅": task.DoneDate, "❌": task.CancelledDate,
}

// TestTasksOfARealVault reads every task of the plugin's own demo vault, and runs every query in it: it has an answer, or is
// refused by name.
func TestTasksOfARealVault(t *testing.T) {
	dir := cases.Shared(t, "vaults/tasks-demo/vault")
	notes := map[string]*md.Note{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".md") {
			return err
		}
		text, err := os.ReadFile(name)
		relative, _ := filepath.Rel(dir, name)
		notes[filepath.ToSlash(relative)] = md.Scan(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	settings := task.Defaults()
	var all [][]*tasks.Item
	read := 0
	for path, note := range notes {
		items := itemsOf(path, note, settings)
		if boxes := tasks.Lines(note); len(items) != len(boxes) {
			t.Errorf("%s: %d tasks of %d boxes", path, len(items), len(boxes))
		}
		for _, item := range items {
			if found := dated.FindStringSubmatch(item.Source); found != nil && item.Task().Get(signs[found[1]]) == "" {
				t.Errorf("%s: the date of %q is not read", path, item.Source)
			}
		}
		read += len(items)
		all = append(all, items)
	}
	set := tasks.NewSet(all)
	ran, refused := 0, map[tasks.Kind]int{}
	for path, note := range notes {
		block, _ := front.Parse(note)
		file := &tasks.File{Path: path, Property: func(name string) (string, bool) {
			value, found := block.Get(name)
			return value.Text, found
		}}
		for _, query := range tasks.Blocks(note) {
			parsed, err := tasks.Parse(query, tasks.Context{Settings: settings, Presets: task.File{}.QueryPresets(), Today: moment.Date{Year: 2026, Month: 11, Day: 16}, File: file})
			if failed, ok := errors.AsType[*tasks.Error](err); ok {
				if refused[failed.Kind]++; failed.Kind != tasks.JavaScript {
					t.Logf("%s: %v", path, failed)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %q: %v", path, query, err)
				continue
			}
			parsed.Run(set, -1)
			ran++
		}
	}
	t.Logf("%d tasks in %d notes; %d queries ran, refused %v", read, len(notes), ran, refused)
	if read < 900 || ran < 150 || refused[tasks.BadLayout] > 0 {
		t.Error("the vault has more than that")
	}
}
