package vpath_test

import (
	"errors"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
)

func TestParseSaysWhy(t *testing.T) {
	for _, test := range []struct {
		path string
		kind fault.Kind
		want string
	}{
		{"", fault.InvalidArgument, "empty"},
		{"/etc/passwd", fault.PermissionDenied, "absolute"},
		{"../x", fault.PermissionDenied, `".."`},
		{"a/./b", fault.PermissionDenied, `"."`},
		{"a//b", fault.InvalidArgument, "empty component"},
		{`a\b`, fault.PermissionDenied, "backslash"},
		{"C:x", fault.PermissionDenied, "drive"},
		{".obsidian/app.json", fault.PermissionDenied, "hidden"},
		{"a/Git~12/x", fault.PermissionDenied, "hidden"},
		{"a\x00b", fault.InvalidArgument, "control character"},
		{"a\xffb", fault.InvalidArgument, "Unicode"},
		{strings.Repeat("é", 128), fault.InvalidArgument, "255"},
		{strings.Repeat("d/", 200) + "x", fault.InvalidArgument, "deep"},
		{strings.Repeat("dddddddddd/", 400) + "x", fault.InvalidArgument, "3500"},
	} {
		_, err := vpath.Parse(test.path)
		if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse(%.30q) = %v (%s), want %q (%s)", test.path, err, fault.KindOf(err), test.want, test.kind)
		}
	}
}

func TestPortableSaysWhy(t *testing.T) {
	for path, want := range map[vpath.Path]string{
		"a/CON.md":       "reserved",
		"com¹":           "reserved",
		"LPT9 .txt":      "reserved",
		"x?.md":          "Windows",
		"a#b.md":         "breaks links",
		"50%% off.md":    "breaks links",
		"note. ":         "dot or a space",
		"a\u202eb.md":    "invisible",
		"\u200bx.md":     "invisible",
		"x\u200d":        "invisible",
		"next\u0085line": "invisible",
	} {
		if err := path.Portable(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Portable(%q) = %v, want an error with %q", path, err, want)
		}
	}
	for _, path := range []vpath.Path{
		"a/b.md", "COM10.md", "constant.md", "👩‍💻.md", "\u0645\u06cc\u200c\u062e\u0648.md", "it's 100%.md", "console",
	} {
		if err := path.Portable(); err != nil {
			t.Errorf("Portable(%q) = %v", path, err)
		}
	}
	if err := vpath.Path("a:b/new.md").PortableBelow("a:b"); err != nil {
		t.Errorf("PortableBelow checks the name of the existing folder: %v", err)
	}
}

func TestPartsOfAPath(t *testing.T) {
	path := vpath.Path("a/b/v1.2 Plan.MD")
	for got, want := range map[string]string{
		string(path.Dir()):                            "a/b",
		path.Base():                                   "v1.2 Plan.MD",
		path.Name():                                   "v1.2 Plan",
		path.WithoutExt():                             "a/b/v1.2 Plan",
		path.Ext():                                    ".md",
		string(vpath.Path("x.md").Dir()):              "",
		string(vpath.Path("").Join("x.md")):           "x.md",
		string(vpath.Path("a").Join("x.md")):          "a/x.md",
		vpath.Path("p/img.PNG").Ext():                 ".png",
		vpath.Path("p/img.PNG").Name():                "img.PNG",
		string(vpath.Path("Cafe\u0301.md").Compose()): "Café.md",
		vpath.Path("a.b/noext").Ext():                 "",
		vpath.Path("a/Board.canvas").WithoutExt():     "a/Board.canvas",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if !path.IsNote() || path.IsCanvas() || !vpath.Path("b.Canvas").IsCanvas() || vpath.Path(".md").IsNote() {
		t.Error("IsNote or IsCanvas is wrong")
	}
	if !path.In("a") || !path.In("") || path.In("a/bb") || path.In(path) || vpath.Path("ab/x").In("a") {
		t.Error("In is wrong")
	}
}

func TestWithNoteExt(t *testing.T) {
	for name, want := range map[string]string{
		"Meeting": "Meeting.md", "Meeting.md": "Meeting.md", "MEETING.MD": "MEETING.MD", "v1.2 plan": "v1.2 plan.md",
		"Board.canvas": "Board.canvas", "a.b/Note": "a.b/Note.md", "pic.png": "pic.png", "x.markdown": "x.markdown.md",
	} {
		if got := vpath.WithNoteExt(name); got != want {
			t.Errorf("WithNoteExt(%q) = %q, want %q", name, got, want)
		}
	}
}
