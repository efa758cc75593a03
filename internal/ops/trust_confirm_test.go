package ops

import (
	"errors"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// confirmClock returns a confirmer with a clock that is set by hand.
func confirmClock() (*confirmer, *time.Time) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	return &confirmer{over: 100, secret: []byte("secret"), rights: "whole", now: func() time.Time { return now }}, &now
}

// idOf returns the id in a refusal, which must have exactly the words of the contract.
func idOf(t *testing.T, err error) string {
	t.Helper()
	needs, ok := errors.AsType[*tool.NeedsConfirm](err)
	if !ok || fault.KindOf(err) != fault.InvalidArgument {
		t.Fatalf("no confirmation was demanded: %v", err)
	}
	if want := "This changes 5272 notes. Repeat with confirm='" + needs.ID + "'"; err.Error() != want {
		t.Fatalf("other words: %q, want %q", err, want)
	}
	return needs.ID
}

func TestConfirmationIsValidForTheSameCallOnly(t *testing.T) {
	c, now := confirmClock()
	id := idOf(t, c.check(t.Context(), 5272, "", "rename", "a.md", "b.md"))
	begun := *now
	for _, test := range []struct {
		name  string
		after time.Duration
		set   func(*confirmer)
		id    string
		call  []string
		valid bool
	}{
		{name: "at once", valid: true},
		{name: "again, since it is signed and not remembered", valid: true},
		{name: "after ten minutes", after: confirmLife, valid: true},
		{name: "after more", after: confirmLife + time.Second},
		{name: "before it was made", after: -time.Second},
		{name: "another call", call: []string{"rename", "a.md", "c.md"}},
		{name: "another tool", call: []string{"delete", "a.md", "b.md"}},
		{name: "words that run together", call: []string{"rename", "a.md b.md"}},
		{name: "words split elsewhere", call: []string{"rename", `a.md" "b.md`}},
		{name: "other rights", set: func(c *confirmer) { c.rights = "projects" }},
		{name: "another secret", set: func(c *confirmer) { c.secret = []byte("Secret") }},
		{name: "no id", id: " "},
		{name: "a later time", id: "zzzzzz" + id[strings.IndexByte(id, '-'):]},
		{name: "an invalid time", id: "!" + id},
		{name: "a time out of range", id: strings.Repeat("z", 40) + "-00"},
		{name: "the signature alone", id: id[strings.IndexByte(id, '-'):]},
		{name: "the time alone", id: id[:strings.IndexByte(id, '-')+1]},
		{name: "with more at the end", id: id + "0"},
		{name: "in capitals", id: strings.ToUpper(id)},
	} {
		caller := *c
		if test.set != nil {
			test.set(&caller)
		}
		*now = begun.Add(test.after)
		answer, call := id, []string{"rename", "a.md", "b.md"}
		if test.id != "" {
			answer = test.id
		}
		if test.call != nil {
			call = test.call
		}
		err := caller.check(t.Context(), 5272, answer, call...)
		if (err == nil) != test.valid {
			t.Errorf("%s: %v", test.name, err)
		}
		if err != nil {
			idOf(t, err)
		}
	}
}

func TestEveryLetterOfAConfirmationCounts(t *testing.T) {
	c, _ := confirmClock()
	id := idOf(t, c.check(t.Context(), 5272, "", "delete", "a.md"))
	for i := range id {
		forged := []byte(id)
		if forged[i]++; c.check(t.Context(), 5272, string(forged), "delete", "a.md") == nil {
			t.Errorf("%s was accepted for %s", forged, id)
		}
	}
}

func TestFewNotesNeedNoConfirmation(t *testing.T) {
	for _, test := range []struct {
		over, notes int
		refused     bool
	}{{100, 100, false}, {100, 101, true}, {0, 1 << 20, false}, {-1, 1 << 20, false}, {1, 2, true}, {1, 1, false}} {
		c, _ := confirmClock()
		c.over = test.over
		if err := c.check(t.Context(), test.notes, "", "call"); (err != nil) != test.refused {
			t.Errorf("%d notes of %d: %v", test.notes, test.over, err)
		}
	}
}
