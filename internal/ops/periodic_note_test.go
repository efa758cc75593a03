package ops_test

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/vault"
)

// TestTwoClientsAtMidnight: clients of several servers that add to a daily note at the same time make one note, from its
// template, and no text is lost.
func TestTwoClientsAtMidnight(t *testing.T) {
	for _, backend := range backends {
		t.Run(backend.name, func(t *testing.T) {
			clientCount, calls := 4, 3
			if backend.name == "livesync" && !mode.Full() { // which is slow
				clientCount, calls = 2, 1
			}
			s, after := backend.open(t, map[string]string{"T.md": "# {{date}}\n"}, map[string]string{"daily-notes.json": `{"template":"T"}`})
			v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
			t.Cleanup(func() { v.Close() })
			var clients sync.WaitGroup
			for client := range clientCount {
				_, tools := ops.New(v.Whole(), ops.Options{TagPolicy: ops.TagsOff, Secret: []byte("x"), VaultID: "v", Now: onMonday, Zone: time.UTC})
				clients.Go(func() {
					for i := range calls {
						if _, err := invoke(t.Context(), t, tools, "append_periodic_note", map[string]any{"text": fmt.Sprintf("- %d.%d", client, i)}); err != nil {
							t.Error(err)
						}
					}
				})
			}
			clients.Wait()
			text := after()["2026-11-16.md"]
			if !strings.HasPrefix(text, "# 2026-11-16\n\n- ") || strings.Count(text, "# ") != 1 || strings.Count(text, "- ") != clientCount*calls {
				t.Errorf("the note is %q", text)
			}
		})
	}
}

// TestTheUsersDayCounts: a server on UTC keeps the diary of a user who is ahead.
func TestTheUsersDayCounts(t *testing.T) {
	v := newRecordedVault(t, map[string]string{})
	_, tools := ops.New(v.vault.Whole(), ops.Options{
		TagPolicy: ops.TagsOff, Secret: []byte("x"), VaultID: "v", Zone: time.FixedZone("ahead", 13*3600),
		Now: func() time.Time { return time.Date(2026, 12, 31, 23, 0, 0, 0, time.UTC) },
	})
	answer, err := invoke(t.Context(), t, tools, "periodic_note", map[string]any{})
	if err != nil || !strings.Contains(answer.Text, `"2027-01-01.md"`) {
		t.Errorf("%s, %v", answer.Text, err)
	}
}

// TestDiaryOfClosedNotes: a caller is not told where closed daily notes are, and cannot make them.
func TestDiaryOfClosedNotes(t *testing.T) {
	files := map[string]string{"private/2026-11-15.md": "- [ ] secret", "private/T.md": "secret template", "Plan.md": "x"}
	for folder, refused := range map[string]bool{"private": true, "days": false} {
		c := openCanary(t, files, withoutPrivate(t), map[string]string{"daily-notes.json": `{"folder":"` + folder + `","template":"private/T"}`})
		_, tools := c.toolsFor(withoutPrivate(t), 0)
		for _, name := range []string{"periodic_note", "append_periodic_note"} {
			answer, err := invoke(t.Context(), t, tools, name, map[string]any{"date": "2026-11-16"})
			if (err != nil) != refused || strings.Contains(answer.Text+fmt.Sprint(err, answer.Hints), "private") {
				t.Errorf("%s with notes in %s: %s, %v, %v", name, folder, answer.Text, answer.Hints, err)
			}
		}
		for path, text := range c.store.Files() {
			if _, existed := files[path]; !existed && (refused || text != "") {
				t.Errorf("%s was made: %q", path, text)
			}
		}
	}
}

// TestCarryOverIsUndone: one undo gives back both notes.
func TestCarryOverIsUndone(t *testing.T) {
	files := map[string]string{"2026-11-15.md": "- [ ] a ^id\n- [x] b\n", "2026-11-16.md": "Today\n", "L.md": "[[2026-11-15#^id]]\n"}
	v := newRecordedVault(t, files)
	v.must("append_periodic_note", map[string]any{"carry_over": true, "date": "2026-11-16"})
	after := v.store.Files()
	if after["2026-11-15.md"] != "- [x] b\n" || after["2026-11-16.md"] != "Today\n\n- [ ] a ^id\n" || after["L.md"] != "[[2026-11-16#^id]]\n" {
		t.Errorf("after carrying over: %q", after)
	}
	v.must("undo_change", map[string]any{"since": "1h"})
	after = v.store.Files()
	for path, text := range files {
		if after[path] != text {
			t.Errorf("%s is %q, want %q", path, after[path], text)
		}
	}
}
