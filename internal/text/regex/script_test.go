package regex_test

import (
	"testing"

	"obsidian-mcp/internal/text/regex"
)

func TestJavaScript(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, pattern, text string
		want                bool
	}{
		{"case is ignored", "ABC", "xabcx", true},
		{"upper case outside of ASCII", "ПРИВЕТ", "привет", true},
		{"the Kelvin sign is not a k", "k", "\u212a", false},
		{"the long s is not an s", "s", "ſ", false},
		{"sharp s has no other case", "ß", "ẞ", false},
		{"a caret matches at each line", "^b", "a\nb", true},
		{"a caret matches after a carriage return", "^b", "a\rb", true},
		{"a caret matches after a line separator", "^b$", "a\u2028b\u2029c", true},
		{"a caret does not match within a line", "^b", "ab", false},
		{"a dollar matches before each line end", "a$", "a\nb", true},
		{"a dollar matches before a carriage return", "a$", "a\r\n", true},
		{"a match may span lines", `a\s+b`, "a\n\nb", true},
		{"a dot does not match a line end", "a.b", "a\nb", false},
		{"a dot does not match a line separator", "a.b", "a\u2028b", false},
		{"a dot is a code point", "^a.b$", "a😀b", true},
		{"words are ASCII", `^\w$`, "é", false},
		{"boundaries are ASCII", `\ba`, "éa", true},
		{"negated boundaries", `\Ba`, "ba", true},
		{"digits are ASCII", `\d`, "٣", false},
		{"space is Unicode space and the byte order mark", `^\s$`, "\ufeff", true},
		{"no-break space", `a\sb`, "a\u00a0b", true},
		{"an escaped slash", `a\/b`, "a/b", true},
		{"four digits", `\u0041`, "a", true},
		{"a surrogate pair", `\ud83d\ude00`, "😀", true},
		{"a code point", `\u{1F600}`, "😀", true},
		{"half a pair matches nothing", `\ud83d`, "😀", false},
		{"two digits", `\x41\x4`, "ax4", true},
		{"a control letter", `\cJ`, "\n", true},
		{"a backslash before c", `\c1`, `\c1`, true},
		{"an empty class", "a[]", "ab", false},
		{"any character at all", "a[^]b", "a\nb", true},
		{"identity escapes", `\-\@\y`, "-@y", true},
		{"a stray bracket", "a]", "a]", true},
		{"a stray brace", "a{", "a{", true},
		{"braces without a minimum", "a{,3}", "a{,3}", true},
		{"braces that repeat", "^a{2,3}$", "aaa", true},
		{"octal", `\101`, "a", true},
		{"no reference without a group", `\2`, "\x02", true},
		{"NUL", `a\0b`, "a\x00b", true},
		{"backspace in a class", `[\b]`, "\b", true},
		{"a hyphen beside a class", `[\w-.]`, "-", true},
		{"named groups", "(?<year>[0-9]{4})-", "2024-", true},
		{"k is a letter without names", `\k`, "k", true},
		{"properties", `\p{Lu}x`, "Жx", true},
		{"negated properties", `^\P{L}$`, "1", true},
		{"folded classes", "[^a]", "A", false},
		{"an empty pattern", "", "", true},
		{"an empty alternative", "a|", "b", true},
		{"lazy repetition", "a+?b", "aab", true},
		{"an invalid byte", "^.$", "\xff", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := compile(t, test.pattern, regex.Options{Dialect: regex.JavaScript, IgnoreCase: true})
			m := r.Matcher()
			defer m.Release()
			if got := m.Match([]byte(test.text)); got != test.want {
				t.Errorf("%q in %q: got %v", test.pattern, test.text, got)
			}
		})
	}
}

func TestJavaScriptWithCase(t *testing.T) {
	r := compile(t, "Ab", regex.Options{Dialect: regex.JavaScript})
	if r.Matcher().Match([]byte("ab")) || !r.Matcher().Match([]byte("Ab")) {
		t.Error("case is ignored without IgnoreCase")
	}
	if got := lines(r, "Ab\nab\nxAb"); len(got) != 2 || got[1] != "xAb" {
		t.Errorf("got %q", got)
	}
}
