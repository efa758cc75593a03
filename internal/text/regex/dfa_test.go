package regex

import (
	"bytes"
	"testing"
)

// A text that needs more states than the table holds, and a table that turned out useless, give the same lines.
func TestFullTableGivesTheSameLines(t *testing.T) {
	t.Parallel()
	count := 3000
	if testing.Short() {
		count = 300
	}
	var text []byte
	seed := uint32(1)
	for range count {
		for range 60 {
			seed = seed*1664525 + 1013904223
			text = append(text, '0'+byte(seed>>31))
		}
		text = append(text, '\n')
	}
	for _, pattern := range []string{"1[01]{18}1[01]{3}$", `\b[01]*1[01]{20}\b0?$`} {
		r, err := Compile(pattern, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := r.Matcher()
		want := 0
		for line := range bytes.SplitSeq(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
			if _, _, ok := m.Find(line); ok {
				want++
			}
		}
		for _, slow := range []bool{false, true} {
			fresh := &Matcher{regex: r, dfa: newDFA(r.program)}
			fresh.dfa.slow = slow
			got := 0
			fresh.Lines(text, func(int, int) bool { got++; return true })
			if got != want {
				t.Errorf("%q, slow %v: %d lines, want %d", pattern, slow, got, want)
			}
			if n := len(fresh.dfa.sets); n > maxRows+10*lanes {
				t.Errorf("%q: the table has %d rows", pattern, n)
			}
			if !fresh.dfa.slow {
				t.Errorf("%q: the table was never full", pattern)
			}
		}
	}
}

func TestShapeOfWordIsSmall(t *testing.T) {
	if n := len(runeShape(wordSet()).nodes); n > 400 {
		t.Errorf("%d nodes for \\w", n)
	}
}
