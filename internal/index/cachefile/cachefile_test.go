package cachefile_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"obsidian-mcp/internal/index/cachefile"
)

var sections = [][]byte{[]byte("first"), {}, bytes.Repeat([]byte("third "), 1000)}

func write(t *testing.T, name, owner string) *cachefile.File {
	t.Helper()
	before, _ := os.Stat(name)
	w, err := cachefile.Create(name, owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range sections {
		if err := w.Add(section); err != nil {
			t.Fatal(err)
		}
	}
	file, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(name); err == nil && (before == nil || !os.SameFile(before, now)) {
		t.Error("the file is in its place before it is published")
	}
	if err := w.Publish(); err != nil {
		t.Fatal(err)
	}
	return file
}

func check(t *testing.T, file *cachefile.File) {
	t.Helper()
	if err := file.Verify(); err != nil {
		t.Fatal(err)
	}
	for i, section := range sections {
		if !bytes.Equal(file.Sections[i], section) {
			t.Errorf("section %d is %q", i, file.Sections[i])
		}
	}
}

func TestRoundTrip(t *testing.T) {
	name := filepath.Join(t.TempDir(), "deep", "cache.idx")
	first := write(t, name, "me")
	check(t, first)
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	opened, err := cachefile.Open(name, "me")
	if err != nil {
		t.Fatal(err)
	}
	check(t, opened)
	write(t, name, "me") // another server puts its own in the place
	os.Remove(name)
	check(t, opened)
	check(t, first)
}

// TestDamage: whatever byte is another one, or is missing, is noticed.
func TestDamage(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cache.idx")
	write(t, name, "me")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	foreign := func(what string, data []byte, owner string) {
		t.Helper()
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := cachefile.Open(name, owner)
		if err == nil {
			err = file.Verify()
		}
		if !errors.Is(err, cachefile.ErrForeign) {
			t.Errorf("%s: %v", what, err)
		}
	}
	foreign("somebody else's", whole, "you")
	for i := 0; i < len(whole); i += 1 + len(whole)/400 {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x40
		foreign("a flipped bit", damaged, "me")
		foreign("cut off", whole[:i], "me")
	}
	for i := len(whole) - 120; i < len(whole); i++ {
		damaged := bytes.Clone(whole)
		damaged[i]++
		foreign("a footer's byte", damaged, "me")
	}
	foreign("grown", append(bytes.Clone(whole), 'x'), "me")
	foreign("empty", nil, "me")
}

func TestAbortAndSweep(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "cache.idx")
	w, err := cachefile.Create(name, "me")
	if err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if _, err := cachefile.Create(name, "me"); err != nil { // as of a process that was killed
		t.Fatal(err)
	}
	cachefile.Sweep(name, func(info os.FileInfo) bool { return time.Since(info.ModTime()) > time.Hour })
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("what may be in use was removed: %v", left)
	}
	cachefile.Sweep(name, func(os.FileInfo) bool { return true })
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
