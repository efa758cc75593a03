package retrieval_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/bench"
	"obsidian-mcp/bench/retrieval"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Both sets are found below a folder, in their own layouts, and asked of the program's own search.
func TestBothSets(t *testing.T) {
	data, work := t.TempDir(), t.TempDir()
	harness := filepath.Join(data, "seekstone", "packages", "harness")
	write(t, filepath.Join(harness, "queries", "golden.json"), `{"queries":[
		{"id":"a","kind":"semantic","query":"instrument that measures wind","expected":["Notes/Anemometer.md"]},
		{"id":"b","kind":"lexical","query":"nothing of the kind","expected":["Notes/Missing.md"]}]}`)
	write(t, filepath.Join(harness, "fixtures", "vault", "Notes", "Anemometer.md"), "An instrument for measuring the wind.\n")
	write(t, filepath.Join(data, "locomo", "data", "locomo10.json"), `[{"qa":[
		{"question":"When did Ada paint the boat?","evidence":["D2:1"],"category":2},
		{"question":"No evidence","evidence":[],"category":1}],
		"conversation":{"session_1":[{"speaker":"Bo","dia_id":"D1:1","text":"Hello"}],"session_1_date_time":"1 May",
		"session_2":[{"speaker":"Ada","dia_id":"D2:1","text":"I painted a boat yesterday."}],"session_2_date_time":"2 May","speaker_a":"Ada"}}]`)
	sets, err := retrieval.Load(data, work)
	if err != nil || len(sets) != 2 || len(sets[0].Questions) != 2 || len(sets[1].Questions) != 1 {
		t.Fatalf("%+v, %v", sets, err)
	}
	if text, err := os.ReadFile(filepath.Join(work, "locomo-c00-s02.md")); err != nil || !strings.Contains(string(text), "- **Ada:** I painted") {
		t.Errorf("%s, %v", text, err)
	}
	for i, want := range []float64{0.5, 1} {
		product, err := bench.OpenOurs(bench.Place{Vault: sets[i].Vault, Index: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		answers, err := retrieval.Ask(product, sets[i])
		gathered, gatherErr := retrieval.Gather(product.(retrieval.Gatherer), sets[i], 500)
		read, readErr := retrieval.ReadBest(product, sets[i], 1)
		if err := errors.Join(err, gatherErr, readErr, product.Close()); err != nil {
			t.Fatal(err)
		}
		score := retrieval.Sum(answers, func(retrieval.Answer) bool { return true })
		if score.MRR != want || score.Hit != want || score.Recall != want || score.Deep != want {
			t.Errorf("%s: %+v, want %v", sets[i].Name, score, want)
		}
		for _, g := range []retrieval.Gathered{gathered, read} {
			if g.Questions != i || g.Proof != float64(i) || (g.Tokens > 0) != (i > 0) {
				t.Errorf("%s: %+v", sets[i].Name, g)
			}
		}
	}
}

func TestNoData(t *testing.T) {
	if _, err := retrieval.Load(t.TempDir(), t.TempDir()); !errors.Is(err, retrieval.ErrNoData) {
		t.Errorf("%v", err)
	}
}
