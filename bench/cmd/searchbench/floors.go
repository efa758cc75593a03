package main

import (
	"fmt"

	"golang.org/x/sys/unix"

	"obsidian-mcp/bench"
	"obsidian-mcp/bench/corpus"
	"obsidian-mcp/bench/floor"
)

// floors measures the raw passes and, next to them, the ripgrep run that most goals are ratios of.
func (r *run) floors() error {
	paths, err := r.corpus.Paths()
	if err != nil {
		return err
	}
	text, err := r.corpus.Text()
	if err != nil {
		return err
	}
	count := func(files int, err error) error {
		if err == nil && files != len(paths) {
			err = fmt.Errorf("saw %d files of %d", files, len(paths))
		}
		return err
	}
	for range r.rounds {
		for _, pass := range []struct {
			name string
			work func() error
		}{
			{"floor/walk", func() error { return count(floor.Walk(r.corpus.Dir)) }},
			{"floor/stat", func() error { return count(floor.Stat(r.corpus.Dir)) }},
			{"floor/read", func() error { _, err := floor.Read(paths); return err }},
			{"floor/scan", func() error { return floor.Scan(text) }},
		} {
			if err := r.take(pass.name, pass.work); err != nil {
				return fmt.Errorf("%s: %w", pass.name, err)
			}
		}
	}
	return nil
}

// rewrite changes the links to the hub and back again, in the vault itself, before any index of it is built.
func (r *run) rewrite() error {
	linking, err := r.corpus.Linking()
	if err != nil {
		return err
	}
	old, new := "[["+corpus.Hub+"]]", "[["+corpus.Hub+" renamed]]"
	ways := map[string]func(from, to string) error{
		"rg/sed": func(from, to string) error {
			cost, err := r.rg.Rewrite(r.corpus.Dir, from, to)
			r.keep("rg/sed", cost)
			return err
		},
	}
	for name, how := range map[string]floor.Durability{
		"floor/rewrite-nosync": floor.Renamed, "floor/rewrite-sync-each": floor.SyncEach, "floor/rewrite-sync-once": floor.SyncOnce,
	} {
		ways[name] = func(from, to string) error {
			return r.take(name, func() error { return floor.Rewrite(linking, from, to, how) })
		}
	}
	for range max(1, r.rounds/2) {
		for _, name := range []string{"floor/rewrite-nosync", "floor/rewrite-sync-each", "floor/rewrite-sync-once", "rg/sed"} {
			for _, direction := range [][2]string{{old, new}, {new, old}} {
				unix.Sync() // earlier writes must not count
				if err := ways[name](direction[0], direction[1]); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
		}
	}
	unix.Sync()
	return nil
}

// hubPattern finds links to the hub, as someone without an index would.
var hubPattern = bench.Pattern{Name: "hub", Expr: `\[\[` + corpus.Hub}

// grep runs every pattern with ripgrep and, if it is in this build, with the program's own engine, in turns, and
// compares what they count.
func (r *run) grep() error {
	var ours bench.Product
	if r.ours {
		var err error
		if ours, err = r.open(); err != nil {
			return err
		}
		defer ours.Close()
		if err := ours.Verified(); err != nil {
			return err
		}
	}
	for round := range r.rounds {
		for _, pattern := range append(r.patterns, hubPattern) {
			theirs, cost, err := r.rg.Count(r.corpus.Dir, pattern)
			if err != nil {
				return err
			}
			r.keep("rg/"+pattern.Name, cost)
			if ours == nil {
				continue
			}
			if err := r.grepOurs(ours, pattern, theirs, round == 0); err != nil {
				return fmt.Errorf("%s: %w", pattern.Name, err)
			}
		}
	}
	return nil
}

func (r *run) grepOurs(ours bench.Product, pattern bench.Pattern, theirs bench.Count, compare bool) error {
	for name, how := range map[string]bench.GrepMode{"grep": bench.Indexed, "scan": bench.Scan} {
		var found bench.Count
		err := r.takeShort("ours/"+name+"/"+pattern.Name, func() (err error) {
			found, err = ours.Grep(pattern, how)
			return err
		})
		if err != nil {
			return err
		}
		if compare && found != theirs {
			r.remark("Different answers to %s `%s` (%s): ripgrep %+v, ours %+v.", pattern.Name, pattern.Expr, name, theirs, found)
		}
	}
	return nil
}
