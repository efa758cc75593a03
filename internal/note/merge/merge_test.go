package merge_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/merge"
	_ "obsidian-mcp/internal/testkit/mode" // fixes the seed of the law
)

func TestNotes(t *testing.T) {
	for name, test := range map[string]struct{ base, ours, theirs, want, kept string }{
		"one side":                  {"a\nb\n", "a\nB\n", "a\nb\n", "a\nB\n", ""},
		"different lines":           {"a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n", ""},
		"both append":               {"a\n", "a\nours\n", "a\ntheirs\n", "a\nours\ntheirs\n", ""},
		"both append the same":      {"a\n", "a\nx\n", "a\nx\n", "a\nx\n", ""},
		"some of it the same":       {"a\n", "a\nx\ny\n", "a\nx\nz\n", "a\nx\ny\nz\n", ""},
		"the same in another order": {"a\n", "a\nx\ny\n", "a\ny\nz\nx\n", "a\nx\ny\nz\n", ""},
		"both add code":             {"a\n", "a\n```\nx\n```\n", "a\n```\ny\n```\n", "a\n```\nx\n```\n```\ny\n```\n", ""},
		"no final line end":         {"a", "a\nours", "a\ntheirs", "a\nours\ntheirs", ""},
		"CRLF":                      {"a\r\n", "a\r\nours", "a\r\ntheirs\r\n", "a\r\nours\r\ntheirs\r\n", ""},
		"words of a line":           {"one two three\n", "ONE two three\n", "one two THREE\n", "ONE two THREE\n", ""},
		"the same word":             {"one two\n", "one 2\n", "one zwei\n", "one 2\none zwei\n", "one 2|one zwei"},
		"deleted and changed":       {"a\nb\nc\n", "a\nc\n", "a\nB\nc\n", "a\nB\nc\n", ""},
		"deleted and deleted":       {"a\nb\nc\nd\n", "a\nc\nd\n", "a\nb\nd\n", "a\nd\n", ""},
		"replaced by more":          {"a\nb\nc\n", "a\nx\ny\nc\n", "a\nz\nc\n", "a\nx\ny\nz\nc\n", "x|y|z"},
		"a task ticked and due":     {"- [ ] call Bob\n", "- [x] call Bob ✅ 2026-11-18\n", "- [ ] call Bob 📅 2026-11-20\n", "- [x] call Bob ✅ 2026-11-18 📅 2026-11-20\n", ""},
		"a task ticked and changed": {
			"- [ ] call Bob\n", "- [x] call Bob\n", "- [ ] call Bobby\n", "- [x] call Bobby\n", "",
		},
		"a task ticked and moved": {
			"- [ ] a\n- [ ] b\n\nLater\n", "- [x] a\n- [ ] b\n\nLater\n", "- [ ] b\n\nLater\n- [ ] a\n", "- [ ] b\n\nLater\n- [x] a\n", "",
		},
		"properties":          {"---\na: 1\nb: 2\n---\nx\n", "---\na: 10\nb: 2\n---\nx\n", "---\na: 1\nb: 20\n---\nx\n", "---\na: 10\nb: 20\n---\nx\n", ""},
		"properties and text": {"---\na: 1\n---\nx\n", "---\na: 1 # one\n---\nx\n", "---\na: 1\n---\nx\ny\n", "---\na: 1 # one\n---\nx\ny\n", ""},
		"lists as sets": {
			"---\ntags: [a, b]\n---\n", "---\ntags: [b, c]\n---\n", "---\ntags: [a, b, d]\n---\n", "---\ntags: [b, c, d]\n---\n", "",
		},
		"one property": {
			"---\na: 1\n---\nx\n", "---\na: 2\n---\nx\n", "---\na: 3\n---\nx\n", "---\na: 2\n---\n%% Conflict: the other version has a: 3 %%\nx\n", "a: 3",
		},
		"a new block":     {"x\n", "---\na: 1\n---\nx\n", "x\ny\n", "---\na: 1\n---\nx\ny\n", ""},
		"both new blocks": {"x\n", "---\na: 1\n---\nx\n", "---\nb: 2\n---\nx\n", "---\na: 1\nb: 2\n---\nx\n", ""},
		"broken properties": {
			"---\na: b: c\n---\nx\n", "---\na: b: c\n---\nX\n", "---\na: b: c\nd: 1\n---\nx\n", "---\na: b: c\nd: 1\n---\nX\n", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := merge.Notes([]byte(test.base), []byte(test.ours), []byte(test.theirs), merge.Options{})
			if string(got.Text) != test.want || strings.Join(got.KeptBoth, "|") != test.kept {
				t.Errorf("got %q, kept both %q", got.Text, got.KeptBoth)
			}
		})
	}
}

func TestUnrelated(t *testing.T) {
	for name, test := range map[string]struct{ ours, theirs, want, kept string }{
		"the same":          {"a\n", "a\n", "a\n", ""},
		"one has more":      {"a\nb\nc\n", "a\nc\n", "a\nb\nc\n", ""},
		"the other has":     {"a\nc\n", "a\nb\nc\n", "a\nb\nc\n", ""},
		"in two places":     {"x\na\nb\n", "a\nb\ny\n", "x\na\nb\ny\n", ""},
		"in one place":      {"a\nours\nb\n", "a\ntheirs\nb\n", "a\nours\ntheirs\nb\n", "ours|theirs"},
		"nothing in common": {"ours", "theirs", "ours\ntheirs", "ours|theirs"},
		"a task":            {"- [ ] a\n", "- [x] a ✅ 2026-11-18\n", "- [x] a ✅ 2026-11-18\n", ""},
		"properties":        {"---\na: 1\nb: [x]\n---\nt\n", "---\nb: [y]\nc: 3\n---\nt\n", "---\na: 1\nb: [x, y]\nc: 3\n---\nt\n", ""},
		"one property": {
			"---\na: 1\n---\nt\n", "---\na: 2\n---\nt\n", "---\na: 1\n---\n%% Conflict: the other version has a: 2 %%\nt\n", "a: 2",
		},
		"a block":           {"t\n", "---\na: 2\n---\nt\n", "---\na: 2\n---\nt\n", ""},
		"broken properties": {"---\na: b: c\n---\nt\n", "t\n", "---\na: b: c\n---\nt\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := merge.Unrelated([]byte(test.ours), []byte(test.theirs), merge.Options{})
			if string(got.Text) != test.want || strings.Join(got.KeptBoth, "|") != test.kept {
				t.Errorf("got %q, kept both %q", got.Text, got.KeptBoth)
			}
		})
	}
}

func TestUnrelatedKeepsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := text.Draw(t, "base")
		ours, theirs := edited(t, base, "ours"), edited(t, base, "theirs")
		merged := func(a, b []string) []string {
			var all []string
			got := merge.Unrelated([]byte(strings.Join(a, "")), []byte(strings.Join(b, "")), merge.Options{})
			for line := range strings.Lines(string(got.Text)) {
				all = append(all, strings.TrimRight(line, "\r\n"))
			}
			return all
		}
		one, two := merged(ours, theirs), merged(theirs, ours)
		for _, line := range slices.Concat(ours, theirs) {
			isTask := strings.HasPrefix(line, "- [") // only one state of it is kept
			if !isTask && !containsLine(one, line) {
				t.Fatalf("%q is lost: %q", line, one)
			}
		}
		isTask := func(line string) bool { return strings.HasPrefix(line, "- [") }
		one, two = slices.DeleteFunc(one, isTask), slices.DeleteFunc(two, isTask)
		slices.Sort(one)
		slices.Sort(two)
		if !slices.Equal(one, two) {
			t.Fatalf("the order of the sides decides: %q and %q", one, two)
		}
	})
}

func TestMarks(t *testing.T) {
	got := merge.Notes([]byte("a\nb\n"), []byte("a\n1\n"), []byte("a\n2\n"), merge.Options{Mark: true})
	if want := "a\n%% Conflict: the next 2 lines are both versions. %%\n1\n2\n"; string(got.Text) != want {
		t.Errorf("got %q", got.Text)
	}
}

// text draws a note, and edited a version of it.
var (
	lines = rapid.SampledFrom([]string{"one two\n", "three four five\n", "- [ ] task\n", "- [x] task ✅ 2026-11-18\n", "\n", "# Heading\n", "word\n", "last\r\n"})
	text  = rapid.SliceOfN(lines, 0, 12)
)

func edited(t *rapid.T, base []string, name string) []string {
	side := slices.Clone(base)
	for i := range rapid.IntRange(0, 4).Draw(t, name+" edits") {
		at := rapid.IntRange(0, len(side)).Draw(t, name+" at")
		switch kind := rapid.IntRange(0, 2).Draw(t, name+" kind"); {
		case kind == 0 || at == len(side):
			side = slices.Insert(side, at, name+" adds "+string(rune('a'+i))+"\n")
		case kind == 1:
			side = slices.Delete(side, at, at+1)
		default:
			side[at] = strings.TrimRight(side[at], "\r\n") + " " + name + "\n"
		}
	}
	return side
}

func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := text.Draw(t, "base")
		ours, theirs := edited(t, base, "ours"), edited(t, base, "theirs")
		join := func(lines []string) []byte { return []byte(strings.Join(lines, "")) }
		merged := func(a, b []string) []string {
			var all []string
			for line := range strings.Lines(string(merge.Notes(join(base), join(a), join(b), merge.Options{}).Text)) {
				all = append(all, strings.TrimRight(line, "\r\n"))
			}
			return all
		}
		for _, side := range [][]string{ours, theirs} {
			if got := merge.Notes(join(base), join(side), join(base), merge.Options{}); string(got.Text) != string(join(side)) {
				t.Fatalf("with an unchanged side: %q", got.Text)
			}
			if got := merge.Notes(join(base), join(base), join(side), merge.Options{}); string(got.Text) != string(join(side)) {
				t.Fatalf("with an unchanged side: %q", got.Text)
			}
		}
		one, two := merged(ours, theirs), merged(theirs, ours)
		for _, line := range slices.Concat(ours, theirs) {
			if strings.Contains(line, " adds ") && !containsLine(one, line) {
				t.Fatalf("%q is lost: %q", line, one)
			}
		}
		slices.Sort(one)
		slices.Sort(two)
		if !slices.Equal(one, two) {
			t.Fatalf("the order of the sides decides: %q and %q", one, two)
		}
	})
}

// containsLine looks for an added line, to which the same side may have added its name.
func containsLine(lines []string, line string) bool {
	return slices.Contains(lines, strings.TrimRight(line, "\r\n"))
}
