package regex_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/text/regex"
	"obsidian-mcp/internal/text/regex/regextest"
)

// FuzzCompile compiles anything, and checks what holds for every pattern: Lines, Match and Find agree, and Needs is true
// of every match.
func FuzzCompile(f *testing.F) {
	for i, pattern := range regextest.Patterns(mode.Rand(7), 200, searchWords) {
		f.Add(pattern, searchWords[i%len(searchWords)]+" \xff"+searchWords[i*7%len(searchWords)], i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, script bool) {
		if len(pattern) > 200 || len(text) > 400 {
			return
		}
		o := regex.Options{IgnoreCase: script}
		if script {
			o.Dialect = regex.JavaScript
		}
		r, err := regex.Compile(pattern, o)
		if err != nil {
			e := err.(*regex.Error)
			if e.Offset < 0 || e.Offset > len(pattern) || e.Message == "" || !strings.Contains(e.Pointer(pattern), "^") {
				t.Fatalf("%q: %#v", pattern, e)
			}
			return
		}
		checkNeeds(t, r, pattern, text)
		m := r.Matcher()
		defer m.Release()
		found := m.Match([]byte(text))
		start, end, ok := m.Find([]byte(text))
		if ok != found || ok && (start < 0 || end < start || end > len(text)) {
			t.Fatalf("%q in %q: Match %v, Find %d to %d %v", pattern, text, found, start, end, ok)
		}
		if !script {
			if n := len(lines(r, text+"\n")); (n > 0) != found {
				t.Fatalf("%q in %q: Match %v, %d lines", pattern, text, found, n)
			}
		}
	})
}

// FuzzStandard compares us with Go's regexp on ASCII patterns that mean the same in both languages.
func FuzzStandard(f *testing.F) {
	for _, seed := range []string{
		"a+b", "(a|b)*c", `\bfoo\b`, "^a.c$", "[a-f]{2,3}x", "(?i)AbC", "x?y*z+", `\w+\s\d`, "[^a]b", `\Bo`,
		"[]-f]{2,3}", // see TestBracketFirstInClass
	} {
		f.Add(seed, "foo abc\nxyz 12 aab")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 60 || len(text) > 200 || !isCommon(pattern) || strings.ContainsFunc(text, notASCII) {
			return
		}
		standard, err := regexp.Compile("(?m)" + pattern)
		if err != nil {
			return
		}
		r, err := regex.Compile(pattern, regex.Options{})
		if err != nil {
			return // we refuse a line feed and large repetitions
		}
		m := r.Matcher()
		defer m.Release()
		for line := range strings.SplitSeq(text, "\n") {
			if got, want := m.Match([]byte(line)), standard.MatchString(line); got != want {
				t.Fatalf("%q in %q: got %v, want %v", pattern, line, got, want)
			}
		}
	})
}

func notASCII(r rune) bool { return r < ' ' || r > '~' }

// isCommon reports whether a pattern has the same meaning in Rust, whose syntax is ours, and in Go. Constructs that both
// accept with different meanings are skipped: operators in classes, quoted text, escapes and flags of their own, counts
// that only Rust accepts, and ranges that only Go sees.
func isCommon(pattern string) bool {
	for _, construct := range []string{
		"&&", "--", "~~", "[[", `\Q`, `\p`, `\P`, "(?", `\C`, `\x`, `\0`, `\<`, `\>`, `\b{`, `\u`, `\U`, `\v`, "{,", "{ ",
		"[]-", "[^]-", // from ] on to Go, three literals to Rust
	} {
		if strings.Contains(strings.TrimPrefix(pattern, "(?i)"), construct) {
			return false
		}
	}
	return !strings.ContainsFunc(pattern, notASCII) && strings.Count(pattern, "[") <= 1 && !oddCount.MatchString(pattern)
}

// oddCount is a repetition count with leading zeros or spaces: Rust accepts it, to Go it is literal text.
var oddCount = regexp.MustCompile(`[{,]0[0-9]|\{[0-9,]* `)

// A ] that comes first in a class is a literal and, in Rust's syntax, cannot start a range: the hyphen after it is a
// literal too. FuzzStandard found the difference to Go, where []-f] is the range from ] to f.
func TestBracketFirstInClass(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"^[]-f]$":      "]|-|f",
		"^[^]-f]$":     "a|e|^|x",
		"^[]-f]{2,3}$": "]-|-f]",
		"^[]-]$":       "]|-",
		`^[\]-f]$`:     "]|a|e|f|^", // an escaped ] does start a range
	} {
		text := "]\n-\nf\na\ne\n^\nx\n]-\n-f]\nab\nabc\n"
		r := compile(t, pattern, regex.Options{})
		got := lines(r, text)
		if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, slices.Sorted(strings.SplitSeq(want, "|"))) {
			t.Errorf("%q matches %q, want %s", pattern, got, want)
		}
	}
}
