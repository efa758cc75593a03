// Package golden compares what the program produces with files that somebody has looked at and committed. Only tests
// import it.
//
// Importing it registers the flag -update, with which the tests write these files instead: `make golden` passes it to
// every package that imports this one. What changed is then reviewed in the diff of the commit.
package golden

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Updating reports whether this run writes golden files. Only tests that do more than Check need to ask.
func Updating() bool { return *update }

// Check compares got with the file called name, relative to the folder of the test's package. With -update it makes
// the file, and the folder it is in, hold got.
func Check(t testing.TB, name string, got []byte) {
	t.Helper()
	want, err := os.ReadFile(name)
	if err == nil && bytes.Equal(want, got) {
		return
	}
	if Updating() {
		write(t, name, got)
		return
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	t.Errorf("%s differs from what the program produces; if the change is intended, run the test with -update (-file +program):\n%s",
		name, cmp.Diff(string(want), string(got)))
}

func write(t testing.TB, name string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
}
