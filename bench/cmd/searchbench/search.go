package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"obsidian-mcp/bench"
	"obsidian-mcp/bench/corpus"
	"obsidian-mcp/bench/measure"
)

// topTen is how many hits every query asks for.
const topTen = 10

// opened is an open engine.
type opened struct {
	name string
	bench.Engine
}

func (r *run) openAll() (all []opened, closeAll func() error, err error) {
	closeAll = func() error {
		var failures []error
		for _, engine := range all {
			failures = append(failures, engine.Close())
		}
		return errors.Join(failures...)
	}
	for _, maker := range r.makers {
		engine, err := maker.Open(r.place(maker.Name))
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("%s: %w", maker.Name, err), closeAll())
		}
		all = append(all, opened{maker.Name, engine})
	}
	return all, closeAll, nil
}

// search asks all engines all queries, class by class in turns. The first round is a warm-up and does not count.
func (r *run) search() (err error) {
	engines, closeAll, err := r.openAll()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	kept := map[string]map[string][]measure.Cost{} // by figure, then by query
	hits := map[string]int{}
	for round := range r.rounds + 1 {
		for _, class := range corpus.Classes {
			for _, engine := range engines {
				figure := engine.name + "/query/" + class
				if kept[figure] == nil {
					kept[figure] = map[string][]measure.Cost{}
				}
				runtime.GC() // the garbage of the previous engine must not count
				for _, query := range r.queries[class] {
					found, cost, err := ask(engine, query)
					if err != nil {
						return fmt.Errorf("%s: %w", engine.name, err)
					}
					if round == 0 {
						hits[figure] += found
						continue
					}
					key := strings.Join(query.Terms, " ")
					kept[figure][key] = append(kept[figure][key], cost)
				}
			}
		}
	}
	for name, rounds := range kept {
		figure := measure.BestOfEach(rounds)
		figure.Hits = float64(hits[name]) / float64(len(rounds))
		r.size.Figures[name] = figure
	}
	return nil
}

func ask(engine bench.Engine, query bench.Query) (found int, cost measure.Cost, err error) {
	cost, err = measure.OfShort(func() error {
		hits, err := engine.Search(query, topTen)
		found = len(hits)
		return err
	})
	return found, cost, err
}

// updatesARound is how many notes are changed in a round.
const updatesARound = 10

// update changes notes one at a time in every index, in turns, and checks that the change is found.
func (r *run) update() (err error) {
	engines, closeAll, err := r.openAll()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	paths, err := r.corpus.Paths()
	if err != nil {
		return err
	}
	for i := range r.rounds * updatesARound {
		name := paths[i*7919%len(paths)]
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(r.corpus.Dir, name)
		if err != nil {
			return err
		}
		news := fmt.Sprintf("freshword%d", i)
		doc := bench.ReadDoc(filepath.ToSlash(below), string(text)+"\n\n"+news+"\n")
		for _, engine := range engines {
			if err := r.take(engine.name+"/update", func() error { return engine.Update(doc) }); err != nil {
				return fmt.Errorf("%s: %w", engine.name, err)
			}
			if !finds(engine, news, doc.Path) {
				return fmt.Errorf("%s does not find %q in %s after its update", engine.name, news, doc.Path)
			}
		}
	}
	if r.ours {
		return r.outside(paths)
	}
	return nil
}

func finds(engine bench.Engine, word, path string) bool {
	hits, err := engine.Search(bench.Query{Kind: bench.All, Terms: []string{word}}, topTen)
	return err == nil && len(hits) > 0 && hits[0].Path == path
}

// outside changes files as another program does, and waits until the change is found. It restores the vault
// afterwards.
func (r *run) outside(paths []string) error {
	ours, err := r.open()
	if err != nil {
		return err
	}
	defer ours.Close()
	if err := ours.Verified(); err != nil {
		return err
	}
	for i := range r.rounds * updatesARound {
		name := paths[i*104729%len(paths)]
		before, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		news := fmt.Sprintf("outsideword%d", i)
		if err := os.WriteFile(name, append(before[:len(before):len(before)], "\n"+news+"\n"...), 0o644); err != nil {
			return err
		}
		below, err := filepath.Rel(r.corpus.Dir, name)
		if err != nil {
			return err
		}
		err = r.take("ours/outside", func() error { return waitFor(ours, news, filepath.ToSlash(below)) })
		if err := errors.Join(err, os.WriteFile(name, before, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

func waitFor(engine bench.Engine, word, path string) error {
	for end := time.Now().Add(10 * time.Second); !finds(engine, word, path); time.Sleep(50 * time.Microsecond) {
		if time.Now().After(end) {
			return fmt.Errorf("%q in %s was not found within ten seconds", word, path)
		}
	}
	return nil
}
