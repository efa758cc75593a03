//go:build unix

package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/testkit/cases"
)

// TestHostileFrontmatter reads every hostile note, appends to it and sets a property, over stdio and HTTP.
func TestHostileFrontmatter(t *testing.T) {
	t.Parallel()
	names, _ := filepath.Glob(filepath.Join(cases.Path(t, "hostile/frontmatter"), "*.md"))
	if len(names) < 30 {
		t.Fatalf("only %d notes", len(names))
	}
	for _, transport := range []string{"stdio", "mcp"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			vault := t.TempDir()
			for _, name := range names {
				content, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				writeFiles(t, vault, map[string]string{filepath.Base(name): string(content)})
			}
			s := hostileTransports()[transport](t, vault)
			for _, name := range names {
				t.Run(filepath.Base(name), func(t *testing.T) {
					s.use(t)
					before := s.worked()
					checkHostileNote(t, s, filepath.Join(vault, filepath.Base(name)))
					s.checkWork(t, before)
				})
			}
			s.use(t)
			s.checkPeak(t)
			s.end()
		})
	}
}

func checkHostileNote(t *testing.T, s hostileServer, file string) {
	name := filepath.Base(file)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if read, raw := callOver(t, s.caller, "read_note", map[string]any{"name": name}); read.IsError {
		t.Errorf("read: %s", raw)
	}
	if metadata, raw := callOver(t, s.caller, "get_note_metadata", map[string]any{"name": name}); metadata.IsError || len(raw) > 4<<20 {
		t.Errorf("metadata of %d bytes", len(raw))
	}
	appended, raw := callOver(t, s.caller, "append_note", map[string]any{"name": name, "text": "MORE"})
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if appended.IsError && string(after) != string(before) {
		t.Errorf("appending failed, but the note changed: %s", raw)
	}
	if !appended.IsError && !strings.HasPrefix(string(after), string(before)) {
		t.Error("appending changed earlier bytes")
	}
	set, raw := callOver(t, s.caller, "set_frontmatter", map[string]any{"name": name, "key": "added_by_test", "value": "yes"})
	final, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if set.IsError {
		if string(final) != string(after) {
			t.Errorf("setting failed, but the note changed: %s", raw)
		}
	} else if !withoutLine(string(final), string(after)) {
		t.Errorf("setting a property changed more than one line")
	}
}

// withoutLine reports whether b is a without the added property, and without the fences that were added with it.
func withoutLine(a, b string) bool {
	for _, eol := range []string{"\n", "\r\n"} {
		line := "added_by_test: yes" + eol
		for _, quoted := range []string{line, "added_by_test: \"yes\"" + eol} {
			if strings.Replace(a, quoted, "", 1) == b || strings.Replace(a, "---"+eol+quoted+"---"+eol, "", 1) == b {
				return true
			}
		}
	}
	return false
}
