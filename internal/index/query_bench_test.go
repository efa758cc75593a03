package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/bases"
	"obsidian-mcp/internal/query/dataview"
	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/testkit/program"
	"obsidian-mcp/internal/testkit/vaultgen"
)

// queried is a vault of 10,000 notes with some properties and an inline field each. It is also in the folder, for ripgrep.
func queried(b *testing.B, folder string) *index.Snapshot {
	b.Helper()
	var parser index.Parser
	var entries []*index.Entry
	number := 0
	err := vaultgen.Generate(vaultgen.Options{Notes: 10_000, Seed: 1, Hub: 5000}, func(note vaultgen.Note) error {
		number++
		head := fmt.Sprintf("---\nstatus: %s\nrating: %d\ndue: 2026-%02d-%02d\nbudget: %d\n---\neffort:: %d h\n",
			[]string{"active", "done", "waiting"}[number%3], number%6, number%12+1, number%28+1, number%1000, number%9)
		entries = append(entries, parser.Parse(vpath.Path(note.Path), []byte(head+note.Text)).Detach())
		file := filepath.Join(folder, filepath.FromSlash(note.Path))
		return errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(head+note.Text), 0o600))
	})
	if err != nil {
		b.Fatal(err)
	}
	return index.New(entries, nil)
}

// BenchmarkQueries runs the vault's own queries over 10,000 notes, and ripgrep over the same notes.
func BenchmarkQueries(b *testing.B) {
	folder := b.TempDir()
	s := queried(b, folder)
	b.Run("ripgrep", func(b *testing.B) {
		rg := program.Ripgrep(b)
		for b.Loop() {
			if err := exec.Command(rg, "--no-ignore", "-c", "status: active", folder).Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	clock := dataview.Clock{Now: time.Date(2026, 11, 16, 10, 0, 0, 0, time.UTC)}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			s.Unchanged().Pages(time.UTC)
		}
	})
	page := value.Window{Limit: 200}
	set := s.Pages(time.UTC).At(clock, dataview.Outside{Starred: func() map[string]bool { return nil }})
	for name, text := range map[string]string{
		"table": `TABLE due, budget, effort WHERE status = "active" AND rating >= 3 AND due < date(2026-07-01) SORT due DESC`,
		"group": `TABLE length(rows), sum(rows.budget) GROUP BY status`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				query, err := dataview.Parse(text, clock)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := set.Run(context.Background(), query, "", page); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("base", func(b *testing.B) {
		files := *s.Bases(index.BaseSettings{Zone: time.UTC})
		files.Excluded = func(string) bool { return false }
		base, err := bases.Parse([]byte("filters: status == \"active\"\nformulas:\n  double: budget * 2\n  late: if(due < now(), \"late\", \"\")\nviews:\n  - type: table\n    order: [formula.double, formula.late]\n    sort: [{property: due, direction: ASC}]\n    limit: 50\n    summaries: {formula.double: Sum}\n"))
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := base.Run(context.Background(), &files, bases.Asking{Wanted: page, Now: clock.Now, Random: func() float64 { return 0 }}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
