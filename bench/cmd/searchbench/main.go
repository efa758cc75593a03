// Command searchbench measures the program's search and the engines it is compared with, in a single run on the same
// generated vaults, and prints the goals with their ratios. It needs Linux.
//
//	go run -tags fts5 ./cmd/searchbench -rg "$(../tools/ripgrep)" -notes 1000,10000 -json results.json -svg chart.svg
//
// The tag adds SQLite through cgo; without it or without a C compiler that row is omitted.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/bench/report"
	"obsidian-mcp/bench/ripgrep"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == childFlag {
		exitOn(serveChild(os.Stdin, os.Stdout))
		return
	}
	options, err := parse(os.Args[1:])
	exitOn(err)
	results, err := options.measure()
	exitOn(err)
	for _, name := range options.from {
		earlier, err := report.Load(name)
		exitOn(err)
		results.Add(earlier)
	}
	results.Tables(os.Stdout)
	if options.json != "" {
		exitOn(results.Save(options.json))
	}
	if options.svg != "" {
		exitOn(results.Chart(options.svg))
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "searchbench:", err)
		os.Exit(1)
	}
}

// options are the flags of the command.
type options struct {
	notes   []int
	rounds  int
	builds  int
	only    []string
	rg      ripgrep.Program
	program string
	dir     string
	json    string
	svg     string
	from    []string
}

// parts are what -only may name, in the order in which they run.
var parts = []string{"rewrite", "floors", "build", "patterns", "queries", "update", "memory", "links"}

func parse(arguments []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("searchbench", flag.ContinueOnError)
	notes := flags.String("notes", "1000,10000", "sizes of the vaults, comma-separated; none: only -from")
	flags.IntVar(&o.rounds, "rounds", 5, "rounds of short measurements")
	flags.IntVar(&o.builds, "builds", 1, "how often each index is built")
	only := flags.String("only", "", "parts to measure, comma-separated (default all): "+strings.Join(parts, ", "))
	rg := flags.String("rg", "rg", "path of ripgrep; tools/ripgrep prints the path of the pinned version")
	flags.StringVar(&o.program, "program", "../bin/obsidian-mcp", "the program, for its memory; skipped if it does not exist")
	flags.StringVar(&o.dir, "dir", "", "folder for the vaults and indexes (default: a temporary folder)")
	flags.StringVar(&o.json, "json", "", "file for the results")
	flags.StringVar(&o.svg, "svg", "", "file for a drawing of cost against size")
	from := flags.String("from", "", "earlier results to add, comma-separated, for sizes that this run lacks")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	o.rg, o.only, o.from = ripgrep.Program(*rg), list(*only), list(*from)
	for _, part := range o.only {
		if !slices.Contains(parts, part) {
			return o, fmt.Errorf("unknown part %q; the parts are %s", part, strings.Join(parts, ", "))
		}
	}
	for _, size := range list(*notes) {
		number, err := strconv.Atoi(size)
		if err != nil || number < 100 {
			return o, fmt.Errorf("-notes %q: want numbers of at least 100", size)
		}
		o.notes = append(o.notes, number)
	}
	return o, nil
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

func (o options) wants(part string) bool { return len(o.only) == 0 || slices.Contains(o.only, part) }

// measure measures every size, each in a folder that is removed afterwards.
func (o options) measure() (report.Results, error) {
	version, err := o.rg.Version()
	if err != nil && len(o.notes) > 0 {
		return report.Results{}, fmt.Errorf("ripgrep: %w", err)
	}
	results := report.Results{
		Machine:  report.Machine{CPUs: runtime.NumCPU(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Ripgrep: version},
		Settings: fmt.Sprintf("best of %d rounds, %d builds", o.rounds, o.builds),
	}
	if _, err := exec.LookPath(o.program); err == nil {
		if o.program, err = filepath.Abs(o.program); err != nil {
			return results, err
		}
	} else {
		o.program = ""
	}
	for _, notes := range o.notes {
		size, err := o.measureSize(notes)
		if err != nil {
			return results, fmt.Errorf("%d notes: %w", notes, err)
		}
		results.Sizes = append(results.Sizes, size)
	}
	return results, nil
}
