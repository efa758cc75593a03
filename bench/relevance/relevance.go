// Package relevance judges ranked search by known items: for each query a person has said which note it means, and
// an engine is as good as the rank at which it shows that note.
//
// The judgements are in the repository's testdata/relevance. They were made by reading the notes before any engine
// was asked, and are not changed to suit an engine.
package relevance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"obsidian-mcp/bench"
)

// Case is a judged query.
type Case struct {
	Vault string   `json:"vault"` // the folder, from the repository or the folder around it
	Query string   `json:"query"`
	Want  []string `json:"want"` // the notes that it means
	Kind  string   `json:"kind"` // how the query describes the note: title, paraphrase, misspelling, …

	Language string `json:"language"` // of the query; empty: English
}

// Load reads all judgements of a folder. It is an error if there are none.
func Load(dir string) ([]Case, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no judged queries in %s", dir)
	}
	var all []Case
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var some []Case
		if err := json.Unmarshal(text, &some); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// depth is how many hits count.
const depth = 10

// Verdict is how an engine did on a case.
type Verdict struct {
	Case
	Rank   int     // of the first wanted note; 0: not among the first ten
	Recall float64 // the share of the wanted notes that are among the first ten
}

// Judge asks an engine all queries of a vault.
func Judge(engine bench.Engine, cases []Case) ([]Verdict, error) {
	verdicts := make([]Verdict, len(cases))
	for i, test := range cases {
		hits, err := engine.Search(bench.Query{Class: test.Kind, Kind: bench.Free, Terms: []string{test.Query}}, depth)
		if err != nil {
			return nil, err
		}
		verdicts[i] = judge(test, hits)
	}
	return verdicts, nil
}

func judge(test Case, hits []bench.Hit) Verdict {
	rank, recall := Measure(test.Want, hits, depth)
	return Verdict{Case: test, Rank: rank, Recall: recall}
}

// Measure returns the rank of the first wanted note among the first hits, or 0, and the share of the wanted notes among
// them.
func Measure(want []string, hits []bench.Hit, depth int) (rank int, recall float64) {
	for i, hit := range hits[:min(len(hits), depth)] {
		if !slices.Contains(want, hit.Path) {
			continue
		}
		if rank == 0 {
			rank = i + 1
		}
		recall += 1 / float64(len(want))
	}
	return rank, recall
}

// Score summarises verdicts.
type Score struct {
	Queries int
	MRR     float64 // the mean of 1/rank
	Recall  float64 // the mean recall among the first ten
}

// Sum scores the verdicts that belong selects.
func Sum(verdicts []Verdict, belongs func(Verdict) bool) Score {
	var sum Score
	for _, verdict := range verdicts {
		if !belongs(verdict) {
			continue
		}
		sum.Queries++
		sum.Recall += verdict.Recall
		if verdict.Rank > 0 {
			sum.MRR += 1 / float64(verdict.Rank)
		}
	}
	if sum.Queries > 0 {
		sum.MRR /= float64(sum.Queries)
		sum.Recall /= float64(sum.Queries)
	}
	return sum
}
