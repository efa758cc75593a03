package edit_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/testkit/cases"
)

// TestHostileFrontmatterCases reads, appends to and sets a property of every
// hostile note, and checks what its class in EXPECT.tsv promises.
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
			start := time.Now()
			checkHostileNote(t, src, columns[1])
			if took := time.Since(start); took > time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
	if ran == 0 {
		t.Fatal("no cases")
	}
	t.Logf("hostile frontmatter: %d cases ran", ran)
}

func checkHostileNote(t *testing.T, src []byte, class string) {
	note, err := edit.Open(src)
	if err != nil {
		if class != "bounded" {
			t.Errorf("cannot be opened: %v", err)
		}
		return
	}
	appended := md.Apply(src, edit.Append(note, "MORE"))
	if !bytes.HasPrefix(appended, src) || !bytes.Contains(appended[len(src):], []byte("MORE")) {
		t.Error("appending changed earlier bytes, or added nothing")
	}
	splices, err := edit.SetProperty(note, "added", front.TextValue("value"))
	switch class {
	case "not-frontmatter":
		if note.Front.Present {
			t.Error("there is no frontmatter")
		}
	case "refuse-edit":
		if err == nil {
			t.Errorf("a property was set: %q", md.Apply(src, splices))
		} else if !strings.Contains(err.Error(), "frontmatter") {
			t.Errorf("the error does not say what is wrong: %v", err)
		}
	case "preserve", "bounded":
		if err != nil && class == "bounded" {
			return
		}
		if err != nil {
			t.Fatalf("the property was not set: %v", err)
		}
		checkOneLineAdded(t, src, md.Apply(src, splices), "added: value")
	default:
		t.Errorf("unknown class %s", class)
	}
}

// checkOneLineAdded: one line more, and no other byte.
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
