package regex

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// costly is a pattern that has hundreds of threads at every byte, and hardly ever meets the same set of states
// twice.
func costly() string {
	var pattern strings.Builder
	pattern.WriteString("(?:")
	for i := range 100 {
		fmt.Fprintf(&pattern, "[a-%c].{%d}[0-9]|", 'b'+rune(i%20), 20+i)
	}
	return pattern.String() + "z)=$"
}

// noise is a line of pseudo-random letters, without a line end.
func noise(size int) []byte {
	text := make([]byte, size)
	seed := uint32(1)
	for i := range text {
		seed = seed*1664525 + 1013904223
		text[i] = 'a' + byte(seed>>24)%26
	}
	return text
}

// A long line is read only until the steps are used up, by every method.
func TestLimitStopsMatching(t *testing.T) {
	t.Parallel()
	text := append(noise(1<<16), "=\n="...)
	for _, dialect := range []Dialect{Ripgrep, JavaScript} {
		for name, read := range methods() {
			const steps = 1 << 18
			limit := NewLimit(nil, steps)
			r, err := Compile(costly(), Options{Dialect: dialect, Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			m := r.Matcher()
			if read(m, text) {
				t.Errorf("%s: found a match beyond the limit", name)
			}
			if left := limit.left.Load(); !r.Exceeded() || left < -steps {
				t.Errorf("%s: exceeded is %v, with %d steps left", name, r.Exceeded(), left)
			}
			if m.Release(); r.Matcher().Match([]byte("abcz=")) {
				t.Errorf("%s: a new matcher goes on after the limit was exceeded", name)
			}
		}
	}
}

func methods() map[string]func(*Matcher, []byte) bool {
	return map[string]func(*Matcher, []byte) bool{
		"Match": (*Matcher).Match,
		"Find":  func(m *Matcher, text []byte) bool { _, _, ok := m.Find(text); return ok },
		"Lines": func(m *Matcher, text []byte) bool {
			found := false
			m.Lines(text, func(int, int) bool { found = true; return true })
			return found
		},
	}
}

// When the channel is closed, a matcher stops: it checks once in lookEvery bytes, so it does not reach the match at
// the end.
func TestClosedChannelStopsMatching(t *testing.T) {
	t.Parallel()
	const size = lookEvery + lookEvery/16
	lines := "some w7 rds on a line\n"
	for _, test := range []struct {
		name, pattern string
		text          []byte
	}{
		{"one long line", `[0-9][a-z]{2}`, noise(size)},
		{"many lines", `[0-9][a-z]{2}`, bytes.Repeat([]byte(lines), size/len(lines))},
		{"lines with a needle", `7[a-z]{2}`, bytes.Repeat([]byte(lines), size/len(lines))},
		{"decoded characters", `\b[0-9][a-z]{2}`, bytes.Repeat([]byte("мир "), size/3)},
		{"without a table", costly() + "|[0-9][a-z]{2}", noise(1 << 9)},
	} {
		text := append(test.text, " 7xy"...)
		for _, dialect := range []Dialect{Ripgrep, JavaScript} {
			for name, read := range methods() {
				done := make(chan struct{})
				r, err := Compile(test.pattern, Options{Dialect: dialect, Limit: NewLimit(done, 1<<40)})
				if err != nil {
					t.Fatal(err)
				}
				m := r.Matcher()
				if name == "Match" && dialect == Ripgrep && !m.Match(text) {
					t.Errorf("%s: no match", test.name)
				}
				m.dfa.stepper.meter = meter{}
				close(done)
				if read(m, text) || r.Exceeded() {
					t.Errorf("%s, %s: read to the end, or exceeded is %v", test.name, name, r.Exceeded())
				}
			}
		}
	}
}

// Patterns that people write stay far below the limit, which grows with the text.
func TestUsualPatternsAreCheap(t *testing.T) {
	t.Parallel()
	const lines = "The quick brown föx jumps over 13 lazy dogs; [[Projects/Alpha|the project]] was due 2024-03-04.\n" +
		"- [ ] call Zoë #work/calls\n"
	text := bytes.Repeat([]byte(lines), 500)
	for _, pattern := range []string{
		`\bproject\w*`, `(?i)(fox|dog).{0,80}(cat|bird)`, `\[\[[^\]]+\]\]`, `^\s*- \[[ x]\] .*#\w+`, `\d{4}-\d{2}-\d{2}`,
		`\w{14}`, `[A-Z]\w+.{0,80}[A-Z]\w+.{0,40}\d$`,
		`(\w+\W+){5}dog`, `^.{120,}$`, `.*quick.*lazy.*`, `\p{Lu}\p{Ll}+`, strings.Repeat(`\w+ `, 10), `a.{300}b`,
	} {
		limit := NewLimit(nil, 1<<18)
		r, err := Compile(pattern, Options{Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		m, finder := r.Matcher(), r.Matcher()
		m.Lines(text, func(start, end int) bool { finder.Find(text[start:end]); return true })
		if m.settle(); !finder.settle() {
			t.Errorf("%q takes too many steps: %d are left", pattern, limit.left.Load())
		}
	}
}

// The core of a pattern has a program as large as that of the expected pattern.
func TestCoreDropsWhatMatchesAnything(t *testing.T) {
	t.Parallel()
	for pattern, core := range map[string]string{
		".*a.*": "a", "(.*ab.*|b*cd)d?": "(ab|cd)", "a+": "a", "(ab)+c{2,}": "abc{2}", "x*y*": "", "(a*|b)*c": "c",
		"((.*)*)x": "x", ".*.*=.*.*": "=",
		"^.*a": "^.*a", ".*$": "$", `\b\w+a`: `\b\w+a`, "a.*b": "a.*b", "a{3}": "a{3}",
		"(?:a+b){2}": "(?:a+b){2}", "a{2,5}b": "aab", "(|a)b*": "(|a)",
	} {
		for _, dialect := range []Dialect{Ripgrep, JavaScript} {
			got, err := Compile(pattern, Options{Dialect: dialect})
			if err != nil {
				t.Fatal(err)
			}
			want, err := Compile(core, Options{Dialect: dialect})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.program.code) != len(want.whole.code) || len(got.program.of) != len(want.whole.of) {
				t.Errorf("the core of %q has %d instructions, %q has %d", pattern, len(got.program.code), core, len(want.whole.code))
			}
		}
	}
}
