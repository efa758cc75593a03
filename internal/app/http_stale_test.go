package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTwoSessionsLoseNoText lets two sessions edit one note in all orders. Each reads it, and writes it back with a line of
// its own, twice. No line is lost unless its author was told of the conflict.
func TestTwoSessionsLoseNoText(t *testing.T) {
	t.Parallel()
	for _, transport := range rpcTransports[:1] { // without sessions, clients of the same name are one
		dir := t.TempDir()
		s := startHTTP(t, dir, "OBSIDIAN_MCP_CONTEXT=off")
		for number, order := range orders("", 4, 4) {
			name := fmt.Sprintf("Plan %d", number)
			writeFiles(t, dir, map[string]string{name + ".md": "start\n"})
			authors := map[rune]*author{'a': {c: transport.connect(s, ""), note: name}, 'b': {c: transport.connect(s, ""), note: name}}
			for _, who := range order {
				authors[who].step(t, string(who))
			}
			content, err := os.ReadFile(filepath.Join(dir, name+".md"))
			if err != nil {
				t.Fatal(err)
			}
			for _, author := range authors {
				for _, line := range author.accepted {
					if !strings.Contains(string(content), line) {
						t.Errorf("%s: %q was accepted, and lost without anybody being told: %q", order, line, content)
					}
				}
			}
		}
	}
}

// orders returns all ways to mix the steps of two authors.
func orders(before string, a, b int) []string {
	if a == 0 && b == 0 {
		return []string{before}
	}
	var all []string
	if a > 0 {
		all = append(all, orders(before+"a", a-1, b)...)
	}
	if b > 0 {
		all = append(all, orders(before+"b", a, b-1)...)
	}
	return all
}

// author reads and writes a note in turns.
type author struct {
	c        *httpCaller
	note     string
	text     string // as it was read
	steps    int
	accepted []string // lines that were written, and not reported as lost
}

func (a *author) step(t *testing.T, who string) {
	t.Helper()
	a.steps++
	if a.steps%2 == 1 {
		a.text = a.c.call("read_note", map[string]any{"name": a.note}).Content[0].Text
		return
	}
	line := fmt.Sprintf("line %s%d", who, a.steps)
	result := a.c.call("update_note", map[string]any{"name": a.note, "content": a.text + line + "\n"})
	switch {
	case !result.IsError:
		a.accepted = append(a.accepted, line)
	case !strings.Contains(result.Content[0].Text, "changed since you read it. Read it again."):
		t.Errorf("refused with %q", result.Content[0].Text)
	}
}
