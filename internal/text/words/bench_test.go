package words

import (
	"testing"

	"obsidian-mcp/internal/testkit/vaultgen"
)

func BenchmarkScanner(b *testing.B) {
	var text []byte
	err := vaultgen.Generate(vaultgen.Options{Notes: 1000, Seed: 1, Hub: 10}, func(note vaultgen.Note) error {
		text = append(text, note.Text...)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		scanner := In(text)
		for _, ok := scanner.Next(); ok; _, ok = scanner.Next() {
		}
	}
}
