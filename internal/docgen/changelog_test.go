package docgen

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/testkit/golden"
)

// TestChangelogIsGenerated keeps CHANGELOG.md in step with the fragments. tools/changelog runs it with -update.
func TestChangelogIsGenerated(t *testing.T) {
	text, err := Changelog(os.DirFS(repository + "changelog"))
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, repository+"CHANGELOG.md", []byte(text))
}

func TestChangelog(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	folder := fstest.MapFS{
		"README.md":            file("How to."),
		"unreleased/next.md":   file("New: what comes next\n\nSoon.\n"),
		"1.9.0/date.txt":       file("2026-01-02\n"),
		"1.9.0/b.md":           file("Fixed: a bug\n\nIt is gone.\n[Really](../../docs/TOOLS.md).\n"),
		"1.9.0/a.md":           file("Fixed: another\n\nGone too.\n"),
		"1.9.0/z.md":           file("Security: a leak\n\nClosed.\n"),
		"1.10.0/date.txt":      file("2026-03-04"),
		"1.10.0/c.md":          file("New: a tool\n\nUse it.\n"),
		"1.10.0-rc.2/date.txt": file("2026-03-01"),
		"1.10.0-rc.2/d.md":     file("Changed: a word\n\nRead it.\n"),
	}
	got, err := Changelog(folder)
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ = strings.Cut(got, "`changelog/unreleased`.\n\n")
	want := `## 1.10.0 (2026-03-04)

### New

**A tool.** Use it.

## 1.10.0-rc.2 (2026-03-01)

### Changed

**A word.** Read it.

## 1.9.0 (2026-01-02)

### Security

**A leak.** Closed.

### Fixed

**Another.** Gone too.

**A bug.** It is gone.
[Really](docs/TOOLS.md).
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestChangelogRefuses(t *testing.T) {
	for name, folder := range map[string]fstest.MapFS{
		"an unknown kind":        {"unreleased/a.md": {Data: []byte("News: a\n\nb\n")}},
		"a fragment without":     {"unreleased/a.md": {Data: []byte("New: a\n")}},
		"no heading":             {"unreleased/a.md": {Data: []byte("a\n\nb\n")}},
		"a folder of no version": {"soon/a.md": {Data: []byte("New: a\n\nb\n")}},
		"a leading zero":         {"1.02.0/date.txt": {Data: []byte("2026-01-02")}},
		"a version without date": {"1.2.0/a.md": {Data: []byte("New: a\n\nb\n")}},
	} {
		if text, err := Changelog(folder); err == nil {
			t.Errorf("%s was accepted:\n%s", name, text)
		}
	}
}
