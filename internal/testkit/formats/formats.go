// Package formats keeps a folder of every version of every format in which the program stores something, so that each
// release can be tested with what earlier ones have left behind. docs/FORMATS.md lists the formats. Only tests import it.
package formats

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"obsidian-mcp/internal/testkit/golden"
)

// Format is a row of docs/FORMATS.md.
type Format struct {
	Name   string
	Oldest int // the oldest version that is read
	Newest int // the version that is written
}

// row matches a row of the table: name, oldest and newest version.
var row = regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| (\\d+) \\| (\\d+) \\|")

// List reads the table in docs/FORMATS.md.
func List(t testing.TB) map[string]Format {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository(t), "docs", "FORMATS.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]Format{}
	for _, cells := range row.FindAllStringSubmatch(string(text), -1) {
		oldest, _ := strconv.Atoi(cells[2])
		newest, _ := strconv.Atoi(cells[3])
		all[cells[1]] = Format{cells[1], oldest, newest}
	}
	return all
}

// Root is the folder that has a folder for each format, in which there is one for each version, v1, v2 and so on.
func Root(t testing.TB) string { return filepath.Join(repository(t), "testdata", "formats") }

// Check hands a copy of the folder of each version to read. If the folder of the newest version is missing and the test
// runs with -update, write makes it; a folder that exists is never written again.
func Check(t *testing.T, format Format, write func(t *testing.T, dir string), read func(t *testing.T, dir string, version int)) {
	t.Helper()
	if listed := List(t)[format.Name]; listed != format {
		t.Errorf("docs/FORMATS.md says %+v, the program has %+v", listed, format)
	}
	for version := format.Oldest; version <= format.Newest; version++ {
		dir := filepath.Join(Root(t), format.Name, fmt.Sprintf("v%d", version))
		if _, err := os.Stat(dir); err != nil && version == format.Newest && golden.Updating() {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, dir)
		}
		t.Run(fmt.Sprintf("v%d", version), func(t *testing.T) {
			copied := t.TempDir()
			if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
				t.Fatalf("%v; run the test with -update to make the folder of a new version", err)
			}
			read(t, copied, version)
		})
	}
}

// repository is the folder that has go.mod.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("go.mod is not above the folder of the test")
	return ""
}
