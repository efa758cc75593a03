package vpath_test

import (
	"errors"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
)

func TestParseNoteAddsTheExtension(t *testing.T) {
	for name, want := range map[string]vpath.Path{
		"Note": "Note.md", "Note.md": "Note.md", "a/Note.MD": "a/Note.MD", "a/b/c": "a/b/c.md",
		"v1.2 plan": "v1.2 plan.md", "board.canvas": "board.canvas",
	} {
		if got, err := vpath.ParseNote(name); err != nil || got != want {
			t.Errorf("ParseNote(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	for name, want := range map[string]fault.Kind{
		"":               fault.InvalidArgument,
		" ":              fault.InvalidArgument,
		"folder/":        fault.InvalidArgument,
		"folder/ \t":     fault.InvalidArgument,
		"a//Note":        fault.InvalidArgument,
		"../Note":        fault.PermissionDenied,
		"/Note":          fault.PermissionDenied,
		".obsidian/Note": fault.PermissionDenied,
	} {
		if got, err := vpath.ParseNote(name); !errors.Is(err, want) || got != "" {
			t.Errorf("ParseNote(%q) = %q, %v; want %v", name, got, err, want)
		}
	}
}

func TestIsBinaryGoesByExtension(t *testing.T) {
	for path, want := range map[vpath.Path]bool{
		"a.png": true, "a.PNG": true, "x/a.pdf": true, "a.zip": true,
		"a.md": false, "a.canvas": false, "a.svg": false, "a.txt": false, "png": false, "a.png.md": false,
	} {
		if got := path.IsBinary(); got != want {
			t.Errorf("IsBinary(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestBelowComparesKeys(t *testing.T) {
	for _, test := range []struct {
		path, folder, want vpath.Path
		isBelow            bool
	}{
		{"a/b/c.md", "", "a/b/c.md", true},
		{"a/b/c.md", "a", "b/c.md", true},
		{"a/b/c.md", "a/b", "c.md", true},
		{"A/Ö/c.md", "a/o\u0308", "c.md", true},
		{"a/b/c.md", "a/b/c.md", "", false},
		{"a/b/c.md", "a/b/c.md/d", "", false},
		{"c.md", "a", "", false},
		{"ab/c.md", "a", "c.md", false},
		{"a/x/c.md", "a/b", "c.md", false},
	} {
		got, isBelow := test.path.Below(test.folder)
		if isBelow != test.isBelow || isBelow && got != test.want {
			t.Errorf("%q.Below(%q) = %q, %v; want %q, %v", test.path, test.folder, got, isBelow, test.want, test.isBelow)
		}
	}
}

// TestWindowsShortNamesOfHiddenFoldersAreHidden: on Windows GIT~1 may be .git.
func TestWindowsShortNamesOfHiddenFoldersAreHidden(t *testing.T) {
	for name, hidden := range map[string]bool{
		"GIT~1": true, "git~12": true, "OBSIDI~1": true, "trash~1": true, "GIT~1 .": true, "\u200bGIT~1": true,
		"NOTES~1": false, "GIT~": false, "GIT~x": false, "GITX~1": false, "legit~1": false,
	} {
		_, err := vpath.Parse(name + "/config")
		if errors.Is(err, fault.PermissionDenied) != hidden {
			t.Errorf("Parse(%q): %v; want hidden: %v", name+"/config", err, hidden)
		}
	}
}

func TestJoinersAreAllowedBetweenOtherCharacters(t *testing.T) {
	for name, fine := range map[vpath.Path]bool{
		"👩\u200d💻.md": true, "می\u200cخواهم.md": true,
		"a\u200d": false, "\u200da": false, "a\u200d\u200db": false, "a\u2029b": false,
	} {
		if err := name.Portable(); (err == nil) != fine {
			t.Errorf("Portable(%+q) = %v, want allowed: %v", string(name), err, fine)
		}
	}
}

// TestFoldedLettersComposeWithTheirMarks folds letters whose lower case composes with the mark behind it, though the upper
// case does not.
func TestFoldedLettersComposeWithTheirMarks(t *testing.T) {
	for upper, lower := range map[string]string{"H\u0331": "\u1e96", "T\u0308": "\u1e97", "J\u030c": "\u01f0"} {
		if got, want := vpath.FoldKey(upper), vpath.FoldKey(lower); got != want {
			t.Errorf("FoldKey(%+q) = %+q, FoldKey(%+q) = %+q", upper, got, lower, want)
		}
	}
}

func TestLengthCountsUTF16Units(t *testing.T) {
	for path, want := range map[vpath.Path]int{"": 0, "abc": 3, "é": 1, "日本": 2, "😀.md": 5} {
		if got := path.Length(); got != want {
			t.Errorf("Length(%q) = %d, want %d", path, got, want)
		}
	}
	if vpath.Compare("日本本.md", "😀.md") <= 0 {
		t.Error("Compare prefers a path of six units to one of five")
	}
}
