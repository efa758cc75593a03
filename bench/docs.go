package bench

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
)

// Doc is a note as an engine indexes it.
type Doc struct {
	Path     string // below the vault, with slashes
	Title    string
	Aliases  []string
	Headings []string
	Tags     []string
	Text     string // the whole file, frontmatter included
}

// EachDoc reads the notes of a vault in turn.
func EachDoc(vault string, each func(Doc) error) error {
	var reader docReader
	return filepath.WalkDir(vault, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && name != vault:
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(entry.Name(), ".md"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(vault, name)
		if err != nil {
			return err
		}
		return each(reader.doc(filepath.ToSlash(below), text))
	})
}

// ReadDoc makes a document of a note.
func ReadDoc(notePath, text string) Doc {
	var reader docReader
	return reader.doc(notePath, []byte(text))
}

// docReader finds the fields of notes, and reuses its memory.
type docReader struct{ scanner, values md.Scanner }

func (r *docReader) doc(notePath string, text []byte) Doc {
	doc := Doc{Path: notePath, Title: strings.TrimSuffix(path.Base(notePath), ".md"), Text: string(text)}
	note := r.scanner.Scan(text)
	properties := front.Look(note, &r.values)
	doc.Aliases = append(doc.Aliases, properties.Aliases...)
	doc.Tags = append(doc.Tags, properties.Tags...)
	for _, tag := range note.Tags {
		doc.Tags = append(doc.Tags, string(tag.Of(text)[1:]))
	}
	for _, heading := range note.Headings {
		doc.Headings = append(doc.Headings, string(heading.Text.Of(text)))
	}
	return doc
}
