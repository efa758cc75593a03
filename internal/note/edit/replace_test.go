package edit

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/note/md"
)

func TestReplacement(t *testing.T) {
	const note = "---\ntitle: Acme\nowner: acme corp\n---\nAcme and acme, Acmes. `Acme` stays.\r\n\n```\nAcme\n```\nÀcme Acme_1 [[Acme]]\n"
	for name, test := range map[string]struct {
		options ReplaceOptions
		want    string
	}{
		"body":        {ReplaceOptions{Old: "Acme", New: "Apex", Body: true}, "---\ntitle: Acme\nowner: acme corp\n---\nApex and acme, Apexs. `Acme` stays.\r\n\n```\nAcme\n```\nÀcme Apex_1 [[Apex]]\n"},
		"whole word":  {ReplaceOptions{Old: "acme", New: "Apex", IgnoreCase: true, WholeWord: true, Body: true}, "---\ntitle: Acme\nowner: acme corp\n---\nApex and Apex, Acmes. `Acme` stays.\r\n\n```\nAcme\n```\nÀcme Acme_1 [[Apex]]\n"},
		"frontmatter": {ReplaceOptions{Old: "acme", New: "apex", IgnoreCase: true, Front: true}, "---\ntitle: apex\nowner: apex corp\n---\nAcme and acme, Acmes. `Acme` stays.\r\n\n```\nAcme\n```\nÀcme Acme_1 [[Acme]]\n"},
		"both, code":  {ReplaceOptions{Old: "Acme", New: "Apex", Body: true, Front: true, InCode: true}, strings.ReplaceAll(note, "Acme", "Apex")},
		"groups":      {ReplaceOptions{Old: `(\w+) and (\w+)`, New: "$2 & ${1}", Regex: true, Body: true}, strings.Replace(note, "Acme and acme", "acme & Acme", 1)},
		"dollars":     {ReplaceOptions{Old: "Acme and", New: "$1 and", Body: true}, strings.Replace(note, "Acme and", "$1 and", 1)},
		"lines":       {ReplaceOptions{Old: "stays.\n", New: "goes.\n", Body: true}, strings.Replace(note, "stays.\r\n", "goes.\r\n", 1)},
		"line start":  {ReplaceOptions{Old: `^Acme`, New: "X", Regex: true, Body: true}, strings.Replace(note, "\nAcme and", "\nX and", 1)},
		"none":        {ReplaceOptions{Old: "absent", New: "x", Body: true, Front: true}, note},
	} {
		replacement, err := NewReplacement(test.options)
		if err != nil {
			t.Fatal(err)
		}
		splices, err := replacement.Splices(md.Scan([]byte(note)))
		if got := string(md.Apply([]byte(note), splices)); err != nil || got != test.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestReplacementRefusals(t *testing.T) {
	for old, want := range map[string]string{"": "is empty", "a*": "matches empty text", "(": "not a valid regular expression", "^": "matches empty text"} {
		if _, err := NewReplacement(ReplaceOptions{Old: old, Regex: true, Body: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", old, err)
		}
	}
	replacement, err := NewReplacement(ReplaceOptions{Old: "x", New: "[", Front: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replacement.Splices(md.Scan([]byte("---\na: x\n---\n"))); err == nil || !strings.Contains(err.Error(), "would not be valid") {
		t.Error(err)
	}
}
