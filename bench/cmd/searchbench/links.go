package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"obsidian-mcp/bench/corpus"
)

// links measures backlinks, and renaming the hub and back, which comes last because it changes the vault.
func (r *run) links() (err error) {
	if !r.ours {
		return nil
	}
	ours, err := r.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.Close()) }()
	if err := ours.Verified(); err != nil {
		return err
	}
	paths, err := r.corpus.Paths()
	if err != nil {
		return err
	}
	ordinary := strings.TrimSuffix(filepath.Base(paths[len(paths)/2]), ".md")
	for range r.rounds {
		for figure, note := range map[string]string{"ours/backlinks": ordinary, "ours/backlinks-hub": corpus.Hub} {
			if err := r.takeShort(figure, func() error { _, err := ours.Backlinks(note); return err }); err != nil {
				return fmt.Errorf("%s: %w", note, err)
			}
		}
	}
	notes, err := ours.Backlinks(corpus.Hub)
	if err != nil {
		return err
	}
	r.remark("%d notes link to the hub.", notes)
	renamed := corpus.Hub + " renamed"
	for range max(1, r.rounds/2) {
		for _, direction := range [][2]string{{corpus.Hub, renamed}, {renamed, corpus.Hub}} {
			if err := r.take("ours/rename", func() error { return ours.Rename(direction[0], direction[1]) }); err != nil {
				return err
			}
		}
	}
	_, err = os.Stat(filepath.Join(r.corpus.Dir, corpus.Hub+".md"))
	return err
}
