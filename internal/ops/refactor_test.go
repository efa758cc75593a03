package ops_test

import (
	"strings"
	"testing"
)

// TestRefactoringOfAwkwardNotes makes one call on a small vault, and compares the files that it writes.
func TestRefactoringOfAwkwardNotes(t *testing.T) {
	compose := func(action string, more ...string) []string {
		return append([]string{"compose_notes", "action", action}, more...)
	}
	rename := func(kind, from, to string, more ...string) []string {
		return append([]string{"rename_in_vault", "kind", kind, "from", from, "to", to}, more...)
	}
	for name, test := range map[string]struct {
		files map[string]string
		call  []string
		want  map[string]string // "" for a file that is gone
	}{
		"links in merged properties": {
			map[string]string{"a/n.md": "---\nrel: \"[[../b/n]]\"\n---\nbody [[../b/n]]\n", "b/n.md": "", "m.md": "x [[b/n]]\n"},
			compose("merge", "note", "a/n", "target", "m"),
			map[string]string{"m.md": "---\nrel: \"[[n]]\"\naliases:\n  - n\n---\nx [[b/n]]\n\nbody [[n]]\n"},
		},
		"text that looks like frontmatter": {
			map[string]string{"n.md": "intro\n\n---\nfoo: bar\n---\n\nend\n"},
			compose("extract", "note", "n", "lines", "3-6", "target", "new"),
			map[string]string{"new.md": "\n---\nfoo: bar\n---\n", "n.md": "intro\n\n[[new]]\n\nend\n"},
		},
		"a rest that looks like frontmatter": {
			map[string]string{"n.md": "intro\n\n---\nSome text: here\n\n---\n\nend\n"},
			compose("extract", "note", "n", "lines", "1-2", "target", "new", "leave", "none"),
			map[string]string{"new.md": "intro\n", "n.md": "\n---\nSome text: here\n\n---\n\nend\n"},
		},
		"a byte-order mark": {
			map[string]string{"n.md": "\ufeffone\ntwo\nthree\n"},
			compose("extract", "note", "n", "lines", "1-2", "target", "new"),
			map[string]string{"new.md": "one\ntwo\n", "n.md": "\ufeff[[new]]\nthree\n"},
		},
		"a heading of both notes": {
			map[string]string{"n.md": "# Log\nmine\n", "m.md": "# Log\ntheirs\n"},
			compose("extract", "note", "n", "section", "Log", "target", "m", "leave", "embed"),
			map[string]string{"n.md": "![[m]]\n", "m.md": "# Log\ntheirs\n\n# Log\nmine\n"},
		},
		"tags of both notes": {
			map[string]string{"n.md": "---\nTags: [\"#c\", D]\n---\n", "m.md": "---\ntags: [c]\n---\n"},
			compose("merge", "note", "n", "target", "m"),
			map[string]string{"m.md": "---\ntags: [c, D]\naliases:\n  - n\n---\n"},
		},
		"an id of a heading": {
			map[string]string{"N.md": "# Old ^b1\n", "S.md": "[[N#^b1]] [[N#Old b1]]\n"},
			rename("heading", "Old ^b1", "New", "note", "N"),
			map[string]string{"N.md": "# New ^b1\n", "S.md": "[[N#^b1]] [[N#New b1]]\n"},
		},
		"folders that differ in case": {
			map[string]string{"A/x.md": "x", "a/y.md": "y"},
			rename("folder", "A/", "B/"),
			map[string]string{"A/x.md": "", "B/x.md": "x", "a/y.md": "y"},
		},
		"a folder in another case": {
			map[string]string{"a/x.md": "[[a/y]]", "a/y.md": "y"},
			[]string{"rename_note", "old_name", "A/", "new_name", "A/"},
			map[string]string{"a/x.md": "", "A/x.md": "[[a/y]]", "A/y.md": "y"},
		},
		"a key in JSON": {
			map[string]string{"n.md": "---\n{\"old\": 1, \"x\": {\"old\": 2}}\n---\n"},
			rename("property", "old", "new"),
			map[string]string{"n.md": "---\n{\"new\": 1, \"x\": {\"old\": 2}}\n---\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := newLawVault(t, test.files)
			after := v.do(test.call[0], pairs(test.call[1:]))
			for path, want := range test.want {
				if got, exists := after[path]; got != want || exists != (want != "") {
					t.Errorf("%s is  %q\nwant %q", path, got, want)
				}
			}
		})
	}
}

func pairs(list []string) map[string]any {
	arguments := map[string]any{}
	for i := 0; i < len(list); i += 2 {
		arguments[list[i]] = list[i+1]
	}
	return arguments
}

// TestRefactoringRefuses: what cannot be done well is not done at all.
func TestRefactoringRefuses(t *testing.T) {
	files := map[string]string{
		"N.md": "Intro\n-----\ntext ^b1\n\n# Two\n", "Open.md": "```\ncode\n", "B": "a file", "A/x.md": "x", "L.md": "- a\n- b ^id\n  - child\n",
	}
	for want, call := range map[string][]string{
		"would not be a heading any more": {"rename_in_vault", "kind", "heading", "note", "N", "from", "Intro", "to", "1. Intro"},
		"links cannot name a heading":     {"rename_in_vault", "kind", "heading", "note", "N", "from", "Two", "to", "#^|"},
		"would not mean the same":         {"compose_notes", "action", "merge", "note", "N", "target", "Open"},
		"is a file, not a folder":         {"rename_in_vault", "kind", "folder", "from", "A/", "to", "B/"},
		"become the vault's root":         {"rename_in_vault", "kind", "folder", "from", "A/", "to", "/"},
		"section must be a heading":       {"compose_notes", "action", "extract", "note", "L", "section", "^id", "target", "new"},
		"is not a valid tag":              {"rename_in_vault", "kind", "tag", "from", "a", "to", "b/"},
	} {
		v := newLawVault(t, files)
		for _, dryRun := range []bool{true, false} {
			arguments := pairs(call[1:])
			arguments["dry_run"] = dryRun
			if _, err := invoke(t.Context(), t, v.tools, call[0], arguments); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %q", call, err, want)
			}
		}
	}
}
