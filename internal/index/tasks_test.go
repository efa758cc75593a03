package index_test

import (
	"fmt"
	"strings"
	"testing"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/tasks"
)

// taskVault is a vault of 10,000 notes with 50,000 tasks.
func taskVault(tb testing.TB) *index.Snapshot {
	tb.Helper()
	var parser index.Parser
	entries := make([]*index.Entry, 10_000)
	for i := range entries {
		entries[i] = parser.Parse(vpath.Path(fmt.Sprintf("Area %d/Note %d.md", i%50, i)), []byte(taskNote(i))).Detach()
	}
	return index.New(entries, nil)
}

func taskNote(i int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "# Note %d\n\n%s\n\n## Tasks\n\n", i, strings.Repeat("Words that are not tasks. ", 20))
	for j := range 5 {
		box, fields := " ", []string{"", " 📅 2026-11-%02d", " ⏫ ⏳ 2026-12-%02d", " #home 🔁 every week 📅 2026-10-%02d", " 🛫 2026-09-%02d"}[j]
		if (i+j)%3 == 0 {
			box = "x"
		}
		if fields != "" && strings.Contains(fields, "%") {
			fields = fmt.Sprintf(fields, 1+i%28)
		}
		fmt.Fprintf(&text, "- [%s] Task %d of note %d%s\n", box, j, i, fields)
	}
	return text.String()
}

var taskQueries = []string{
	"not done", "not done\ndue before 2026-11-10", "not done\nsort by due", "done\nsort by description\nlimit 10", "not done\ngroup by folder",
	"(tags include home) AND (NOT (path includes 5))",
}

// BenchmarkTasks measures the first question about tasks, one after a change, and queries.
func BenchmarkTasks(b *testing.B) {
	s := taskVault(b)
	settings := task.Defaults()
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			fresh := s.With(index.Change{}) // knows no tasks
			fresh.Tasks(settings)
		}
	})
	known := s.Tasks(settings)
	if known.Len() != 50_000 {
		b.Fatal(known.Len())
	}
	b.Run("after a change", func(b *testing.B) {
		var parser index.Parser
		for b.Loop() {
			changed := s.With(index.Change{Updated: []*index.Entry{parser.Parse("Area 3/Note 3.md", []byte(taskNote(4)))}})
			changed.Tasks(settings)
		}
	})
	for _, text := range taskQueries {
		b.Run(strings.ReplaceAll(text, "\n", "; "), func(b *testing.B) {
			for b.Loop() {
				query, err := tasks.Parse(text, tasks.Context{Settings: settings, Today: moment.Date{Year: 2026, Month: 11, Day: 17}})
				if err != nil {
					b.Fatal(err)
				}
				query.Run(known, 50)
			}
		})
	}
}
