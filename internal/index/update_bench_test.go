package index_test

import (
	"fmt"
	"testing"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/testkit/vaultgen"
)

// BenchmarkUpdate puts the new text of a note into an index of 10,000 notes, where searches find it.
func BenchmarkUpdate(b *testing.B) {
	var parser index.Parser
	var entries []*index.Entry
	var notes []vaultgen.Note
	err := vaultgen.Generate(vaultgen.Options{Notes: 10_000, Seed: 1}, func(note vaultgen.Note) error {
		entries = append(entries, parser.Parse(vpath.Path(note.Path), []byte(note.Text)).Detach())
		notes = append(notes, note)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	s := index.New(entries, nil)
	for i := 0; b.Loop(); i++ {
		note := notes[i*37%len(notes)]
		text := fmt.Appendf(nil, "%s\nedit %d\n", note.Text, i)
		s.With(index.Change{Updated: []*index.Entry{parser.Parse(vpath.Path(note.Path), text)}})
	}
}
