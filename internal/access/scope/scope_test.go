package scope_test

import (
	"fmt"
	"strings"
	"testing"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
)

func newScope(t *testing.T, allow, deny []string) scope.Scope {
	t.Helper()
	s, err := scope.New(allow, deny)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRulesOpenAndCloseFiles(t *testing.T) {
	for _, c := range []struct {
		name         string
		allow, deny  []string
		open, closed string // files, separated by |
	}{
		{"no rules", nil, nil, "a.md|private/x.md", ""},
		{"a folder is denied", nil, []string{"private/"}, "a.md|privat.md|private2/x.md|a/private/x.md|private", "private/x.md|private/a/b.png|Private/x.md|PRIVATE/X.md"},
		{"without its slash", nil, []string{"private"}, "private2/x.md|private.txt", "private/x.md|private|private.md|Private.MD"},
		{"from the root", nil, []string{"/private/a"}, "a/x.md|private/b.md", "private/a/x.md|private/a.md"},
		{"a file", nil, []string{"notes/Diary.md"}, "notes/Diary.png|Diary.md", "notes/diary.md|notes/Diary.md/x"},
		{"only allow rules", []string{"projects/"}, nil, "projects/a.md|Projects/b/c.md", "a.md|projects.md|x/projects/a.md"},
		{"a denied folder in an allowed one", []string{"projects/"}, []string{"projects/secret/"}, "projects/a.md", "projects/secret/a.md|b.md"},
		{"denied wins", []string{"a/b/"}, []string{"a/"}, "", "a/b/c.md|a/c.md"},
		{"names by glob", nil, []string{"**/*.secret.md"}, "a.md|secret.md|a.secret.txt", "a.secret.md|x/y/A.SECRET.md|x.secret.md/below.md"},
		{"a glob without a slash matches names", nil, []string{"*.secret.*"}, "a.md", "x/y/a.secret.png|a.secret.d/b.md"},
		{"a glob from the root", nil, []string{"/s*"}, "x/s.md", "s.md|S1/x.md"},
		{"folders by glob", nil, []string{"**/private*/"}, "private.md|a/private1", "private1/x.md|a/b/privates/c.md"},
		{"all below", []string{"a/**"}, nil, "a/b.md|a/b/c.md", "a|b.md"},
		{"alternatives", []string{"{a,B}/*"}, nil, "a/x.md|b/x/y.md", "c/x.md"},
		{"escaped", nil, []string{`\!x/y`, `\#z*`, `a\[1\]/b`}, "x/y", "!x/y|#zz.md|a[1]/b"},
		{"a hash sign does not start a comment", nil, []string{"#z*", "#plain"}, "z.md", "#zz.md|#plain/x.md"},
		{"Unicode in any form", nil, []string{"Cafe\u0301/", "**/Ü*.md"}, "cafe/x.md", "café/x.md|CAFÉ/x.md|cafe\u0301/x.md|a/über.md|a/u\u0308ber.md"},
		{"no-break space", nil, []string{"my\u00a0notes/"}, "mynotes/x.md", "my notes/x.md|My\u00a0Notes/x.md"},
		{"notes are named without their extension", nil, []string{"**/Diary", "*.secret", "/2024-??"}, "diaries/x.txt|a.secret2.md", "x/Diary.md|a.secret.md|2024-05.md|x/y.secret.md"},
		{"names that look like globs", nil, []string{"notes/[draft]", "{x}/"}, "notes/e.md|notes/draft.md", "notes/[draft].md|notes/[draft]/x.md|notes/d.md|{x}/y.md|x/y.md"},
		{"a folder with the name of the note", nil, []string{"Diary"}, "Diary.txt", "Diary.md/x.md|Diary/x.md|diary.md"},
		{"joined letters and emoji", []string{"👩\u200d💻 Dev/", "می\u200cخواهم"}, nil, "👩\u200d💻 Dev/x.md|می\u200cخواهم.md", "x.md"},
		{"copies of a closed file", nil, []string{"*.secret", "Diary"}, "Plan.sync-conflict-20261116-101010-ABCDEFG.md", "x.secret.sync-conflict-20261116-101010-ABCDEFG.md|Diary (Conflicted copy phone 202611161010).md|Diary (conflict a) (conflict b).md"},
		{"copies beside allowed files", []string{"*2026*", "Diary.md"}, nil, "2026.sync-conflict-20261116-101010.md", "Salary.sync-conflict-20261116-101010.md|Diary (conflict a).md"},
		{"final sigma", nil, []string{"ΛΟΓΟΣ/"}, "λόγος/x.md", "λογος/x.md|λογοσ/x.md"},
	} {
		s := newScope(t, c.allow, c.deny)
		for _, path := range strings.Split(c.open, "|") {
			if path != "" && !s.Open(vpath.Path(path)) {
				t.Errorf("%s: %q is closed", c.name, path)
			}
		}
		for _, path := range strings.Split(c.closed, "|") {
			if path != "" && s.Open(vpath.Path(path)) {
				t.Errorf("%s: %q is open", c.name, path)
			}
		}
	}
}

func TestMalformedRulesAreRefused(t *testing.T) {
	for _, bad := range []string{
		"", " ", "/", "//", "//x", "..", "../x", "a/../b", "./a", "a//b", ".obsidian", "a/.git/", ".*", "*/.trash/*", "C:/x", `C:\x`, `private\diary`, "x\\",
		"!private/", " private/", "private /", "a/ b", "priv\u200bate/", "~/private/", "[[Diary]]", "{private/,sub/}", "[", "a{b", "a}", "**/../*", "a\x00b", "a\n*", "*//b", "\xff", "x/ .", strings.Repeat("x/", 200) + "y",
	} {
		for _, lists := range [][2][]string{{{bad}, nil}, {nil, {bad}}} {
			if _, err := scope.New(lists[0], lists[1]); fault.KindOf(err) != fault.InvalidArgument || fault.HintOf(err) == "" {
				t.Errorf("%q: %v", bad, err)
			}
		}
	}
}

func TestKeyIdentifiesRules(t *testing.T) {
	if !newScope(t, nil, nil).All() || newScope(t, nil, nil).Key() != "" || !newScope(t, []string{}, []string{}).All() {
		t.Error("a scope without rules is limited")
	}
	same := newScope(t, []string{"A/", "b", "C/**"}, []string{"/x/", "Cafe\u0301"})
	for _, other := range []scope.Scope{
		newScope(t, []string{"b", "a/", "c/**"}, []string{"café", "x/"}),
		newScope(t, []string{"b", "b", "a/", "c/**"}, []string{"café", "x/", "/X/"}),
	} {
		if same.Key() != other.Key() {
			t.Error("the same rules have different keys")
		}
	}
	keys := map[string]string{}
	for _, rules := range [][2][]string{
		{{"a"}, nil}, {nil, {"a"}}, {{"a/"}, nil}, {{"a", "b"}, nil}, {{"a"}, {"b"}}, {{"a*"}, nil}, {{"/a*"}, nil}, {{"a*/"}, nil},
		{{"a", "a.md/"}, nil}, {{"a", "a.md"}, nil}, {{"glob a*"}, nil},
	} {
		key := newScope(t, rules[0], rules[1]).Key()
		if other, taken := keys[key]; taken || key == "" {
			t.Errorf("%q and %s have the same key", rules, other)
		}
		keys[key] = fmt.Sprint(rules)
	}
}

// TestWritable: a limited caller may not write names that pass for closed ones.
func TestWritable(t *testing.T) {
	limited := newScope(t, nil, []string{"private/"})
	for path, want := range map[vpath.Path]bool{
		"a.md": true, "a~b/c.md": true, "private/a.md": false, "PRIVAT~1/a.md": false, "a\u200bb.md": false,
	} {
		if got := limited.Writable(path); got != want {
			t.Errorf("limited: %q writable %v, want %v", path, got, want)
		}
		if !newScope(t, nil, nil).Writable(path) {
			t.Errorf("without rules, %q is not writable", path)
		}
	}
}

func TestPrintingShowsNoRule(t *testing.T) {
	s := newScope(t, []string{"canary/"}, []string{"canary/canary*"})
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, s); strings.Contains(text, "canary") || text == "" {
			t.Errorf("%s: %s", format, text)
		}
	}
}

// FuzzScope: whatever the rules, denied files are closed under every spelling, and a
// rule that is a path closes that file and everything below it.
func FuzzScope(f *testing.F) {
	for _, seed := range [][3]string{
		{"", "private/", "Private/x.md"},
		{"a/**", "**/*.secret.md", "a/b.secret.md"},
		{"{a,b}*", "[x-z]?", "b/y1"},
		{`\!x`, "#*", "#x"},
		{"É", "e\u0301/", "É/a.md"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, allow, deny, file string) {
		path, err := vpath.Parse(file)
		if err != nil {
			return
		}
		var allowed []string
		if allow != "" {
			allowed = []string{allow}
		}
		s, err := scope.New(allowed, []string{deny})
		if err != nil {
			if fault.KindOf(err) != fault.InvalidArgument {
				t.Fatalf("%q, %q: %v", allow, deny, err)
			}
			return
		}
		open := s.Open(path)
		if s.Open(vpath.Path(path.Key())) != open || s.Open(path.Compose()) != open {
			t.Errorf("%q, %q: the spellings of %q differ", allow, deny, file)
		}
		denied, _ := scope.New(nil, []string{deny})
		if open && !denied.Open(path) {
			t.Errorf("%q, %q: %q is open but denied", allow, deny, file)
		}
		if allowed != nil {
			if all, _ := scope.New(allowed, nil); open && !all.Open(path) {
				t.Errorf("%q, %q: %q is open but not allowed", allow, deny, file)
			}
		}
		if !strings.ContainsAny(file, `*?[]{}\`) && file[0] != '!' {
			own, err := scope.New(nil, []string{file})
			if err != nil && fault.KindOf(err) != fault.InvalidArgument { // a name that starts or ends with a space is refused
				t.Errorf("%q: %v", file, err)
			}
			if err == nil && (own.Open(path) || own.Open(path+"/below.md") || own.Open(vpath.Path(path.Key()+"/b"))) {
				t.Errorf("%q does not close itself", file)
			}
		}
	})
}
