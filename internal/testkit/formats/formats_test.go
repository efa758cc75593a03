package formats

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestEveryVersionIsKept checks that the table has a folder for each version that is read, and each folder a row. The
// tests that call Check compare the table with the program.
func TestEveryVersionIsKept(t *testing.T) {
	var want []string
	for _, format := range List(t) {
		for version := format.Oldest; version <= format.Newest; version++ {
			want = append(want, filepath.Join(format.Name, fmt.Sprintf("v%d", version)))
		}
	}
	var got []string
	folders, err := filepath.Glob(filepath.Join(Root(t), "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		name, _ := filepath.Rel(Root(t), folder)
		if entries, err := os.ReadDir(folder); err != nil || len(entries) == 0 {
			t.Errorf("%s is not a folder with files", name)
		}
		got = append(got, name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 5 || !slices.Equal(want, got) {
		t.Errorf("docs/FORMATS.md lists %q, testdata/formats has %q", want, got)
	}
}
