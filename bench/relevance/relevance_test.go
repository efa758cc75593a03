package relevance_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/bench"
	"obsidian-mcp/bench/relevance"
	"obsidian-mcp/bench/scorch"
)

const (
	repository      = "../.."
	fewestQueries   = 75
	fewestOfAVault  = 20
	fewestVaults    = 3
	fewestMisspelt  = 0.1 // of all queries
	roundingOfSums  = 1e-9
	listedWeakRanks = 3 // worse ranks are listed with -v
)

func TestJudgements(t *testing.T) {
	cases := load(t)
	if len(cases) < fewestQueries {
		t.Errorf("%d queries, want %d", len(cases), fewestQueries)
	}
	vaults, kinds, seen := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, test := range cases {
		vaults[test.Vault]++
		kinds[test.Kind]++
		if key := test.Vault + "\n" + strings.ToLower(test.Query); seen[key] {
			t.Errorf("%s: %q is in the cases twice", test.Vault, test.Query)
		} else {
			seen[key] = true
		}
		if test.Query == "" || len(test.Want) == 0 {
			t.Errorf("%s: %q wants %q", test.Vault, test.Query, test.Want)
		}
	}
	if len(vaults) < fewestVaults {
		t.Errorf("vaults %v, want %d", vaults, fewestVaults)
	}
	for name, queries := range vaults {
		if queries < fewestOfAVault {
			t.Errorf("%s: %d queries, want %d", name, queries, fewestOfAVault)
		}
	}
	if share := float64(kinds["misspelling"]) / float64(len(cases)); share < fewestMisspelt {
		t.Errorf("%.2f of the queries are misspelt, want %.2f", share, fewestMisspelt)
	}
}

func TestWantedNotesExist(t *testing.T) {
	for _, test := range load(t) {
		for _, path := range test.Want {
			if _, err := os.Stat(filepath.Join(vault(t, test.Vault), filepath.FromSlash(path))); err != nil {
				t.Errorf("%s: %q: %v", test.Vault, test.Query, err)
			}
		}
	}
}

// ways are what the program's own search finds notes by.
var ways = []struct {
	name string
	by   bench.By
}{{"words", bench.ByWords}, {"meaning", bench.ByMeaning}, {"both", bench.ByBoth}}

// TestRelevance fails if the program's own search finds what people mean less well than bleve does, by words alone or by words
// and meaning. Meaning alone is only shown.
func TestRelevance(t *testing.T) {
	cases := load(t)
	theirs, err := verdicts(t, scorch.Judged(), cases)
	if err != nil {
		t.Fatal(err)
	}
	ours := make([][]relevance.Verdict, len(ways))
	for i, way := range ways {
		ours[i], err = verdicts(t, bench.OursBy(way.by), cases)
		if errors.Is(err, bench.ErrAbsent) {
			t.Log(table(theirs, nil))
			absent(t, "the program's own engine is not in this build")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Log(table(theirs, ours))
	their := relevance.Sum(theirs, all)
	for i, way := range ways {
		our := relevance.Sum(ours[i], all)
		if way.by == bench.ByMeaning {
			continue
		}
		if our.MRR < their.MRR-roundingOfSums {
			t.Errorf("by %s: MRR %.4f, bleve's is %.4f", way.name, our.MRR, their.MRR)
		}
		if our.Recall < their.Recall-roundingOfSums {
			t.Errorf("by %s: recall@10 %.4f, bleve's is %.4f", way.name, our.Recall, their.Recall)
		}
	}
}

// TestLanguages fails if search does badly in a language. Half of the queries of each are whole questions.
func TestLanguages(t *testing.T) {
	for _, by := range []bench.By{bench.ByWords, bench.ByBoth} {
		testLanguages(t, by)
	}
}

func testLanguages(t *testing.T, by bench.By) {
	t.Helper()
	const fewestLanguages, leastMRR = 8, 0.85
	ofLanguages := slices.DeleteFunc(load(t), func(test relevance.Case) bool { return test.Language == "" })
	ours, err := verdicts(t, bench.OursBy(by), ofLanguages)
	if err != nil {
		t.Fatal(err)
	}
	languages := map[string]bool{}
	for _, test := range ofLanguages {
		languages[test.Language] = true
	}
	if len(languages) < fewestLanguages {
		t.Errorf("%d languages, want %d", len(languages), fewestLanguages)
	}
	for language := range languages {
		its := func(v relevance.Verdict) bool { return v.Language == language }
		score := relevance.Sum(ours, its)
		questions := relevance.Sum(ours, func(v relevance.Verdict) bool { return its(v) && v.Kind == "question" })
		if 2*questions.Queries < score.Queries {
			t.Errorf("%s: %d of %d queries are whole questions", language, questions.Queries, score.Queries)
		}
		if score.MRR < leastMRR {
			t.Errorf("%s: MRR %.3f, want %.2f", language, score.MRR, leastMRR)
		}
	}
}

func TestSum(t *testing.T) {
	given := []relevance.Verdict{{Rank: 1, Recall: 1}, {Rank: 4, Recall: 0.5}, {}}
	got := relevance.Sum(given, all)
	if want := (1 + 0.25) / 3; math.Abs(got.MRR-want) > roundingOfSums {
		t.Errorf("MRR of ranks 1, 4 and none: %v, want %v", got.MRR, want)
	}
	if got.Recall != 0.5 || got.Queries != 3 {
		t.Errorf("got %+v, want recall 0.5 of 3 queries", got)
	}
}

func all(relevance.Verdict) bool { return true }

func load(t *testing.T) []relevance.Case {
	t.Helper()
	cases, err := relevance.Load(repository + "/testdata/relevance")
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// vault finds a vault in the repository or next to it. Other people's vaults may be absent on a laptop, but not in
// CI.
func vault(t *testing.T, name string) string {
	t.Helper()
	for _, root := range []string{repository, repository + "/.."} {
		if path := filepath.Join(root, filepath.FromSlash(name)); isFolder(path) {
			return path
		}
	}
	absent(t, "not on this machine: "+name)
	return ""
}

func absent(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

func isFolder(path string) bool {
	state, err := os.Stat(path)
	return err == nil && state.IsDir()
}

// verdicts builds an engine's index of every vault, and asks it.
func verdicts(t *testing.T, maker bench.Maker, cases []relevance.Case) ([]relevance.Verdict, error) {
	t.Helper()
	byVault := map[string][]relevance.Case{}
	for _, test := range cases {
		byVault[test.Vault] = append(byVault[test.Vault], test)
	}
	var judged []relevance.Verdict
	for _, name := range sortedKeys(byVault) {
		place := bench.Place{Vault: vault(t, name), Index: t.TempDir()}
		if err := maker.Build(place); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", maker.Name, name, err)
		}
		engine, err := maker.Open(place)
		if err != nil {
			return nil, err
		}
		some, err := relevance.Judge(engine, byVault[name])
		if err := errors.Join(err, engine.Close()); err != nil {
			return nil, err
		}
		judged = append(judged, some...)
	}
	return judged, nil
}

func sortedKeys[V any](of map[string]V) []string {
	var keys []string
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// table compares the engines by vault and by kind, and shows where bleve and our words with meaning are weak.
func table(theirs []relevance.Verdict, ours [][]relevance.Verdict) string {
	groups := map[string]func(relevance.Verdict) bool{"all": all}
	for _, test := range theirs {
		groups["vault "+test.Vault] = func(v relevance.Verdict) bool { return v.Vault == test.Vault }
		if test.Language != "" {
			groups["language "+test.Language] = func(v relevance.Verdict) bool { return v.Language == test.Language }
		}
		groups["kind "+test.Kind] = func(v relevance.Verdict) bool { return v.Kind == test.Kind }
	}
	out, rule := "\n| queries | number | bleve MRR | bleve recall@10 |", "\n|---|---:|---:|---:|"
	for i := range ours {
		out += fmt.Sprintf(" %s MRR | %s recall@10 |", ways[i].name, ways[i].name)
		rule += "---:|---:|"
	}
	out += rule + "\n"
	for _, name := range sortedKeys(groups) {
		their := relevance.Sum(theirs, groups[name])
		out += fmt.Sprintf("| %s | %d | %.3f | %.3f |", name, their.Queries, their.MRR, their.Recall)
		for i := range ours {
			our := relevance.Sum(ours[i], groups[name])
			out += fmt.Sprintf(" %.3f | %.3f |", our.MRR, our.Recall)
		}
		out += "\n"
	}
	out += weak("bleve", theirs)
	if len(ours) > 0 {
		out += weak("ours", ours[len(ours)-1])
	}
	return out
}

func weak(name string, verdicts []relevance.Verdict) string {
	var out string
	for _, test := range verdicts {
		if test.Rank == 0 || test.Rank > listedWeakRanks {
			out += fmt.Sprintf("%s: rank %d for %q, which means %s\n", name, test.Rank, test.Query, strings.Join(test.Want, ", "))
		}
	}
	return out
}
