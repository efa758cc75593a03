// Package corpus generates the vaults that everything is measured on, and draws the queries from them. The same
// size gives the same notes and the same queries.
package corpus

import (
	"os"
	"path/filepath"
	"strings"

	"obsidian-mcp/internal/testkit/vaultgen"
)

// Corpus is a generated vault on disk.
type Corpus struct {
	Dir   string
	Notes int
	Bytes int64 // of all notes
	words *words
}

// hubLinks is the number of notes that link to the note "Hub".
func hubLinks(notes int) int { return min(notes/2, 5000) }

// Hub is the note that most others link to.
const Hub = "Hub"

// Make writes a vault of a number of notes below a folder and counts its words.
func Make(dir string, notes int) (*Corpus, error) {
	made := &Corpus{Dir: dir, Notes: notes, words: newWords()}
	options := vaultgen.Options{Notes: notes, Seed: 1, Hub: hubLinks(notes)}
	folders := map[string]bool{}
	err := vaultgen.Generate(options, func(note vaultgen.Note) error {
		made.Bytes += int64(len(note.Text))
		made.words.add(note.Text)
		name := filepath.Join(dir, filepath.FromSlash(note.Path))
		if folder := filepath.Dir(name); !folders[folder] {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
			folders[folder] = true
		}
		return os.WriteFile(name, []byte(note.Text), 0o644)
	})
	if err != nil {
		return nil, err
	}
	made.words.settle()
	return made, nil
}

// Forget drops the words once the queries are drawn, so that they do not count in what is measured.
func (c *Corpus) Forget() { c.words = nil }

// Paths lists the files of the vault.
func (c *Corpus) Paths() ([]string, error) {
	var all []string
	err := filepath.WalkDir(c.Dir, func(name string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			all = append(all, name)
		}
		return err
	})
	return all, err
}

// Text returns all notes as a single text.
func (c *Corpus) Text() ([]byte, error) {
	paths, err := c.Paths()
	if err != nil {
		return nil, err
	}
	text := make([]byte, 0, c.Bytes)
	for _, name := range paths {
		note, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		text = append(text, note...)
	}
	return text, nil
}

// Linking lists the files that link to the hub.
func (c *Corpus) Linking() ([]string, error) {
	paths, err := c.Paths()
	if err != nil {
		return nil, err
	}
	var linking []string
	for _, name := range paths {
		note, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if strings.Contains(string(note), "[["+Hub+"]]") {
			linking = append(linking, name)
		}
	}
	return linking, nil
}
