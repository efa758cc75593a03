package tasks_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/query/tasks"
	"obsidian-mcp/internal/testkit/cases"
)

// readNotes reads the notes of the cases' vault, by path.
func readNotes(t *testing.T) (notes map[string]string, settings map[string]json.RawMessage) {
	t.Helper()
	dir := cases.Path(t, "tasks/vault")
	notes = map[string]string{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, _ := filepath.Rel(dir, name)
		text, err := os.ReadFile(name)
		if strings.HasSuffix(name, ".md") {
			notes[filepath.ToSlash(relative)] = string(text)
		}
		return err
	})
	if err != nil || len(notes) == 0 {
		t.Fatalf("%d notes, %v", len(notes), err)
	}
	text, err := os.ReadFile(filepath.Join(dir, ".obsidian/plugins/obsidian-tasks-plugin/data.json"))
	if err == nil {
		err = json.Unmarshal(text, &settings)
	}
	if err != nil {
		t.Fatal(err)
	}
	return notes, settings
}

// itemsOf reads the tasks of a note.
func itemsOf(path string, note *md.Note, settings task.Settings) []*tasks.Item {
	return tasks.NewReader(settings).Note(path, note.Source, tasks.Lines(note), func(i int) string {
		return string(note.Headings[i].Text.Of(note.Source))
	})
}

// setOf reads the tasks of notes.
func setOf(notes map[string]string, settings task.Settings) *tasks.Set {
	var all [][]*tasks.Item
	for path, text := range notes {
		all = append(all, itemsOf(path, md.Scan([]byte(text)), settings))
	}
	return tasks.NewSet(all)
}

// TestQueryCases compares what queries find with the answers of the plugin's own code.
func TestQueryCases(t *testing.T) {
	type group struct {
		Names []string
		Tasks [][2]any
	}
	type answer struct {
		Tasks        [][2]any
		Groups       []group
		Total, Shown int
		Error        *struct {
			Kind, Line string
			LineNumber int `json:"line_number"`
		}
	}
	type queryCase struct {
		ID, Title, Confidence, Now string
		Settings                   map[string]json.RawMessage
		Op                         struct {
			Query     string
			QueryFile string `json:"query_file"`
		}
		Expect answer
	}
	all := cases.List[queryCase](t, "tasks/cases/query.json")
	notes, usual := readNotes(t)
	different := 0
	for _, c := range all {
		merged := map[string]json.RawMessage{}
		for _, from := range []map[string]json.RawMessage{usual, c.Settings} {
			for key, value := range from {
				merged[key] = value
			}
		}
		encoded, _ := json.Marshal(merged)
		var read task.File
		if err := json.Unmarshal(encoded, &read); err != nil {
			t.Fatal(err)
		}
		today, _ := moment.English().Parse(c.Now[:10], "YYYY-MM-DD", moment.Time{})
		context := tasks.Context{Settings: read.Settings(moment.English()), GlobalQuery: read.GlobalQuery, Presets: read.Presets, Today: today.Date}
		if name := c.Op.QueryFile; name != "" {
			block, _ := front.Parse(md.Scan([]byte(notes[name])))
			context.File = &tasks.File{Path: name, Property: func(property string) (string, bool) {
				value, found := block.Get(property)
				return value.Text, found
			}}
		}
		got := answer{}
		query, err := tasks.Parse(c.Op.Query, context)
		if failed, ok := errors.AsType[*tasks.Error](err); ok {
			got.Error = &struct {
				Kind, Line string
				LineNumber int `json:"line_number"`
			}{string(failed.Kind), failed.Line, failed.Number}
		} else {
			result := query.Run(setOf(notes, context.Settings), -1)
			shown := func(items []*tasks.Item) [][2]any {
				list := [][2]any{}
				for _, item := range items {
					list = append(list, [2]any{item.Path, float64(item.Line)})
				}
				return list
			}
			got.Total, got.Shown = result.Total, len(result.Items)
			if result.Groups == nil {
				got.Tasks = shown(result.Items)
			}
			for _, of := range result.Groups {
				got.Groups = append(got.Groups, group{of.Names, shown(of.Items)})
			}
		}
		if diff := cmp.Diff(c.Expect, got); diff != "" && c.Confidence == "medium" {
			different++
		} else if diff != "" {
			t.Errorf("%s: %s %q (-want +got)\n%s", c.ID, c.Title, c.Op.Query, diff)
		}
	}
	t.Logf("query: %d cases ran, %d differ on purpose", len(all), different)
}
