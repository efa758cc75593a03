package regex_test

import (
	"regexp"
	"strings"
	"testing"

	"obsidian-mcp/internal/text/regex"
	"obsidian-mcp/internal/text/regex/regextest"
)

// FuzzCompile gives anything as a pattern, and holds what compiles to its
// laws: what Lines, Match and Find say agrees, and Needs is true.
func FuzzCompile(f *testing.F) {
	for i, pattern := range regextest.Patterns(7, 200, searchWords) {
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
			if e := err.(*regex.Error); e.Offset < 0 || e.Offset > len(pattern) || e.Message == "" || !strings.Contains(e.Pointer(pattern), "^") {
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
			t.Fatalf("%q in %q: match %v, found %d to %d %v", pattern, text, found, start, end, ok)
		}
		if !script {
			if n := len(lines(r, text+"\n")); (n > 0) != found {
				t.Fatalf("%q in %q: match %v, %d lines", pattern, text, found, n)
			}
		}
	})
}

// FuzzStandard compares with Go's regexp, where both mean the same: patterns
// and texts of ASCII.
func FuzzStandard(f *testing.F) {
	for _, seed := range []string{"a+b", "(a|b)*c", `\bfoo\b`, "^a.c$", "[a-f]{2,3}x", "(?i)AbC", "x?y*z+", `\w+\s\d`, "[^a]b", `\Bo`} {
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
			return // ours refuses a line feed and large repetitions
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

// isCommon leaves out what the two languages spell alike and mean differently:
// operators in classes, verbatim text, and flags of their own.
func isCommon(pattern string) bool {
	for _, other := range []string{"&&", "--", "~~", "[[", `\Q`, `\p`, `\P`, "(?", `\C`, `\x`, `\0`, `\<`, `\>`, `\b{`, `\u`, `\U`, `\v`, "{,", "{ "} {
		if strings.Contains(strings.TrimPrefix(pattern, "(?i)"), other) {
			return false
		}
	}
	return !strings.ContainsFunc(pattern, notASCII) && strings.Count(pattern, "[") <= 1 && !oddCount.MatchString(pattern)
}

// oddCount is a repetition that Rust reads and Go takes for plain text: with
// leading zeros, or with spaces.
var oddCount = regexp.MustCompile(`[{,]0[0-9]|\{[0-9,]* `)
