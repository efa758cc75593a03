package text

import (
	"testing"

	"obsidian-mcp/internal/testkit/vaultgen"
)

// BenchmarkBuild reads the words of 3,000 notes, about as large as those of a real vault.
func BenchmarkBuild(b *testing.B) {
	var docs []Doc
	size := 0
	err := vaultgen.Generate(vaultgen.Options{Notes: 3_000, Seed: 1, Hub: 10}, func(note vaultgen.Note) error {
		docs = append(docs, Doc{Title: note.Path, Text: []byte(note.Text)})
		size += len(note.Text)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	var words Words
	words.Prepare(size)
	add := func() {
		words.Reset()
		for i := range docs {
			words.Add(docs[i].Text, docs[i].fields)
		}
	}
	b.Run("add", func(b *testing.B) {
		b.SetBytes(int64(size))
		for b.Loop() {
			add()
		}
	})
	add()
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(size))
		for b.Loop() {
			words.Encode()
		}
	})
}
