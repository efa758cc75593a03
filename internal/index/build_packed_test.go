package index_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/testkit/vaultgen"
)

// An index whose texts are packed, in segments that were merged, gives the same answers as one whose texts are not.
func TestPackedAnswersLikeUnpacked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var parser index.Parser
		var entries [2][]*index.Entry
		names := slices.Clone(paths)
		for i := range rapid.IntRange(0, 20).Draw(t, "more") {
			names = append(names, vpath.Path(fmt.Sprintf("more/%d.md", i)))
		}
		for _, path := range names {
			text := rapid.SampledFrom(texts).Draw(t, "links") + "\n" + drawText(t, "text")
			for i := range entries {
				entries[i] = append(entries[i], parser.Parse(path, []byte(text)).Detach())
			}
		}
		packed := index.NewDivided(entries[0], nil, rapid.IntRange(1, 200).Draw(t, "room"))
		_, unpacked := index.NewInSteps(entries[1], nil)
		if diff := cmp.Diff(answers(unpacked), answers(packed)); diff != "" {
			t.Fatalf("unpacked (-), packed (+):\n%s", diff)
		}
		if diff := cmp.Diff(lines(t, unpacked), lines(t, packed)); diff != "" {
			t.Fatalf("lines of the unpacked (-) and the packed (+) index:\n%s", diff)
		}
		for _, path := range names {
			if packed.Text(path) != unpacked.Text(path) || packed.Entry(path).Front != unpacked.Entry(path).Front {
				t.Fatalf("%s is %q, want %q", path, packed.Text(path), unpacked.Text(path))
			}
		}
		query, err := search.Parse(drawQuery(t, 0), search.Options{})
		if err != nil {
			return
		}
		var found [2]index.Results
		for i, s := range []*index.Snapshot{unpacked, packed} {
			if found[i], err = s.Search(t.Context(), index.Search{Query: query, Limit: 50}); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(found[0], found[1]); diff != "" {
			t.Fatalf("%v in the unpacked (-) and the packed (+) index:\n%s", query, diff)
		}
	})
}

// While an index in memory is built, its segments are merged, so that there are always few of them.
func TestPackedSegmentsAreMerged(t *testing.T) {
	t.Parallel()
	s := index.NewDivided(alike(500), nil, 100)
	if s.Segments() > 12 || s.Len() != 500 {
		t.Errorf("%d files are in %d segments", s.Len(), s.Segments())
	}
	sink := func() index.Sink {
		t.Error("packed texts are written as if they were not packed")
		return index.Elsewhere()
	}
	if merged, err := s.Merge(t.Context(), sink); merged != nil || err != nil {
		t.Errorf("a packed index is merged: %v", err)
	}
}

// An index in memory is not much larger than the texts, although it can find every word of them.
func TestPackedIndexIsSmall(t *testing.T) {
	t.Parallel()
	var parser index.Parser
	var memory index.Memory
	builder, size := index.NewBuilder(&memory), 0
	err := vaultgen.Generate(vaultgen.Options{Notes: 2_000, Seed: 1}, func(note vaultgen.Note) error {
		size += len(note.Text)
		builder.Add(parser.Parse(vpath.Path(note.Path), []byte(note.Text)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := builder.Finish(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	sections, _, _ := memory.Added()
	kept := 0
	for _, section := range sections {
		kept += len(section)
	}
	if most := 1.45 * float64(size); float64(kept) > most {
		t.Errorf("%d bytes of text take %d bytes in memory, %.2f times as many", size, kept, float64(kept)/float64(size))
	}
}

// alike returns entries of many notes with the same words.
func alike(count int) []*index.Entry {
	var parser index.Parser
	entries := make([]*index.Entry, count)
	for i := range entries {
		entries[i] = parser.Parse(vpath.Path(fmt.Sprintf("%d.md", i)), fmt.Appendf(nil, "# Note %d\nsome text again\n", i))
	}
	return entries
}
