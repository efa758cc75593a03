package ops

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

// TestNewest compares with sorting everything.
func TestNewest(t *testing.T) {
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
		snapshot := index.New(entries, nil)
		for _, path := range newest(snapshot, 10) {
			got = append(got, fmt.Sprintf("%03d %s", 100-snapshot.Modified(path).Unix(), path))
		}
		if !slices.Equal(got, want[:min(10, len(want))]) {
			t.Errorf("of %d: %q, want %q", notes, got, want)
		}
	}
}

func openOps(t *testing.T, files map[string]string) *Ops {
	t.Helper()
	v := vault.Open(mem.New(files), slog.New(slog.DiscardHandler))
	t.Cleanup(func() { v.Close() })
	o, _ := New(v.Whole(), Options{VaultID: "v"})
	return o
}

func TestLargeNotesSayHowToReadThem(t *testing.T) {
	o := openOps(t, map[string]string{"Big.md": strings.Repeat("x", maxResource+1)})
	_, err := o.ReadResource(t.Context(), "mcp-obsidian://v/Big.md")
	if fault.KindOf(err) != fault.InvalidArgument || !strings.Contains(fault.HintOf(err), "read_note") {
		t.Errorf("%v", err)
	}
}

// TestCompletionOfTwins tells notes of one name apart, and keeps one spelling
// of what is written in several.
func TestCompletionOfTwins(t *testing.T) {
	o := openOps(t, map[string]string{
		"a/Twin.md": "---\nKey: 1\n# no: comment\n- no: item\n  no: child\n---\nno: body", "b/Twin.md": "---\nkey: 2\n'Other key' : x\n---\n", "Lone.md": "",
	})
	for _, one := range []struct {
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
		got, err := o.Complete(t.Context(), Incomplete{Of: one.of, Value: one.value})
		if err != nil || !slices.Equal(got.Values, one.want) || got.Total != len(one.want) {
			t.Errorf("%v %q: %+v, %v, want %q", one.of, one.value, got, err, one.want)
		}
	}
}
