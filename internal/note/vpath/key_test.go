package vpath_test

import (
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/vpath"
	_ "obsidian-mcp/internal/testkit/mode" // fixes the seed of rapid
)

func TestKeyFoldsSpellings(t *testing.T) {
	for _, same := range [][]vpath.Path{
		{"Café.md", "CAFE\u0301.MD", "cafe\u0301.md"},
		{"ΛΟΓΟΣ.md", "λογος.md", "λογοσ.md", "Λογος.md"},
		{"ﬀ.md", "ﬀ.MD"},
		{"Straße.md", "STRAẞE.md"},
		{"가나.md", "\u1100\u1161\u1102\u1161.md"},
		{"a b.md", "a\u00a0b.md", "A\u202fB.md"},
		{"Kelvin.md", "\u212aelvin.md"},
		{"Ångström.md", "A\u030angstro\u0308m.md", "\u212bngström.md"},
	} {
		for _, path := range same[1:] {
			if path.Key() != same[0].Key() {
				t.Errorf("%+q and %+q have keys %+q and %+q, want the same", same[0], path, same[0].Key(), path.Key())
			}
		}
	}
	for _, pair := range [][2]vpath.Path{{"a.md", "b.md"}, {"ı.md", "i.md"}, {"İ.md", "i.md"}, {"Strasse.md", "Straße.md"}} {
		if pair[0].Key() == pair[1].Key() {
			t.Errorf("%q and %q have the same key %q", pair[0], pair[1], pair[0].Key())
		}
	}
}

// TestKeyFoldsAllCaseVariants checks that all case variants of every letter of Unicode fold to the same key.
func TestKeyFoldsAllCaseVariants(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if r == 'İ' || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cs, r) {
			continue
		}
		other := unicode.SimpleFold(r)
		if other == r || unicode.Is(unicode.Mn, other) {
			continue
		}
		if a, b := vpath.FoldKey(string(r)), vpath.FoldKey(string(other)); a != b {
			t.Fatalf("%U and %U fold to %+q and %+q", r, other, a, b)
		}
	}
}

func TestKeyIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		key := vpath.FoldKey(text)
		if again := vpath.FoldKey(string(key)); again != key {
			t.Fatalf("%+q folds to %+q, which folds to %+q", text, key, again)
		}
	})
}

func FuzzPath(f *testing.F) {
	for _, seed := range []string{"a/b.md", "../x", ".git/config", "CON", "Cafe\u0301", "a\\b", "İ/ς.md", "GIT~1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path, err := vpath.Parse(s)
		if err != nil {
			return
		}
		if string(path) != s {
			t.Errorf("Parse changed %q to %q", s, path)
		}
		for dir := path; dir != ""; dir = dir.Dir() {
			switch base := dir.Base(); {
			case base == "", base[0] == '.', base == "..":
				t.Errorf("Parse accepts %q with the component %q", s, base)
			}
		}
		if _, err := vpath.Parse(string(path.Compose())); err != nil && len(path.Compose()) <= len(path) {
			t.Errorf("Parse accepts %q but not its composed form: %v", s, err)
		}
		if vpath.FoldKey(string(path.Key())) != path.Key() {
			t.Errorf("the key of %q folds to another key", s)
		}
		_ = path.Portable()
	})
}
