package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"obsidian-mcp/bench"
	"obsidian-mcp/bench/measure"
)

// build builds every index in a child of its own, the engines in turns, and then opens each in fresh processes.
func (r *run) build() error {
	for range r.builds {
		for _, maker := range r.makers {
			if err := r.buildOne(maker); err != nil {
				return err
			}
		}
	}
	for range r.rounds {
		for _, maker := range r.makers {
			if err := r.openOne(maker); err != nil {
				return err
			}
		}
		if r.ours {
			if err := r.startOurs(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) buildOne(maker bench.Maker) error {
	say("  building %s", maker.Name)
	place := r.place(maker.Name)
	if err := os.RemoveAll(place.Index); err != nil {
		return err
	}
	if err := os.MkdirAll(place.Index, 0o755); err != nil {
		return err
	}
	result, peak, err := inChild(order{Step: "build", Engine: maker.Name, Place: place})
	if err != nil {
		return err
	}
	r.keep(maker.Name+"/build", result.Cost)
	r.bytes(maker.Name+"/build-peak", peak.Anonymous)
	r.bytes(maker.Name+"/build-peak-resident", peak.Resident)
	size, err := folderSize(place.Index) // every engine stores the text next to its index
	r.bytes(maker.Name+"/size", size-r.corpus.Bytes)
	return err
}

// openOne measures from opening to the first answer.
func (r *run) openOne(maker bench.Maker) error {
	result, _, err := inChild(order{Step: "open", Engine: maker.Name, Place: r.place(maker.Name), Query: r.queries["1term-mid"][0]})
	if err != nil {
		return err
	}
	r.keep(maker.Name+"/open", result.Cost)
	r.bytes(maker.Name+"/open-memory", result.After.Anonymous)
	return nil
}

// startOurs measures what only the program's own engine promises about a start: an answer without any index, and a
// verified answer from the cache.
func (r *run) startOurs() error {
	empty, err := os.MkdirTemp(r.work, "cold-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(empty)
	cold := bench.Place{Vault: r.corpus.Dir, Index: empty}
	for _, do := range []order{
		{Step: "cold-grep", Place: cold, Pattern: r.pattern("literal-rare")},
		{Step: "verified", Place: r.place("ours")},
	} {
		do.Engine = "ours"
		result, _, err := inChild(do)
		if err != nil {
			return fmt.Errorf("%s: %w", do.Step, err)
		}
		r.keep("ours/"+do.Step, result.Cost)
	}
	return nil
}

func (r *run) pattern(name string) bench.Pattern {
	for _, pattern := range r.patterns {
		if pattern.Name == name {
			return pattern
		}
	}
	return bench.Pattern{}
}

// bytes keeps a size; the largest if it was measured several times.
func (r *run) bytes(name string, size int64) {
	r.size.Figures[name] = measure.Figure{Bytes: max(size, r.size.Figures[name].Bytes)}
}

func folderSize(dir string) (int64, error) {
	var total int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		state, err := entry.Info()
		if err == nil {
			total += state.Size()
		}
		return err
	})
	return total, err
}
