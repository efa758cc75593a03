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

// TestHostilePathCases runs the hostile paths as far as they can be decided
// without a disk. What only a disk can decide (a symbolic link, a FIFO, a
// folder in the place of a note, what exists) must get through the door here,
// so that the store's own checks see it.
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
			t.Fatalf("not four columns: %q", lines.Text())
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
		t.Fatal("no cases")
	}
	t.Logf("hostile paths: %d cases ran, %d of them decided without a disk", ran, decided)
}

// checkHostile reports whether the case was decided here.
func checkHostile(t *testing.T, path, read, write string, needsDisk bool) bool {
	parsed, err := vpath.Parse(path)
	creatable := err == nil && parsed.Portable() == nil
	switch {
	case strings.HasPrefix(read, "ok:"), read == "absent", read == "ambiguous":
		if err != nil {
			t.Errorf("Parse(%.80q): %v; reading it is fine", path, err)
		}
	case read == "refuse" && write == "refuse" && !needsDisk && creatable:
		t.Errorf("Parse(%.80q) and Portable let it through", path)
	}
	switch {
	case write == "create" && !creatable:
		t.Errorf("%.80q cannot be created: %v, %v", path, err, parsed.Portable())
	case write == "refuse" && !needsDisk && creatable:
		t.Errorf("%.80q may be created", path)
	case strings.HasPrefix(write, "same:"):
		same := vpath.Path(strings.TrimPrefix(write, "same:"))
		if err != nil || parsed.Key() != same.Key() {
			t.Errorf("%q and %q have keys %q and %q", path, same, parsed.Key(), same.Key())
		}
	}
	return !needsDisk
}

// diskTraps tells which paths run into something of the fixture that is no
// ordinary note: only a disk shows that.
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
