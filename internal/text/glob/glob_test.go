package glob_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/text/glob"
	"obsidian-mcp/internal/text/regex"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	paths := []string{
		"a.md", "b.png", "dir/a.md", "dir/sub/a.md", "dir/sub/deep/c.md", "other/dir/x.md",
		"é.md", "[x].md", "!z.md", "a,b.md",
	}
	for _, test := range []struct{ name, pattern, want string }{
		{"an empty pattern matches all", "", strings.Join(paths, " ")},
		{"so does a comment", "# a.md", strings.Join(paths, " ")},
		{"a name in any folder", "a.md", "a.md dir/a.md dir/sub/a.md"},
		{"a name at the root", "/a.md", "a.md"},
		{"a slash ties it to the root", "dir/*.md", "dir/a.md"},
		{"a star does not cross folders", "dir/*", "dir/a.md"},
		{"two stars cross folders", "dir/**", "dir/a.md dir/sub/a.md dir/sub/deep/c.md"},
		{"two stars in the middle", "dir/**/c.md", "dir/sub/deep/c.md"},
		{"two stars match no folder too", "dir/**/a.md", "dir/a.md dir/sub/a.md"},
		{"two stars at the start", "**/dir/*", "dir/a.md other/dir/x.md"},
		{"only two stars", "**", strings.Join(paths, " ")},
		{"a folder's name selects no file", "dir", ""},
		{"a folder's name with a slash selects no file", "dir/", ""},
		{"an excluded folder excludes what is below", "!dir", "a.md b.png é.md [x].md !z.md a,b.md"},
		{"an excluded folder with a slash", "!dir/", "a.md b.png é.md [x].md !z.md a,b.md"},
		{"an excluded folder at the root", "!/dir", "a.md b.png other/dir/x.md é.md [x].md !z.md a,b.md"},
		{"excluded files", "!*.md", "b.png"},
		{"alternatives", "*.{png,jpg}", "b.png"},
		{"nested alternatives", "{a,{b,c}}.*", "a.md b.png dir/a.md dir/sub/a.md dir/sub/deep/c.md"},
		{"an empty alternative is dropped", "{,a}.md", "a.md dir/a.md dir/sub/a.md"},
		{"a class", "[a-b].*", "a.md b.png dir/a.md dir/sub/a.md"},
		{"a negated class", "/[!a].*", "b.png"},
		{"a question mark is a byte", "/?.md", "a.md"},
		{"two question marks are a two-byte letter", "/??.md", "é.md !z.md"},
		{"escapes", `\[x\].md`, "[x].md"},
		{"an escaped exclamation mark", `\!z.md`, "!z.md"},
		{"a comma outside of braces", "a,b.md", "a,b.md"},
		{"case matters", "A.md", ""},
		{"trailing space is trimmed", "/a.md  ", "a.md"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := glob.Compile(test.pattern)
			if err != nil {
				t.Fatal(err)
			}
			got := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !g.Match(path) })
			if strings.Join(got, " ") != test.want {
				t.Errorf("%q: got %q, want %q", test.pattern, got, test.want)
			}
		})
	}
}

func TestNamesMayContainLineFeeds(t *testing.T) {
	g, err := glob.Compile("a?b\n.md")
	if err != nil || !g.Match("dir/a\nb\n.md") || g.Match("dir/a\nbx.md") {
		t.Errorf("compile error %v, or a wrong match", err)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		pattern string
		offset  int
		message string
	}{
		{"a[b", 1, "unclosed character class"},
		{"!é[b", 3, "unclosed character class"},
		{"/dir/{a,b", 5, "unclosed alternate group"},
		{"a}", 1, "unopened alternate group"},
		{`a\`, 1, "dangling"},
		{"[z-a]", 3, "invalid range"},
		{strings.Repeat("{a,", 40000), 0, ""},
	} {
		_, err := glob.Compile(test.pattern)
		var e *regex.Error
		if !errors.As(err, &e) {
			t.Errorf("%.20q: got %v", test.pattern, err)
			continue
		}
		if !strings.Contains(e.Message, test.message) || test.message != "" && e.Offset != test.offset {
			t.Errorf("%.20q: got %q at %d", test.pattern, e.Message, e.Offset)
		}
	}
}

// FuzzGlob compiles anything and matches it with a path. A pattern and its negation never both select a path; a
// folder may make both exclude it.
func FuzzGlob(f *testing.F) {
	for _, pattern := range []string{"*.md", "!a/**", "{a,b}/[!c]?", "**/x/", `\[`, "[a-", "{{a,b},c}"} {
		f.Add(pattern, "a/b/x.md")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		g, err := glob.Compile(pattern)
		if err != nil {
			if e := err.(*regex.Error); e.Offset < 0 || e.Offset > len(pattern) || e.Message == "" {
				t.Fatalf("%q: %#v", pattern, e)
			}
			return
		}
		included := g.Match(path)
		if strings.TrimSpace(pattern) == "" || strings.ContainsAny(pattern[:1], `!#\`) {
			return
		}
		negated, err := glob.Compile("!" + pattern)
		if err != nil {
			t.Fatalf("%q compiles, but not with a !: %v", pattern, err)
		}
		if included && negated.Match(path) {
			t.Fatalf("%q and its negation both select %q", pattern, path)
		}
	})
}

// Costly globs are refused before they cost anything.
func TestCostlyGlobsAreRefused(t *testing.T) {
	for _, pattern := range []string{
		strings.Repeat("{", 20_000) + strings.Repeat("}", 20_000),
		strings.Repeat("{a,", 101) + strings.Repeat("}", 101),
		strings.Repeat("a*", 10_000),
	} {
		if _, err := glob.Compile(pattern); err == nil {
			t.Errorf("%.20s… was accepted", pattern)
		}
	}
	if _, err := glob.Compile(strings.Repeat("{a,", 100) + strings.Repeat("}", 100)); err != nil {
		t.Error(err)
	}
}
