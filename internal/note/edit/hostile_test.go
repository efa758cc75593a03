package edit_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/testkit/cases"
)

// TestHostileFrontmatterCases reads every hostile note, appends to it and sets a property, and checks what the class of
// the note in EXPECT.tsv promises. None of them may need more memory than maxHostileBytes: a note that makes YAML expand
// without bound would.
func TestHostileFrontmatterCases(t *testing.T) {
	dir := cases.Path(t, "hostile/frontmatter")
	table, err := os.ReadFile(filepath.Join(dir, "EXPECT.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for line := range strings.Lines(string(table)) {
		columns := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(columns) < 2 {
			continue
		}
		ran++
		t.Run(columns[0], func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join(dir, columns[0]))
			if err != nil {
				t.Fatal(err)
			}
			if got := allocatedBytes(func() { checkHostileNote(t, src, columns[1]) }); got > maxHostileBytes {
				t.Errorf("the edits allocated %d bytes, want at most %d", got, maxHostileBytes)
			}
		})
	}
	if ran == 0 {
		t.Fatal("EXPECT.tsv has no cases")
	}
	t.Logf("ran %d cases", ran)
}

const maxHostileBytes = 64 << 20

// allocatedBytes returns how much memory a function allocates.
func allocatedBytes(run func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func checkHostileNote(t *testing.T, src []byte, class string) {
	note, err := edit.Open(src)
	if err != nil {
		if class != "bounded" {
			t.Errorf("Open: %v", err)
		}
		return
	}
	appended := md.Apply(src, edit.Append(note, "MORE"))
	if !bytes.HasPrefix(appended, src) || !bytes.Contains(appended[len(src):], []byte("MORE")) {
		t.Error("Append changed earlier bytes or added nothing")
	}
	splices, err := edit.SetProperty(note, "added", front.TextValue("value"))
	switch class {
	case "not-frontmatter":
		if note.Front.Present {
			t.Error("the note has frontmatter, want none")
		}
	case "refuse-edit":
		if err == nil {
			t.Errorf("SetProperty should fail, but gave %q", md.Apply(src, splices))
		} else if !strings.Contains(err.Error(), "frontmatter") {
			t.Errorf("the error does not mention the frontmatter: %v", err)
		}
	case "preserve", "bounded":
		if err != nil && class == "bounded" {
			return
		}
		if err != nil {
			t.Fatalf("SetProperty: %v", err)
		}
		checkOneLineAdded(t, src, md.Apply(src, splices), "added: value")
	default:
		t.Errorf("unknown class %s", class)
	}
}

// checkOneLineAdded checks that one line was added and no other byte changed.
func checkOneLineAdded(t *testing.T, src, changed []byte, line string) {
	t.Helper()
	at := bytes.Index(changed, []byte(line))
	if at < 0 {
		t.Fatalf("%q is not in %.200q", line, changed)
	}
	end := md.NextLine(changed, at)
	without := append(bytes.Clone(changed[:at]), changed[end:]...)
	if !bytes.Equal(without, src) {
		t.Errorf("other bytes changed:\n%.300q became\n%.300q", src, changed)
	}
}
