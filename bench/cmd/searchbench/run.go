package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"obsidian-mcp/bench"
	"obsidian-mcp/bench/corpus"
	"obsidian-mcp/bench/fts5"
	"obsidian-mcp/bench/measure"
	"obsidian-mcp/bench/report"
	"obsidian-mcp/bench/scorch"
)

// run is the measurement of a vault.
type run struct {
	options
	corpus   *corpus.Corpus
	work     string // a folder for this vault and the indexes
	makers   []bench.Maker
	ours     bool // this build has the program's own engine
	queries  map[string][]bench.Query
	patterns []bench.Pattern
	costs    map[string][]measure.Cost
	size     report.Size
}

// anchors are the engines that ours is compared with.
func anchors() []bench.Maker { return append(fts5.Makers(), scorch.Maker()) }

// settled is the age from which a file that looks unchanged counts as unchanged, which is nearly always the case
// when a program starts.
const settled = 3 * time.Second

func (o options) measureSize(notes int) (report.Size, error) {
	work, err := os.MkdirTemp(o.dir, "searchbench-*")
	if err != nil {
		return report.Size{}, err
	}
	defer os.RemoveAll(work)
	say("making a vault of %d notes", notes)
	made, err := corpus.Make(filepath.Join(work, "vault"), notes)
	if err != nil {
		return report.Size{}, err
	}
	time.Sleep(settled) // files written a moment ago are read again
	r := &run{
		options: o, corpus: made, work: work, makers: anchors(), ours: bench.HasOurs(),
		queries: made.Queries(), patterns: made.Patterns(), costs: map[string][]measure.Cost{},
		size: report.Size{Notes: notes, Bytes: made.Bytes, Figures: map[string]measure.Figure{"corpus/text": {Bytes: made.Bytes}}},
	}
	made.Forget()
	if r.ours {
		r.makers = append(r.makers, bench.Ours())
	}
	for _, part := range []struct {
		name string
		run  func() error
	}{
		{"rewrite", r.rewrite}, {"floors", r.floors}, {"build", r.build}, {"patterns", r.grep},
		{"queries", r.search}, {"update", r.update}, {"memory", r.memory}, {"links", r.links},
	} {
		if !r.wanted(part.name) {
			continue
		}
		say("%d notes: %s", notes, part.name)
		if err := part.run(); err != nil {
			return r.size, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	for name, costs := range r.costs {
		r.size.Figures[name] = measure.Summary(costs)
	}
	return r.size, nil
}

// wanted reports whether a part runs: the requested parts, and the build if one of them needs the indexes.
func (r *run) wanted(part string) bool {
	needed := part == "build" && (r.wants("queries") || r.wants("update") || r.ours && (r.wants("patterns") || r.wants("links")))
	return needed || r.wants(part)
}

// place is where an engine keeps its files.
func (r *run) place(engine string) bench.Place {
	return bench.Place{Vault: r.corpus.Dir, Index: filepath.Join(r.work, "index", engine)}
}

// take measures something once and keeps the cost under a name.
func (r *run) take(name string, work func() error) error {
	cost, err := measure.Of(work)
	r.keep(name, cost)
	return err
}

// takeShort is take for what may last only microseconds.
func (r *run) takeShort(name string, work func() error) error {
	cost, err := measure.OfShort(work)
	r.keep(name, cost)
	return err
}

func (r *run) keep(name string, cost measure.Cost) { r.costs[name] = append(r.costs[name], cost) }

func (r *run) remark(format string, values ...any) {
	r.size.Remarks = append(r.size.Remarks, fmt.Sprintf(format, values...))
}

// open opens the program's own engine on the index that was built.
func (r *run) open() (bench.Product, error) { return bench.OpenOurs(r.place("ours")) }

// say reports progress on the terminal.
func say(format string, values ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", values...)
}
