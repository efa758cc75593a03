package call_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/vault/call"
)

func show(ctx context.Context, path, hash, text string) {
	call.NoteShown(ctx, path, call.Shown{Hash: hash, Text: []byte(text)})
}

// TestMemoryForgetsTheOldest: a session that reads more notes than a memory holds forgets those it read first.
func TestMemoryForgetsTheOldest(t *testing.T) {
	ctx := call.WithMemories(t.Context(), new(call.Memory))
	for i := range 2500 {
		show(ctx, fmt.Sprint(i), "hash", "")
		show(ctx, "again", "hash", "")
	}
	for path, want := range map[string]bool{"0": false, "500": false, "501": true, "2499": true, "again": true} {
		if _, known := call.ShownOf(ctx, path); known != want {
			t.Errorf("%s is known: %v", path, known)
		}
	}
}

// TestMemoryBoundsTexts: large texts are not kept, nor more than a megabyte of them; the hashes are.
func TestMemoryBoundsTexts(t *testing.T) {
	ctx := call.WithMemories(t.Context(), new(call.Memory))
	show(ctx, "large", "hash", strings.Repeat("x", 65<<10))
	for i := range 30 {
		show(ctx, fmt.Sprint(i), "hash", strings.Repeat("x", 60<<10))
	}
	kept := 0
	for i := range 30 {
		shown, known := call.ShownOf(ctx, fmt.Sprint(i))
		if !known {
			t.Errorf("%d is not known", i)
		}
		kept += len(shown.Text)
	}
	if kept == 0 || kept > 1<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
	if shown, known := call.ShownOf(ctx, "large"); !known || shown.Text != nil {
		t.Errorf("the large note: %v, %d bytes", known, len(shown.Text))
	}
}

// TestMemoryCopiesTexts: the caller may reuse the bytes of a note.
func TestMemoryCopiesTexts(t *testing.T) {
	ctx := call.WithMemories(t.Context(), new(call.Memory))
	text := []byte("first")
	call.NoteShown(ctx, "A", call.Shown{Hash: "hash", Text: text})
	copy(text, "other")
	if shown, _ := call.ShownOf(ctx, "A"); string(shown.Text) != "first" {
		t.Errorf("the memory holds %q", shown.Text)
	}
}

// TestMemoryLastsADay: what was shown longer ago is as good as never shown.
func TestMemoryLastsADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := call.WithMemories(t.Context(), new(call.Memory))
		show(ctx, "A", "hash", "")
		time.Sleep(24*time.Hour - time.Second)
		if _, known := call.ShownOf(ctx, "A"); !known {
			t.Error("forgotten within a day")
		}
		time.Sleep(time.Second)
		if _, known := call.ShownOf(ctx, "A"); known {
			t.Error("known after a day")
		}
	})
}

// TestMemoryFollowsOwnChanges: a session knows what it wrote itself, under the note's new path, but not what somebody
// else wrote before.
func TestMemoryFollowsOwnChanges(t *testing.T) {
	ctx := call.WithMemories(t.Context(), new(call.Memory))
	show(ctx, "A", "1", "one")
	show(ctx, "B", "1", "one")
	_, own := call.Begin(ctx, "test")
	own.NoteChange("", []call.File{
		{Path: "A", To: "C", Before: "1", After: "2"}, {Path: "B", Before: "other", After: "3"}, {Path: "New", After: "4"},
	})
	for path, want := range map[string]string{"A": "", "C": "2", "B": "1", "New": "4"} {
		if shown, _ := call.ShownOf(ctx, path); shown.Hash != want {
			t.Errorf("%s has the hash %q, want %q", path, shown.Hash, want)
		}
	}
}
