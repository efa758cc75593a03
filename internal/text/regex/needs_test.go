package regex_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"obsidian-mcp/internal/text/regex"
)

// show writes a formula: all of (a b), any of {a b}, folded literals as ~a, and ? for anything.
func show(n regex.Need) string {
	var subs []string
	for _, sub := range n.Subs {
		subs = append(subs, show(sub))
	}
	switch {
	case n.Kind == regex.NeedAll:
		return "(" + strings.Join(subs, " ") + ")"
	case n.Kind == regex.NeedAny:
		return "{" + strings.Join(subs, " ") + "}"
	case n.Kind == regex.NeedAnything:
		return "?"
	case n.Fold:
		return "~" + n.Literal
	}
	return n.Literal
}

func TestNeeds(t *testing.T) {
	long := strings.Repeat("x", 100)
	var words []string
	for i := range 70 {
		words = append(words, fmt.Sprintf("w%03d", i))
	}
	for _, test := range []struct{ pattern, want string }{
		{"project", "project"},
		{`\bproject\w* [a-z]+`, "(project  )"},
		{"(?i)Project", "~project"},
		{"(?i)Σας", "~σασ"},
		{"(?i)İst", "~İst"},
		{"foo|bar", "{foo bar}"},
		{"(foo|bar)baz", "{foobaz barbaz}"},
		{"foo.*bar", "(foo bar)"},
		{"foobar.*foo", "foobar"},
		{"foo|foobar", "foo"},
		{"a*", "?"},
		{`\d{4}-\d{2}`, "-"},
		{"colou?r", "{colour color}"},
		{"(ab)+", "ab"},
		{"(ab){2}", "abab"},
		{"(ab){2,5}c", "ababc"},
		{"x(?:abc)?y", "{xabcy xy}"},
		{"[ab]cd", "{acd bcd}"},
		{"a(?i)b", "~ab"},
		{"foo|", "?"},
		{"^$", "?"},
		{long, "(" + long[:64] + ")"},
		{strings.Join(words, "|"), "?"},
		{"(" + strings.Join(words, "|") + ").*abc", "abc"},
		{`[^\s\S]`, "?"},
	} {
		got := show(compile(t, test.pattern, regex.Options{}).Needs())
		want := test.want
		if strings.HasPrefix(want, "("+long[:64]+")") {
			want = long[:64]
		}
		if got != want {
			t.Errorf("%.40q: got %s, want %s", test.pattern, got, want)
		}
	}
}

// holds reports whether a formula is true of a text, by definition.
func holds(n regex.Need, text string) bool {
	switch n.Kind {
	case regex.NeedLiteral:
		if !n.Fold {
			return strings.Contains(text, n.Literal)
		}
		return strings.Contains(foldAll(text), foldAll(n.Literal))
	case regex.NeedAll:
		for _, sub := range n.Subs {
			if !holds(sub, text) {
				return false
			}
		}
		return true
	case regex.NeedAny:
		for _, sub := range n.Subs {
			if holds(sub, text) {
				return true
			}
		}
		return false
	}
	return true
}

// foldAll replaces each character by the smallest that differs only in case.
func foldAll(text string) string {
	var folded strings.Builder
	for i, r := range text {
		if r == unicode.ReplacementChar && text[i] != "\ufffd"[0] {
			folded.WriteByte(text[i])
			continue
		}
		least := r
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			least = min(least, o)
		}
		folded.WriteRune(least)
	}
	return folded.String()
}

// checkNeeds checks what the formula of a pattern promises.
func checkNeeds(t testing.TB, r *regex.Regex, pattern, text string) {
	t.Helper()
	need := r.Needs()
	literals := 0
	var walk func(n regex.Need)
	walk = func(n regex.Need) {
		if n.Kind == regex.NeedLiteral {
			literals++
			if n.Literal == "" || len(n.Literal) > 64 {
				t.Fatalf("%q: a literal of %d bytes", pattern, len(n.Literal))
			}
		}
		if n.Kind >= regex.NeedAll && len(n.Subs) < 2 {
			t.Fatalf("%q: a formula over %d", pattern, len(n.Subs))
		}
		for _, sub := range n.Subs {
			walk(sub)
		}
	}
	if walk(need); literals > 64 {
		t.Fatalf("%q: %d literals", pattern, literals)
	}
	m := r.Matcher()
	defer m.Release()
	if m.Match([]byte(text)) && !holds(need, text) {
		t.Fatalf("%q matches %q, which lacks %s", pattern, text, show(need))
	}
}
