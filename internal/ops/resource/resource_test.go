package resource

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
)

// TestNewestEqualsSortingEverything compares the bounded selection with a full sort.
func TestNewestEqualsSortingEverything(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for notes := range 40 {
		var entries []*index.Entry
		for i := range notes {
			entries = append(entries, &index.Entry{Path: vpath.Path(fmt.Sprintf("%02d.md", i)), Modified: time.Unix(random.Int64N(20), 0)})
			entries = append(entries, &index.Entry{Path: vpath.Path(fmt.Sprintf("%02d.png", i)), Modified: time.Unix(100, 0)})
		}
		var want []string
		for _, entry := range entries {
			if entry.Path.IsNote() {
				want = append(want, fmt.Sprintf("%03d %s", 100-entry.Modified.Unix(), entry.Path))
			}
		}
		slices.Sort(want)
		var got []string
		builder := index.NewBuilder(new(index.Memory))
		for _, entry := range entries {
			builder.Add(entry)
		}
		snapshot, err := builder.Finish(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range newest(snapshot, 10) {
			got = append(got, fmt.Sprintf("%03d %s", 100-snapshot.Modified(path).Unix(), path))
		}
		if !slices.Equal(got, want[:min(10, len(want))]) {
			t.Errorf("of %d notes: %q, want %q", notes, got, want)
		}
	}
}

func openCatalog(t *testing.T, files map[string]string) *Catalog {
	t.Helper()
	v := vault.Open(mem.New(files), slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	return New(v.Whole(), Options{VaultID: "v"})
}

func TestTooLargeNoteHintsAtReadNote(t *testing.T) {
	catalog := openCatalog(t, map[string]string{"Big.md": strings.Repeat("x", maxFile+1)})
	_, err := catalog.Read(t.Context(), "mcp-obsidian://v/Big.md")
	if fault.KindOf(err) != fault.InvalidArgument || !strings.Contains(fault.HintOf(err), "read_note") {
		t.Errorf("%v", err)
	}
}

// Notes with the same name are completed to their paths; a property written in several ways is listed once.
func TestCompletionTellsNotesWithTheSameNameApart(t *testing.T) {
	catalog := openCatalog(t, map[string]string{
		"a/Twin.md": "---\nKey: 1\n# no: comment\n- no: item\n  no: child\n---\nno: body", "b/Twin.md": "---\nkey: 2\n'Other key' : x\n---\n", "Lone.md": "",
	})
	for _, c := range []struct {
		of    Completes
		value string
		want  []string
	}{
		{CompleteNote, "twin", []string{"a/Twin", "b/Twin"}},
		{CompleteNote, "L", []string{"Lone"}},
		{CompleteNote, "B/", []string{"b/Twin"}},
		{CompleteProperty, "", []string{"Key", "Other key"}},
		{CompleteNothing, "", nil},
	} {
		got, err := catalog.Complete(t.Context(), Incomplete{Of: c.of, Value: c.value})
		if err != nil || !slices.Equal(got.Values, c.want) || got.Total != len(c.want) {
			t.Errorf("%v %q: %+v, %v, want %q", c.of, c.value, got, err, c.want)
		}
	}
}
