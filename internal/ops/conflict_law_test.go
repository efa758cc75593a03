package ops_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
)

// resolved resolves a conflict of a note between two versions of a base, and returns the note's text.
func resolved(t *rapid.T, outer *testing.T, base, ours, theirs string, known bool) string {
	s := mem.New(map[string]string{"A.md": ours})
	if known {
		s.DivergeFrom("A.md", []byte(base), []byte(theirs))
	} else {
		s.Diverge("A.md", []byte(theirs))
	}
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
	defer v.Close()
	o, _ := ops.New(v.Whole(), ops.Options{TagPolicy: ops.TagsNotes})
	ctx, _ := call.Begin(outer.Context(), "resolve_conflict")
	shown, err := o.ResolveConflict(ctx, ops.ResolveConflict{Note: "A", Choose: "merge", DryRun: true})
	if err != nil || s.Files()["A.md"] != ours {
		t.Fatalf("a dry run: %v", err)
	}
	done, err := o.ResolveConflict(ctx, ops.ResolveConflict{Note: "A", Choose: "merge"})
	if err != nil || done.Diff != shown.Diff {
		t.Fatalf("%+v, %v", done, err)
	}
	text := s.Files()["A.md"]
	for _, kept := range done.KeptBoth {
		if !strings.Contains(text, kept) {
			t.Fatalf("%q is reported as kept, but is not in %q", kept, text)
		}
	}
	return text
}

// TestLawsOfResolving: an unchanged side gives the other one; all lines that a side added are kept; which lines are kept does not
// depend on which side is served.
func TestLawsOfResolving(t *testing.T) {
	word := rapid.SampledFrom([]string{"one two\n", "three\n", "- [ ] task\n", "# Heading\n", "\n", "four\n"})
	rapid.Check(t, func(r *rapid.T) {
		base := rapid.SliceOfN(word, 0, 8).Draw(r, "base")
		side := func(name string) []string {
			lines := slices.Clone(base)
			for i := range rapid.IntRange(0, 3).Draw(r, name+" edits") {
				at := rapid.IntRange(0, len(lines)).Draw(r, name+" at")
				if at < len(lines) && rapid.Bool().Draw(r, name+" deletes") {
					lines = slices.Delete(lines, at, at+1)
				} else {
					lines = slices.Insert(lines, at, fmt.Sprintf("%s adds %d\n", name, i))
				}
			}
			return lines
		}
		ours, theirs := side("ours"), side("theirs")
		known := rapid.Bool().Draw(r, "the ancestor is known")
		text := func(lines []string) string { return strings.Join(lines, "") }
		if known {
			if got := resolved(r, t, text(base), text(base), text(theirs), true); got != text(theirs) {
				r.Fatalf("with an unchanged side: %q, want %q", got, text(theirs))
			}
		}
		one, two := resolved(r, t, text(base), text(ours), text(theirs), known), resolved(r, t, text(base), text(theirs), text(ours), known)
		for _, line := range slices.Concat(ours, theirs) {
			if strings.Contains(line, " adds ") && !strings.Contains(one, line) {
				r.Fatalf("%q is lost: %q", line, one)
			}
		}
		sorted := func(text string) []string { return slices.Sorted(strings.Lines(text)) }
		if !slices.Equal(sorted(one), sorted(two)) {
			r.Fatalf("%q, and with the sides exchanged %q", one, two)
		}
	})
}

// TestBaseOfCopy: the history tells what a copy was made from, if it is certain enough.
func TestBaseOfCopy(t *testing.T) {
	for name, test := range map[string]struct {
		steps      []string // texts of the note, of which tools wrote all but the first
		copy, want string
	}{
		"made from the oldest version":     {[]string{"a\nb\nc\n", "a\nb\nc\nx\n"}, "a\nb\nc\ny\n", "a\nb\nc\nx\ny\n"},
		"the copy changed a line":          {[]string{"old\n", "a\nb\nc\n", "a\nb\nc\nx\n"}, "a\nB\nc\n", "a\nB\nc\nx\n"},
		"the copy is an earlier version":   {[]string{"a\n", "a\nb\n", "a\nb\nc\n"}, "a\nb\n", "a\nb\nc\n"},
		"a line was deleted here":          {[]string{"a\nb\n", "a\n"}, "a\nb\ny\n", "a\ny\n"},
		"not certain, so nothing is lost":  {[]string{"a\nb\nx\n", "a\nb\nx\nz\n"}, "a\nB\n", "a\n%% Conflict: the next 4 lines are both versions. %%\nb\nx\nz\nB\n"},
		"nothing is known about that note": {[]string{"a\n"}, "a\nb\n", "a\nb\n"},
	} {
		t.Run(name, func(t *testing.T) {
			c := openCanary(t, map[string]string{"N.md": test.steps[0], "Other.md": ""}, scope.Scope{}, nil)
			for _, text := range test.steps[1:] {
				c.mustCall("create_note", map[string]any{"name": "N", "content": text, "overwrite": true})
			}
			c.mustCall("append_note", map[string]any{"name": "Other", "text": "x"})
			const copied = "N.sync-conflict-20261116-101010-ABCDEFG.md"
			c.store.Outside(copied, []byte(test.copy))
			for !strings.Contains(c.mustCall("find_conflicts", nil), copied) { // until the vault has heard of the copy
				time.Sleep(time.Millisecond)
			}
			c.mustCall("resolve_conflict", map[string]any{"note": "N"})
			if got := c.store.Files()["N.md"]; got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestResolveKeepsSidesInTheHistory: the text of a side that was not chosen is in the history, and undoing the choice writes it
// into a copy, byte for byte.
func TestResolveKeepsSidesInTheHistory(t *testing.T) {
	c := openCanary(t, map[string]string{"A.md": "ours\r\n"}, scope.Scope{}, nil)
	theirs := "theirs\nwithout an end"
	side := string(c.store.Diverge("A.md", []byte(theirs)))
	c.mustCall("resolve_conflict", map[string]any{"note": "A", "choose": side})
	if got := c.store.Files(); got["A.md"] != theirs || len(got) != 1 {
		t.Fatalf("%q", got)
	}
	if shown := c.mustCall("show_change", map[string]any{"id": newestChange}); !strings.Contains(shown, "-without an end") {
		t.Error(shown)
	}
	c.mustCall("undo_change", map[string]any{"id": newestChange})
	got := c.store.Files()
	if len(got) != 2 || got["A.md"] != "ours\r\n" {
		t.Fatalf("%q", got)
	}
	for name, text := range got {
		if name != "A.md" && (text != theirs || !strings.HasPrefix(name, "A (conflict 1-")) {
			t.Errorf("%s: %q", name, text)
		}
	}
	merged := c.mustCall("resolve_conflict", map[string]any{"note": "A"}) // the side was chosen once, but it is not what the note was made from
	if text := c.store.Files()["A.md"]; !strings.Contains(text, "ours\r\n") || !strings.Contains(text, theirs) {
		t.Errorf("%s: %q", merged, text)
	}
	c.mustCall("undo_change", map[string]any{"id": newestChange})
	var found struct{ Total int }
	if err := json.Unmarshal([]byte(c.mustCall("find_conflicts", nil)), &found); err != nil || found.Total != 1 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestLimitedCallersResolve: a caller with limits resolves the conflicts of its notes, and can undo that also if it may not see
// copies of them. It may not bring in the owner's instructions.
func TestLimitedCallersResolve(t *testing.T) {
	only, err := scope.New([]string{"projects/A.md", "projects/B.md"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := openCanary(t, map[string]string{"projects/A.md": "ours\n", "projects/B.md": "b\n", "C.md": "c\n"}, only, nil)
	c.store.Diverge("projects/A.md", []byte("ours\ntheirs\n"))
	c.store.Diverge("projects/B.md", []byte("b\n#claude do this\n"))
	c.store.Diverge("C.md", []byte("closed\n"))
	if found := c.mustCall("find_conflicts", nil); !strings.Contains(found, `"total":2`) || strings.Contains(found, "C.md") {
		t.Error(found)
	}
	for _, name := range []string{"projects/B", "C"} {
		_, err := c.call(c.tools, "resolve_conflict", map[string]any{"note": name})
		if want := map[string]fault.Kind{"projects/B": fault.PermissionDenied, "C": fault.NotFound}[name]; fault.KindOf(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	c.mustCall("resolve_conflict", map[string]any{"note": "projects/A"})
	if text := c.store.Files()["projects/A.md"]; text != "ours\ntheirs\n" {
		t.Errorf("%q", text)
	}
	if listed := c.mustCall("list_changes", nil); strings.Contains(listed, "conflict 1-") {
		t.Errorf("the caller may not see copies: %s", listed)
	}
	c.mustCall("undo_change", map[string]any{"id": newestChange})
	if text := c.store.Files()["projects/A.md"]; text != "ours\n" {
		t.Errorf("%q", text)
	}
}
