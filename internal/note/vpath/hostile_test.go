package vpath_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/testkit/cases"
)

// TestHostilePathCases runs the hostile paths as far as they can be decided without a disk. Paths that only a disk can
// decide (a symbolic link, a FIFO, a folder named like a note, whether a file exists) must pass Parse, so that the
// store's own checks see them.
func TestHostilePathCases(t *testing.T) {
	onDisk := diskTraps(t)
	file, err := os.Open(cases.Path(t, "hostile/paths.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ran, decided := 0, 0
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		columns := strings.Split(lines.Text(), "\t")
		if len(columns) != 4 {
			t.Fatalf("paths.txt: want four columns: %q", lines.Text())
		}
		var path string
		if err := json.Unmarshal([]byte(columns[0]), &path); err != nil {
			t.Fatal(err)
		}
		ran++
		id := columns[0]
		if len(id) > 60 {
			id = id[:60]
		}
		t.Run(id, func(t *testing.T) {
			if checkHostile(t, path, columns[1], columns[2], onDisk(path)) {
				decided++
			}
		})
	}
	if ran == 0 {
		t.Fatal("paths.txt has no cases")
	}
	t.Logf("hostile paths: %d cases ran, %d of them decided without a disk", ran, decided)
}

// checkHostile checks one case and reports whether it could be decided without a disk.
func checkHostile(t *testing.T, path, read, write string, needsDisk bool) bool {
	parsed, err := vpath.Parse(path)
	creatable := err == nil && parsed.Portable() == nil
	switch {
	case strings.HasPrefix(read, "ok:"), read == "absent", read == "ambiguous":
		if err != nil {
			t.Errorf("Parse(%.80q) = %v, but reading it is allowed", path, err)
		}
	case read == "refuse" && write == "refuse" && !needsDisk && creatable:
		t.Errorf("Parse and Portable accept %.80q, which may be neither read nor created", path)
	}
	switch {
	case write == "create" && !creatable:
		t.Errorf("%.80q may be created, but Parse says %v and Portable %v", path, err, parsed.Portable())
	case write == "refuse" && !needsDisk && creatable:
		t.Errorf("%.80q must not be created, but Parse and Portable accept it", path)
	case strings.HasPrefix(write, "same:"):
		same := vpath.Path(strings.TrimPrefix(write, "same:"))
		if err != nil || parsed.Key() != same.Key() {
			t.Errorf("%q and %q have keys %q and %q, want the same", path, same, parsed.Key(), same.Key())
		}
	}
	return !needsDisk
}

// diskTraps returns a function that reports whether a path meets anything in the fixture other than an ordinary file,
// which only a disk can show.
func diskTraps(t *testing.T) func(path string) bool {
	var fixture []struct{ Type, Path string }
	text, err := os.ReadFile(cases.Path(t, "hostile/fixture.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &fixture); err != nil {
		t.Fatal(err)
	}
	return func(path string) bool {
		for _, item := range fixture {
			name, inVault := strings.CutPrefix(item.Path, "vault/")
			if !inVault || item.Type == "file" && !strings.HasPrefix(path, name+"/") {
				continue
			}
			if path == name || strings.HasPrefix(path, name+"/") {
				return true
			}
		}
		return false
	}
}
