package system

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSpelling(t *testing.T) {
	disk := map[string][]string{"/": {"Users"}, "/Users": {"ann", "Bob"}, "/Users/Bob": {"Notizen Übung", "x"}, "/Users/Bob/Notizen Übung": nil}
	folded := func(path string) string { return strings.ToLower(filepath.ToSlash(path)) }
	exists := func(path string) bool {
		for dir, names := range disk {
			for _, name := range names {
				if folded(filepath.Join(dir, name)) == folded(path) {
					return true
				}
			}
		}
		return false
	}
	list := func(dir string) []string { return disk[filepath.ToSlash(dir)] }
	ignoring := func(a, b string) bool { return exists(a) && folded(a) == folded(b) }
	minding := func(a, b string) bool { return exists(a) && a == b }
	for path, want := range map[string]string{
		"/Users/Bob/Notizen Übung": "/Users/Bob/Notizen Übung",
		"/users/BOB/notizen übung": "/Users/Bob/Notizen Übung",
		"/Users/bob":               "/Users/Bob",
		"/Users/carol":             "/Users/carol",
		"/USERS/carol/x":           "/Users/carol/x",
		"/":                        "/",
	} {
		if got := filepath.ToSlash(spelling(filepath.FromSlash(path), ignoring, list)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if got := filepath.ToSlash(spelling(filepath.FromSlash(path), minding, list)); got != path {
			t.Errorf("where case matters, %s becomes %s", path, got)
		}
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "Vault"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(dir, "Vault")
	if got := Spelling(want); got != want {
		t.Errorf("%s becomes %s", want, got)
	}
	if other := filepath.Join(dir, "vAULT"); SameFile(want, other) && Spelling(other) != want {
		t.Errorf("%s stays %s", other, Spelling(other))
	}
	if names := listed(dir); len(names) != 1 || len(listed(filepath.Join(dir, "none"))) != 0 {
		t.Errorf("listed %q", names)
	}
}
