package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"
)

// The starts that are measured.
const (
	nameEmpty        = "LiveSync, an empty vault"
	nameFolder       = "folder, first start"
	nameFolderAgain  = "folder, index from the cache"
	nameFirst        = "LiveSync"
	nameRecorded     = "LiveSync, a database that answers at once"
	nameKeeping      = "LiveSync, cache on, first start"
	nameKept         = "LiveSync, cache on, later start"
	nameKeptRecorded = "the same, a database that answers at once"
)

// memoryGoal bounds the program's memory, as a multiple of the plain text.
const memoryGoal = 3.0

// results are what was measured.
type results struct {
	vault  *vault
	stored stored
	starts []*begun
	edit   edit
	seen   []time.Duration // from the answer to the write until the note is found
	sent   []time.Duration // from the start of the write
	calls  []calls
}

func (r *results) add(name string, cost startCost) {
	at := slices.IndexFunc(r.starts, func(start *begun) bool { return start.name == name })
	if at < 0 {
		at = len(r.starts)
		r.starts = append(r.starts, &begun{name: name})
	}
	r.starts[at].rounds = append(r.starts[at].rounds, cost)
}

// print writes tables of Markdown.
func (r *results) print(out io.Writer) {
	fmt.Fprintf(out, "%d notes, %.1f MB of plain text; in the database %d chunks, %.1f MB of documents; encrypted (V2), paths hidden; %d cores, which the database shares; medians of %d starts (peak: the highest)\n",
		len(r.vault.paths), mega(r.vault.bytes), r.stored.chunks, mega(r.stored.bytes), runtime.NumCPU(), len(r.starts[0].rounds))
	r.startTable(out)
	r.trafficTable(out)
	r.editTable(out)
	r.callTable(out)
}

func (r *results) startTable(out io.Writer) {
	fmt.Fprintf(out, "\n| start | listed and searchable | CPU | cores used | peak RSS | × text | without the base | RSS at rest | × text | of it anonymous | RSS after %d searches | × text |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n", manySearches)
	base := r.starts[0].peak()
	for _, start := range r.starts {
		ready, cpu := median(*start, func(c startCost) time.Duration { return c.ready }), median(*start, func(c startCost) time.Duration { return c.cpu })
		rest, anon := median(*start, func(c startCost) int64 { return c.rest }), median(*start, func(c startCost) int64 { return c.anon })
		busy := median(*start, func(c startCost) int64 { return c.busy })
		fmt.Fprintf(out, "| %s | %.2f s | %.2f s | %.2f | %.1f MB | %.2f | %.2f | %.1f MB | %.2f | %.1f MB | %.1f MB | %.2f |\n", start.name,
			ready.Seconds(), cpu.Seconds(), cpu.Seconds()/ready.Seconds(), mega(start.peak()), r.vault.times(start.peak()), r.vault.times(start.peak()-base),
			mega(rest), r.vault.times(rest), mega(anon), mega(busy), r.vault.times(busy))
	}
	fmt.Fprintf(out, "\nGoal: at most %.1f times the plain text at the peak.\n", memoryGoal)
}

// peak is the highest of all rounds.
func (b *begun) peak() int64 {
	most := int64(0)
	for _, round := range b.rounds {
		most = max(most, round.peak)
	}
	return most
}

func (r *results) trafficTable(out io.Writer) {
	fmt.Fprint(out, "\n| start | requests | for 1,000 notes | received | for 1,000 notes | sent |\n|---|---:|---:|---:|---:|---:|\n")
	thousands := float64(len(r.vault.paths)) / 1000
	for _, start := range r.starts {
		passed := start.rounds[0].passed
		if passed.requests == 0 || start.name == nameRecorded || start.name == nameKeptRecorded {
			continue
		}
		fmt.Fprintf(out, "| %s | %d | %.1f | %.2f MB | %.2f MB | %.2f MB |\n", start.name, passed.requests, float64(passed.requests)/thousands,
			mega(passed.down), mega(passed.down)/thousands, mega(passed.up))
	}
}

func (r *results) editTable(out io.Writer) {
	fmt.Fprintf(out, "\n| what | figure |\n|---|---:|\n")
	fmt.Fprintf(out, "| one line of a %d KB note edited: chunks uploaded | %d of %d |\n", largeNote/1000, r.edit.chunks, r.edit.of)
	fmt.Fprintf(out, "| … their bytes; all bytes sent; requests | %.1f KB; %.1f KB; %d |\n", float64(r.edit.bytes)/1000, float64(r.edit.all)/1000, r.edit.requests)
	fmt.Fprintf(out, "| another device's edit is found, from the answer to its write (p50, p99 of %d) | %s, %s |\n", len(r.seen), millis(rank(r.seen, 0.5)), millis(rank(r.seen, 0.99)))
	fmt.Fprintf(out, "| … from the beginning of its write | %s, %s |\n", millis(rank(r.sent, 0.5)), millis(rank(r.sent, 0.99)))
}

func (r *results) callTable(out io.Writer) {
	fmt.Fprint(out, "\n| call | place | p50 | p99 |\n|---|---|---:|---:|\n")
	for _, series := range r.calls {
		fmt.Fprintf(out, "| `%s`%s | %s | %s | %s |\n", series.tool, series.about, series.place, millis(rank(series.took, 0.5)), millis(rank(series.took, 0.99)))
	}
}

// rank returns the time that a share of all times does not exceed.
func rank(all []time.Duration, share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

func mega(bytes int64) float64 { return float64(bytes) / 1e6 }

func millis(d time.Duration) string { return fmt.Sprintf("%.3g ms", float64(d.Microseconds())/1000) }
