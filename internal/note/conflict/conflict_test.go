package conflict

import "testing"

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
