package conflict

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOriginalOf(t *testing.T) {
	for path, want := range map[string]string{
		"work/Plan (conflicted copy 2026-11-16 101010).md": "work/Plan.md",
		"Plan (Bob's conflicted copy 2026-11-16).md":       "Plan.md",
		"Plan (Conflicted copy phone 202611161010).md":     "Plan.md",
		"Plan.sync-conflict-20261116-101010-ABCDEFG.md":    "Plan.md",
		"Plan.sync-conflict-20261116-101010.canvas":        "Plan.canvas",
		"Plan (Conflict 2026-11-16).md":                    "Plan.md",
		"Plan.conflict1.md":                                "Plan.md",
		"Plan.md.conflict2":                                "Plan.md",
		"Plan.md..path1":                                   "Plan.md",
		"Plan (SFConflict bob@example.com 2026-11-16).md":  "Plan.md",
		"Plan_conflict-20261116-101010.md":                 "Plan.md",
		"Plan_DiskStation_Nov-16-1010-2026_Conflict.md":    "Plan.md",
		"work/Plan-DESKTOP-7F3K2L1.md":                     "work/Plan.md",
		"Plan-LAPTOP-7F3K2L1A-2.md":                        "Plan.md",
		"Plan-DESKTOP-7F3K2L1":                             "Plan",
		"Plan (conflict 2-0123abcd).md":                    "Plan.md",
		"My desktop-7f3k2l1.md":                            "",
		"Plan-DESKTOP-7F3K2L1 and more.md":                 "",
		"-DESKTOP-7F3K2L1.md":                              "",
		"Plan 2.md":                                        "",
		"Plan (1).md":                                      "",
		"a (conflicted copy x)/Plan.md":                    "",
		"Conflict resolution.md":                           "",
		"The (conflicting) views.md":                       "",
		" (conflicted copy).md":                            "",
		"Merge conflict (notes).md":                        "",
		"Plan.md":                                          "",
	} {
		if got, ok := OriginalOf(path); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %t", path, got, ok)
		}
	}
}

func TestCopyName(t *testing.T) {
	for _, path := range []string{"Plan.md", "work/Plan.canvas", "a.b/Plan", "a/.hidden", "x.y.md"} {
		name := CopyName(path, "2-0123abcd")
		if original, ok := OriginalOf(name); !ok || original != path {
			t.Errorf("%s becomes %s, whose original is %q", path, name, original)
		}
	}
	long := "d/" + strings.Repeat("ä", 126) + ".md"
	if name := CopyName(long, "2-0123abcd"); len(name)-len("d/") > 255 || !strings.HasSuffix(name, " (conflict 2-0123abcd).md") || !utf8.ValidString(name) {
		t.Errorf("a long name becomes %s", name)
	}
}

func TestHasMarkers(t *testing.T) {
	for text, want := range map[string]bool{
		"a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> 1234\nd\n":           true,
		"a\r\n<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> 1234\r\n":  true,
		"```\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> 1234\n```\n":       false,
		"~~~~ diff\n```\n<<<<<<< a\n=======\n>>>>>>> b\n~~~~\n":       false,
		"```\ncode\n```\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> 1234\n": true,
		"Title\n=======\n>>>>>>> quoted deeply\n":                     false,
		"<<<<<<< HEAD\nonly the first\n":                              false,
		"> <<<<<<< HEAD\n> =======\n> >>>>>>> x\n":                    false,
		"": false,
	} {
		if got := HasMarkers([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
