package main

import (
	"obsidian-mcp/internal/testkit/vaultgen"
)

// vault is a generated vault in a folder. Its texts are generated again when they are needed: the same seed gives
// the same bytes.
type vault struct {
	dir   string
	shape vaultgen.Options
	paths []string
	bytes int64
}

func makeVault(dir string, notes int) (*vault, error) {
	v := &vault{dir: dir, shape: vaultgen.Options{Notes: notes, Seed: 1}}
	if err := vaultgen.Write(dir, v.shape); err != nil {
		return nil, err
	}
	err := v.each(func(path, text string) error {
		v.paths = append(v.paths, path)
		v.bytes += int64(len(text))
		return nil
	})
	return v, err
}

func (v *vault) each(visit func(path, text string) error) error {
	return vaultgen.Generate(v.shape, func(note vaultgen.Note) error { return visit(note.Path, note.Text) })
}

// times returns a number of bytes as a multiple of the plain text.
func (v *vault) times(bytes int64) float64 { return float64(bytes) / float64(v.bytes) }
