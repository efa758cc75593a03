package ops

import (
	"errors"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// confirmClock is a confirmer whose clock is set by hand.
func confirmClock() (*confirmer, *time.Time) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	return &confirmer{over: 100, secret: []byte("secret"), rights: "whole", now: func() time.Time { return now }}, &now
}

// asked is the id that a refusal names, in just the words of the contract.
func asked(t *testing.T, err error) string {
	t.Helper()
	needs, ok := errors.AsType[*tool.NeedsConfirm](err)
	if !ok || fault.KindOf(err) != fault.InvalidArgument {
		t.Fatalf("not asked: %v", err)
	}
	if want := "This changes 5272 notes. Repeat with confirm='" + needs.ID + "'"; err.Error() != want {
		t.Fatalf("asked in other words: %q, want %q", err, want)
	}
	return needs.ID
}

func TestConfirmationHoldsForTheSameCallAlone(t *testing.T) {
	c, now := confirmClock()
	id := asked(t, c.check(5272, "", "rename", "a.md", "b.md"))
	begun := *now
	for _, test := range []struct {
		name  string
		after time.Duration
		set   func(*confirmer)
		id    string
		call  []string
		holds bool
	}{
		{name: "at once", holds: true},
		{name: "again, since it is signed and not remembered", holds: true},
		{name: "after ten minutes", after: confirmLife, holds: true},
		{name: "after more", after: confirmLife + time.Second},
		{name: "before it was made", after: -time.Second},
		{name: "another call", call: []string{"rename", "a.md", "c.md"}},
		{name: "another tool", call: []string{"delete", "a.md", "b.md"}},
		{name: "words that run together", call: []string{"rename", "a.md b.md"}},
		{name: "words that are cut elsewhere", call: []string{"rename", `a.md" "b.md`}},
		{name: "other rights", set: func(c *confirmer) { c.rights = "projects" }},
		{name: "another secret", set: func(c *confirmer) { c.secret = []byte("Secret") }},
		{name: "no id", id: " "},
		{name: "a later time", id: "zzzzzz" + id[strings.IndexByte(id, '-'):]},
		{name: "a time that is none", id: "!" + id},
		{name: "a time beyond all", id: strings.Repeat("z", 40) + "-00"},
		{name: "the signature alone", id: id[strings.IndexByte(id, '-'):]},
		{name: "the time alone", id: id[:strings.IndexByte(id, '-')+1]},
		{name: "with more behind", id: id + "0"},
		{name: "in capitals", id: strings.ToUpper(id)},
	} {
		caller := *c
		if test.set != nil {
			test.set(&caller)
		}
		*now = begun.Add(test.after)
		given, call := id, []string{"rename", "a.md", "b.md"}
		if test.id != "" {
			given = test.id
		}
		if test.call != nil {
			call = test.call
		}
		err := caller.check(5272, given, call...)
		if (err == nil) != test.holds {
			t.Errorf("%s: %v", test.name, err)
		}
		if err != nil {
			asked(t, err)
		}
	}
}

func TestEveryLetterOfAConfirmationCounts(t *testing.T) {
	c, _ := confirmClock()
	id := asked(t, c.check(5272, "", "delete", "a.md"))
	for i := range id {
		forged := []byte(id)
		if forged[i]++; c.check(5272, string(forged), "delete", "a.md") == nil {
			t.Errorf("%s serves for %s", forged, id)
		}
	}
}

func TestFewNotesAreChangedUnasked(t *testing.T) {
	for _, test := range []struct {
		over, notes int
		asks        bool
	}{{100, 100, false}, {100, 101, true}, {0, 1 << 20, false}, {-1, 1 << 20, false}, {1, 2, true}, {1, 1, false}} {
		c, _ := confirmClock()
		c.over = test.over
		if err := c.check(test.notes, "", "call"); (err != nil) != test.asks {
			t.Errorf("%d notes of %d: %v", test.notes, test.over, err)
		}
	}
}
