package md_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"go.abhg.dev/goldmark/frontmatter"
	"go.abhg.dev/goldmark/wikilink"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/testkit/cases"
)

// realNotes returns the notes of the real vaults and their total size.
func realNotes(b testing.TB) (notes [][]byte, size int) {
	b.Helper()
	err := filepath.WalkDir(cases.Shared(b, "vaults"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		note, err := os.ReadFile(path)
		notes = append(notes, note)
		size += len(note)
		return err
	})
	if err != nil || len(notes) == 0 {
		b.Fatalf("read %d notes of the real vaults: %v", len(notes), err)
	}
	return notes, size
}

// BenchmarkScan compares the scanner on the real vaults with goldmark and the extensions that a program for Obsidian notes
// would use, and with a bare search for line ends.
func BenchmarkScan(b *testing.B) {
	notes, size := realNotes(b)
	run := func(name string, scan func(note []byte)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, note := range notes {
					scan(note)
				}
			}
		})
	}
	var scanner md.Scanner
	run("ours", func(note []byte) { scanner.Scan(note) })

	run("IndexByte", func(note []byte) {
		for rest := note; ; {
			i := bytes.IndexByte(rest, '\n')
			if i < 0 {
				return
			}
			rest = rest[i+1:]
		}
	})

	plain := goldmark.New(goldmark.WithExtensions(&wikilink.Extender{}, &frontmatter.Extender{}))
	run("goldmark", func(note []byte) {
		plain.Parser().Parse(text.NewReader(note), parser.WithContext(parser.NewContext()))
	})
	full := goldmark.New(goldmark.WithExtensions(
		&wikilink.Extender{}, &frontmatter.Extender{}, extension.GFM, extension.Footnote,
	))
	run("goldmark+GFM", func(note []byte) {
		full.Parser().Parse(text.NewReader(note), parser.WithContext(parser.NewContext()))
	})
}
