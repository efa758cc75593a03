package bench_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"obsidian-mcp/bench"
	"obsidian-mcp/bench/fts5"
	"obsidian-mcp/bench/scorch"
)

var notes = map[string]string{
	"Tea.md":            "---\naliases: [Brew]\ntags: [drinks]\n---\nGreen tea is steeped in hot water for two minutes.\n",
	"Deep/Kettle.md":    "# Kettle\n\nBoils water. Used for tea and for coffee alike.\n\n## Descaling\n\nVinegar, once a month.\n",
	"Знание.md":         "Заметка о воде и чае.\n",
	"Library.md":        "東京の図書館 has many books about 知識.\n",
	"Hot but unlike.md": "Two cold minutes. The water is not hot for long.\n",
}

// TestEngines asks every engine the same questions, so that only engines that give the same answers are compared.
func TestEngines(t *testing.T) {
	makers := append(fts5.Makers(), scorch.Maker(), scorch.Judged())
	if bench.HasOurs() {
		makers = append(makers, bench.Ours())
	}
	for _, maker := range makers {
		t.Run(maker.Name, func(t *testing.T) { ask(t, maker) })
	}
}

func ask(t *testing.T, maker bench.Maker) {
	place := bench.Place{Vault: t.TempDir(), Index: t.TempDir()}
	for name, text := range notes {
		path := filepath.Join(place.Vault, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := maker.Build(place); err != nil {
		t.Fatal(err)
	}
	engine, err := maker.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	for _, test := range []struct {
		name  string
		query bench.Query
		want  []string
	}{
		{"all terms", bench.Query{Kind: bench.All, Terms: []string{"water", "tea"}}, []string{"Deep/Kettle.md", "Tea.md"}},
		{"any term", bench.Query{Kind: bench.Any, Terms: []string{"vinegar", "green"}}, []string{"Deep/Kettle.md", "Tea.md"}},
		{"prefix", bench.Query{Kind: bench.Prefix, Terms: []string{"vine"}}, []string{"Deep/Kettle.md"}},
		{"phrase", bench.Query{Kind: bench.Phrase, Terms: []string{"hot", "water"}}, []string{"Tea.md"}},
		{"alias", bench.Query{Kind: bench.All, Terms: []string{"brew"}}, []string{"Tea.md"}},
		{"cyrillic", bench.Query{Kind: bench.All, Terms: []string{"воде"}}, []string{"Знание.md"}},
		{"as typed", bench.Query{Kind: bench.Free, Terms: []string{"steeped tea"}}, nil},
	} {
		hits, err := engine.Search(test.query, 10)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if test.want == nil { // only the first hit is certain
			hits, test.want = hits[:min(1, len(hits))], []string{"Tea.md"}
		}
		if test.query.Kind == bench.All { // notes with some of the words may follow
			hits = hits[:min(len(test.want), len(hits))]
		}
		if got := paths(hits); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	changed := bench.ReadDoc("Tea.md", "Now about oolong.\n")
	if err := engine.Update(changed); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string][]string{"oolong": {"Tea.md"}, "steeped": nil} {
		hits, err := engine.Search(bench.Query{Kind: bench.All, Terms: []string{word}}, 10)
		if err != nil || !slices.Equal(paths(hits), want) {
			t.Errorf("%s after the update: got %q, want %q, %v", word, paths(hits), want, err)
		}
	}
}

// TestCJK asks only bleve: to FTS5 a run of Han characters is a single word.
func TestCJK(t *testing.T) {
	place := bench.Place{Vault: t.TempDir(), Index: t.TempDir()}
	if err := os.WriteFile(filepath.Join(place.Vault, "Library.md"), []byte(notes["Library.md"]), 0o644); err != nil {
		t.Fatal(err)
	}
	maker := scorch.Maker()
	if err := maker.Build(place); err != nil {
		t.Fatal(err)
	}
	engine, err := maker.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	for term, found := range map[string]int{"図書": 1, "知識": 1, "書図": 0} {
		if hits, err := engine.Search(bench.Query{Kind: bench.All, Terms: []string{term}}, 10); err != nil || len(hits) != found {
			t.Errorf("%s: %d hits, want %d, %v", term, len(hits), found, err)
		}
	}
}

func paths(hits []bench.Hit) []string {
	var all []string
	for _, hit := range hits {
		all = append(all, hit.Path)
	}
	slices.Sort(all)
	return all
}
