// Package report writes what was measured: as a table of the goals next to the anchors of the same run, as a list
// of all figures, as JSON, and as a drawing of cost against the size of the vault.
package report

import (
	"encoding/json"
	"os"
	"slices"

	"obsidian-mcp/bench/measure"
)

// Results are the results of a run.
type Results struct {
	Machine  Machine `json:"machine"`
	Settings string  `json:"settings"`
	Sizes    []Size  `json:"sizes"`
}

// Machine describes the machine that was measured.
type Machine struct {
	CPUs    int    `json:"cpus"`
	Go      string `json:"go"`
	System  string `json:"system"`
	Ripgrep string `json:"ripgrep"`
}

// Size is everything that was measured on a vault. Figures are named by who did what, such as "bleve/query/prefix".
type Size struct {
	Notes   int                       `json:"notes"`
	Bytes   int64                     `json:"bytes"`
	Figures map[string]measure.Figure `json:"figures"`
	Remarks []string                  `json:"remarks,omitempty"` // such as answers that differ
}

// Load reads results that Save wrote.
func Load(name string) (Results, error) {
	var results Results
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &results)
	}
	return results, err
}

// Save writes results to a file.
func (r Results) Save(name string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// Add adds the vaults of other results that these lack.
func (r *Results) Add(other Results) {
	for _, size := range other.Sizes {
		if !slices.ContainsFunc(r.Sizes, func(have Size) bool { return have.Notes == size.Notes }) {
			r.Sizes = append(r.Sizes, size)
		}
	}
	slices.SortFunc(r.Sizes, func(a, b Size) int { return a.Notes - b.Notes })
}
