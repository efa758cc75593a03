package front

import (
	"errors"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
)

func TestRename(t *testing.T) {
	for _, test := range []struct{ from, to, before, after string }{
		{"status", "state", "---\nstatus: open # really\ntags: [a]\n---\nstatus: x\n", "---\nstate: open # really\ntags: [a]\n---\nstatus: x\n"},
		{"STATUS", "state", "---\r\n\"Status\" :   open\r\n---\r\n", "---\r\nstate :   open\r\n---\r\n"},
		{"a", "has: colon", "---\na:\n  - 1\n  - a: 2\n---\n", "---\n\"has: colon\":\n  - 1\n  - a: 2\n---\n"},
		{"b", "c", "---\n{a: 1, b: {b: 2}}\n---\n", "---\n{a: 1, c: {b: 2}}\n---\n"},
		{"Status", "status", "---\nStatus: open\n---\n", "---\nstatus: open\n---\n"},
		{"absent", "x", "---\na: 1\n---\n", "---\na: 1\n---\n"},
		{"a", "a", "---\na: 1\n---\n", "---\na: 1\n---\n"},
	} {
		block, err := Parse(md.Scan([]byte(test.before)))
		if err != nil {
			t.Fatal(err)
		}
		splices, err := block.Rename(test.from, test.to)
		if got := string(md.Apply([]byte(test.before), splices)); err != nil || got != test.after {
			t.Errorf("%s -> %s: %q, %v", test.from, test.to, got, err)
		}
	}
	block, _ := Parse(md.Scan([]byte("---\na: 1\nB: 2\n---\n")))
	if _, err := block.Rename("a", "b"); !errors.Is(err, fault.AlreadyExists) {
		t.Error(err)
	}
}
