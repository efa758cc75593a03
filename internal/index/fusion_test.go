package index_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/index/vector"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/meaning"
)

// find asks for the best notes by words and, with meanings, by what they mean.
func find(t *rapid.T, s *index.Snapshot, text string, meanings *index.Meanings) []index.Found {
	q, err := search.Parse(text, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	results, err := s.Search(context.Background(), index.Search{Query: q, Limit: 5, Meanings: meanings})
	if err != nil {
		t.Fatal(err)
	}
	return results.Found
}

// Words and meaning together never lose the first note by words. The notes that have all words of a short query stay first, in
// the order of the words. The order in which notes are read does not matter.
func TestFusionLaws(t *testing.T) {
	t.Parallel()
	store := vector.NewStore(meaning.Builtin())
	sentences := []string{
		"Remove a directory with the delete key.", "The tax return is due in July.", "Worms turn waste into soil.", "Coffee in the evening keeps me awake.",
		"A folder of photographs from the coast.", "The dog needs the vet in July.", "Delete old receipts.", "Soil for the garden, and a spade.",
	}
	questions := []string{"how do I get rid of a directory on the computer", "what keeps people from sleeping at night", "delete folder", "soil", "garden in July", "der Hund beim Tierarzt", "paying money to the government this summer"}
	rapid.Check(t, func(t *rapid.T) {
		var updates, reversed []*index.Entry
		for i, some := range rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(sentences), 0, 4), 1, 12).Draw(t, "notes") {
			var parser index.Parser
			for _, list := range []*[]*index.Entry{&updates, &reversed} {
				*list = append(*list, parser.Parse(vpath.Path(fmt.Sprintf("Note %d.md", i)), []byte(strings.Join(some, "\n\n"))))
			}
		}
		slices.Reverse(reversed)
		s, backwards := index.New(updates, nil), index.New(reversed, nil)
		s.Meanings(store).Read(context.Background(), 1<<20)
		meanings := s.Meanings(store)
		if meanings.Covered() != len(updates) || meanings.Notes != len(updates) {
			t.Fatalf("%d of %d notes have vectors", meanings.Covered(), meanings.Notes)
		}
		question := rapid.SampledFrom(questions).Draw(t, "question")
		byWords, both := find(t, s, question, nil), find(t, s, question, meanings)
		if len(byWords) > 0 && !slices.ContainsFunc(both[:min(3, len(both))], func(f index.Found) bool { return f.Path == byWords[0].Path }) {
			t.Fatalf("%s: %v by words, and %v together", question, byWords, both)
		}
		for i, found := range byWords {
			if isShort := strings.Count(question, " ") < 3; isShort && !found.Partial && both[i] != found {
				t.Fatalf("%s: %v by words, and %v together", question, byWords, both)
			}
		}
		if again := find(t, backwards, question, backwards.Meanings(store)); !slices.Equal(again, both) {
			t.Fatalf("%s: %v, and %v from an index in another order", question, both, again)
		}
		other := vector.NewStore(meaning.Builtin())
		for s.Meanings(other).Covered() < len(updates) {
			s.Meanings(other).Read(context.Background(), 1) // one note at a time
		}
		if again := find(t, s, question, s.Meanings(other)); !slices.Equal(again, both) {
			t.Fatalf("%s: %v, and %v when read one by one", question, both, again)
		}
	})
}
