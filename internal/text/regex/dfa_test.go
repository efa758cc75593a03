package regex

import (
	"bytes"
	"testing"
)

// TestFlushing reads text that makes more states than the table holds, then
// text that makes a table useless, and expects the same lines as before.
func TestFlushing(t *testing.T) {
	var text []byte
	seed := uint32(1)
	for range 3000 {
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
				t.Errorf("%q: a table of %d rows", pattern, n)
			}
			if !fresh.dfa.slow {
				t.Errorf("%q: the table was never full", pattern)
			}
		}
	}
}

func TestShapesAreSmall(t *testing.T) {
	if n := len(runeShape(wordSet()).nodes); n > 400 {
		t.Errorf("%d nodes for \\w", n)
	}
}
