package report

import (
	"obsidian-mcp/bench/corpus"
	"obsidian-mcp/bench/measure"
)

// Stat extracts the number that a goal is about from a figure: milliseconds or bytes.
type Stat func(measure.Figure) float64

func wallBest(f measure.Figure) float64 { return f.Wall.Best }
func wallP50(f measure.Figure) float64  { return f.Wall.P50 }
func wallP99(f measure.Figure) float64  { return f.Wall.P99 }
func cpuP50(f measure.Figure) float64   { return f.CPU.P50 }
func cpuP99(f measure.Figure) float64   { return f.CPU.P99 }
func size(f measure.Figure) float64     { return float64(f.Bytes) }

// Goal is a row of the table: what is measured of ours, and what it may cost.
type Goal struct {
	About  string
	Ours   string // the figure
	Stat   Stat
	Bounds []Bound
}

// Bound says how much of an anchor's cost is allowed.
type Bound struct {
	Anchor string // its figure
	Stat   Stat
	Ratio  float64
	Plus   float64 // bytes allowed on top
}

// The anchors by the names that figures have.
const (
	rareLiteral = "rg/literal-rare"
	statPass    = "floor/stat"
	byteScan    = "floor/scan"
	text        = "corpus/text"
	modernc     = "fts5-modernc"
	mattn       = "fts5-mattn"
	bleve       = "bleve"
)

// ofRipgrep bounds a time by a whole ripgrep run for a rare word.
func ofRipgrep(ratio float64) Bound { return Bound{Anchor: rareLiteral, Stat: wallBest, Ratio: ratio} }

// Goals returns all goals, in the order of the table.
func Goals() []Goal {
	goals := starts()
	goals = append(goals, queries()...)
	goals = append(goals, patterns()...)
	goals = append(goals, changes()...)
	goals = append(goals, sizes()...)
	return append(goals, links()...)
}

func starts() []Goal {
	return []Goal{
		{"cold start, no cache: first complete answer to a literal", "ours/cold-grep", wallBest, []Bound{ofRipgrep(2)}},
		{"cold start: whole index ready", "ours/build", wallBest, []Bound{
			{Anchor: mattn + "/build", Stat: wallBest, Ratio: 0.25}, {Anchor: bleve + "/build", Stat: wallBest, Ratio: 0.03}}},
		{"warm start: open and first answer", "ours/open", wallBest, []Bound{
			ofRipgrep(0.02), {Anchor: modernc + "/open", Stat: wallBest, Ratio: 0.1}}},
		{"warm start: verified fresh", "ours/verified", wallBest, []Bound{
			{Anchor: statPass, Stat: wallBest, Ratio: 1.3}, ofRipgrep(0.3)}},
	}
}

// queries are ranked, with snippets; processor time, of each query the best
// round, as the goals were set.
func queries() []Goal {
	var goals []Goal
	for _, class := range corpus.Classes {
		goals = append(goals, Goal{"ranked query, p50: " + class, "ours/query/" + class, cpuP50, []Bound{
			{Anchor: modernc + "/query/" + class, Stat: cpuP50, Ratio: 1.0 / 50}, {Anchor: bleve + "/query/" + class, Stat: cpuP50, Ratio: 1.0 / 10}}})
	}
	for _, class := range corpus.Classes {
		goals = append(goals, Goal{"ranked query, p99: " + class, "ours/query/" + class, cpuP99, []Bound{ofRipgrep(1.0 / 50)}})
	}
	return goals
}

func patterns() []Goal {
	limits := []struct {
		name  string
		ratio float64
	}{
		{"literal-absent", 1.0 / 100}, {"literal-rare", 1.0 / 100}, {"literal-common", 1.0 / 20}, {"regex-rare", 1.0 / 100}, {"regex-common", 1.0 / 20},
		{"cyrillic", 1.0 / 20}, {"cjk", 1.0 / 20},
		{"regex-rare-noliteral", 1.0 / 3}, {"regex-date", 1.0 / 3}, {"alternation", 1.0 / 3}, {"casei-rare", 1.0 / 3}, {"casei-common", 1.0 / 3},
	}
	var goals []Goal
	for _, limit := range limits {
		goals = append(goals, Goal{"pattern: " + limit.name, "ours/grep/" + limit.name, wallBest, []Bound{ofRipgrep(limit.ratio)}})
	}
	return append(goals, Goal{"literal without the index", "ours/scan/literal-absent", wallBest, []Bound{{Anchor: byteScan, Stat: wallBest, Ratio: 1}}})
}

func changes() []Goal {
	return []Goal{
		{"one-note update, visible to search", "ours/update", wallP50, []Bound{
			{Anchor: modernc + "/update", Stat: wallP50, Ratio: 1.0 / 20}, {Anchor: bleve + "/update", Stat: wallP50, Ratio: 1.0 / 100}}},
		{"another program's edit: from closing the file to found, p99", "ours/outside", wallP99, []Bound{ofRipgrep(1.0 / 20)}},
	}
}

func sizes() []Goal {
	return []Goal{
		{"anonymous memory after a warm start", "program/warm", size, []Bound{{Anchor: text, Stat: size, Ratio: 0.15}}},
		{"peak of anonymous memory while building", "program/build-peak", size, []Bound{{Anchor: text, Stat: size, Ratio: 2, Plus: 64 << 20}}},
		{"index without the text", "ours/size", size, []Bound{
			{Anchor: text, Stat: size, Ratio: 0.8}, {Anchor: bleve + "/size", Stat: size, Ratio: 0.4}, {Anchor: modernc + "/size", Stat: size, Ratio: 0.9}}},
	}
}

func links() []Goal {
	return []Goal{
		{"backlinks of an ordinary note", "ours/backlinks", wallBest, []Bound{ofRipgrep(1.0 / 40_000)}},
		{"backlinks of the hub, grouped", "ours/backlinks-hub", wallBest, []Bound{{Anchor: "rg/hub", Stat: wallBest, Ratio: 1.0 / 1000}}},
		{"rename of the hub", "ours/rename", wallBest, []Bound{
			{Anchor: "floor/rewrite-nosync", Stat: wallBest, Ratio: 1.15}, {Anchor: "rg/sed", Stat: wallP50, Ratio: 0.5}, {Anchor: "floor/rewrite-sync-each", Stat: wallBest, Ratio: 1}}},
		{"(a rewrite with one syncfs, beside one fsync a file)", "floor/rewrite-sync-once", wallBest, []Bound{
			{Anchor: "floor/rewrite-sync-each", Stat: wallBest, Ratio: 1}}},
	}
}
