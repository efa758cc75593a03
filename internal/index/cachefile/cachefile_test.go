package cachefile_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"obsidian-mcp/internal/index/cachefile"
	"obsidian-mcp/internal/testkit/skip"
)

var (
	sections = [][]byte{[]byte("first"), {}, bytes.Repeat([]byte("third "), 1000)}
	short    = [][]byte{[]byte("first"), {}, []byte("third")}
)

// write publishes a file and returns it.
func write(t *testing.T, name string, sections [][]byte) *cachefile.File {
	t.Helper()
	before, _ := os.Stat(name)
	w, err := cachefile.Create(name, "me")
	if err != nil {
		t.Fatal(err)
	}
	for i, section := range sections {
		if err := w.Add(section); err != nil {
			t.Fatal(err)
		}
		added, err := w.Added()
		if err != nil || !slices.EqualFunc(added.Sections, sections[:i+1], bytes.Equal) {
			t.Fatalf("the sections added so far are %q, %v", added.Sections, err)
		}
		added.Unload(i)
		if !bytes.Equal(added.Sections[i], section) {
			t.Errorf("section %d is %q after Unload", i, added.Sections[i])
		}
	}
	file, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(name); err == nil && (before == nil || !os.SameFile(before, now)) {
		t.Error("the file is in place before Publish")
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
	t.Parallel()
	name := filepath.Join(t.TempDir(), "deep", "cache.idx")
	first := write(t, name, sections)
	check(t, first)
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	opened, err := cachefile.Open(name, "me")
	if err != nil {
		t.Fatal(err)
	}
	check(t, opened)
	write(t, name, sections) // another server replaces the file
	os.Remove(name)
	check(t, opened)
	check(t, first)
}

// A changed or missing byte is noticed, wherever it is.
func TestDamageIsDetected(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "cache.idx")
	write(t, name, short)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, data []byte, owner string) {
		t.Helper()
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := cachefile.Open(name, owner)
		if err == nil {
			err = file.Verify()
		}
		if !errors.Is(err, cachefile.ErrForeign) {
			t.Errorf("%s: got %v, want ErrForeign", what, err)
		}
	}
	refused("another owner's file", whole, "you")
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x40
		refused("a flipped bit", damaged, "me")
		damaged[i] = whole[i] + 1
		refused("a changed byte", damaged, "me")
		refused("cut off", whole[:i], "me")
	}
	refused("grown", append(bytes.Clone(whole), 'x'), "me")
	refused("empty", nil, "me")
}

func TestAbortAndSweepRemoveTemporaryFiles(t *testing.T) {
	skip.OnWindows(t, "a file that is open is not removed")
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "cache.idx")
	w, err := cachefile.Create(name, "me")
	if err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if _, err := cachefile.Create(name, "me"); err != nil { // as a killed process leaves it
		t.Fatal(err)
	}
	cachefile.Sweep(name, func(info os.FileInfo) bool { return time.Since(info.ModTime()) > time.Hour })
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("Sweep removed a file that may be in use: %v", left)
	}
	cachefile.Sweep(name, func(os.FileInfo) bool { return true })
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
