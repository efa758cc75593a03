package retrieval

import "path/filepath"

// seekstone reads seekstone's golden set: questions about a vault of 10,000 encyclopedia articles.
func seekstone(harness string) (Set, error) {
	var golden struct {
		Queries []struct {
			Kind, Query string
			Expected    []string
		}
	}
	err := readJSON(filepath.Join(harness, "queries", "golden.json"), &golden)
	set := Set{Name: "seekstone", Vault: filepath.Join(harness, "fixtures", "vault")}
	for i, query := range golden.Queries {
		set.Questions = append(set.Questions, Question{Number: i + 1, Kind: query.Kind, Text: query.Query, Want: query.Expected})
	}
	return set, err
}
