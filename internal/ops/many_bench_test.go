package ops_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/testkit/vaultgen"
	"obsidian-mcp/internal/tool"
)

// What the vault of BenchmarkManyNotes has besides the generated notes.
const (
	taggedNotes = 5000
	areaNotes   = 2000
	areaLinks   = 20_000
)

// openMany opens a generated vault in which 5,000 notes have the tag bench, and 20,000 links lead to the 2,000 notes of the
// folder area, half of them from there.
func openMany(b *testing.B, dir string) *tool.Registry {
	b.Helper()
	if err := vaultgen.Write(dir, vaultgen.Options{Notes: benchNotes() - areaNotes, Seed: 1}); err != nil {
		b.Fatal(err)
	}
	i := 0
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || i >= taggedNotes {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		i++
		added := "\n\n#bench\n\n"
		for j := range areaLinks / 2 / taggedNotes {
			added += fmt.Sprintf("[[Area note %d]] ", (i*2+j)%areaNotes)
		}
		return os.WriteFile(name, append(text, added...), 0o644)
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "area"), 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range areaNotes {
		var text strings.Builder
		for j := range areaLinks / 2 / areaNotes {
			fmt.Fprintf(&text, "See [[area/Area note %d]] for more.\n", (i+j*7)%areaNotes)
		}
		if err := os.WriteFile(filepath.Join(dir, "area", fmt.Sprintf("Area note %d.md", i)), []byte(text.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return openTools(b, dir, ops.TagsOff)
}

// BenchmarkManyNotes renames a tag of 5,000 notes and a folder of 2,000, and writes the same files in a plain loop with the
// same durability.
func BenchmarkManyNotes(b *testing.B) {
	dir := b.TempDir()
	tools := openMany(b, dir)
	rename := func(kind, from, to string, dryRun bool) {
		callBench(b, tools, "rename_in_vault", map[string]any{"kind": kind, "from": from, "to": to, "dry_run": dryRun})
	}
	var names []string
	tagged, area := map[string][]byte{}, map[string][]byte{}
	read := func() {
		clear(tagged)
		clear(area)
		names = nil
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			if strings.Contains(string(text), "#bench") || strings.Contains(string(text), "#other") {
				tagged[name] = text
			}
			if filepath.Base(filepath.Dir(name)) == "area" {
				area[name] = text
				if len(names) < 50 {
					names = append(names, trimExt(entry.Name()))
				}
			}
			return err
		})
		if err != nil || len(tagged) != taggedNotes || len(area) != areaNotes {
			b.Fatal(len(tagged), len(area), err)
		}
	}
	read()
	b.Run("tag dry run", func(b *testing.B) {
		for b.Loop() {
			rename("tag", "bench", "other", true)
		}
	})
	b.Run("read plain", func(b *testing.B) {
		for b.Loop() {
			for name := range tagged {
				if _, err := os.ReadFile(name); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("read 50 notes", func(b *testing.B) {
		for b.Loop() {
			callBench(b, tools, "read_notes", map[string]any{"names": names})
		}
	})
	from, to := "bench", "other"
	b.Run("tag", func(b *testing.B) {
		for b.Loop() {
			rename("tag", from, to, false)
			from, to = to, from
		}
	})
	b.Run("tag plain", func(b *testing.B) {
		for b.Loop() {
			for name, content := range tagged {
				writeDurably(b, name, content)
			}
		}
	})
	b.Run("folder dry run", func(b *testing.B) {
		for b.Loop() {
			rename("folder", "area/", "zone/", true)
		}
	})
	fromFolder, toFolder := "area/", "zone/"
	b.Run("folder", func(b *testing.B) {
		for b.Loop() {
			rename("folder", fromFolder, toFolder, false)
			fromFolder, toFolder = toFolder, fromFolder
		}
	})
	if fromFolder == "zone/" {
		rename("folder", "zone/", "area/", false)
	}
	read()
	b.Run("folder plain", func(b *testing.B) {
		for b.Loop() {
			for name, content := range area { // each file is written under another name, and removed
				moved := strings.Replace(name, "area", "", 1) + ".moved"
				writeDurably(b, moved, content)
				if err := os.Remove(moved); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
