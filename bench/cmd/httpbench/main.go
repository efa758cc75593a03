// Command httpbench measures the program as an HTTP server next to a bare server of the MCP library, in a single
// run with the same client, and prints tables of ratios. It needs Linux.
//
//	go run ./cmd/httpbench -json results.json
//	go run ./cmd/httpbench -soak 10m -svg soak.svg
//
// With -soak the program is put under a mixed load instead, and the command fails if goroutines, descriptors or heap
// grow.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/bench/internal/echo"
)

// echoFlag starts this command as the echo server.
const echoFlag = "-echo-server"

func main() {
	if len(os.Args) == 3 && os.Args[1] == echoFlag {
		exitOn(echo.Serve(os.Args[2]))
		return
	}
	options, err := parse(os.Args[1:])
	exitOn(err)
	exitOn(options.run())
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "httpbench:", err)
		os.Exit(1)
	}
}

// options are the flags of the command.
type options struct {
	program string
	beside  []build
	only    []string
	rounds  int
	slice   time.Duration
	notes   int
	json    string

	soak    time.Duration
	clients int
	svg     string
}

// shortestSoak leaves enough readings once the load is steady.
const shortestSoak = 2 * settling

// build is another build of the program, to be measured in the same rounds.
type build struct{ name, program string }

// parts are what -only may name, in the order in which they run.
var parts = []string{"abandoned", "calls", "sessions", "others", "memory"}

func parse(arguments []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("httpbench", flag.ContinueOnError)
	flags.StringVar(&o.program, "program", "../bin/obsidian-mcp", "the program")
	flags.Func("beside", "another build of the program to measure in the same rounds, as name=path; may be repeated", func(value string) error {
		name, program, found := strings.Cut(value, "=")
		if !found {
			return fmt.Errorf("want name=path")
		}
		o.beside = append(o.beside, build{name, program})
		return nil
	})
	only := flags.String("only", "", "parts to measure, comma-separated (default all): "+strings.Join(parts, ", "))
	flags.IntVar(&o.rounds, "rounds", 7, "turns of each server")
	flags.DurationVar(&o.slice, "slice", 400*time.Millisecond, "length of a turn")
	flags.IntVar(&o.notes, "notes", 1000, "notes in the generated vault")
	flags.StringVar(&o.json, "json", "", "file for the results")
	flags.DurationVar(&o.soak, "soak", 0, "put the program under a mixed load for this long, instead of comparing")
	flags.IntVar(&o.clients, "clients", 16, "clients of the mixed load")
	flags.StringVar(&o.svg, "svg", "", "file for a drawing of the mixed load")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if o.soak > 0 && o.soak < shortestSoak {
		return o, fmt.Errorf("-soak %v is too short; use at least %v", o.soak, shortestSoak)
	}
	o.only = strings.FieldsFunc(*only, func(r rune) bool { return r == ',' || r == ' ' })
	for _, part := range o.only {
		if !slices.Contains(parts, part) {
			return o, fmt.Errorf("unknown part %q; the parts are %s", part, strings.Join(parts, ", "))
		}
	}
	return o, o.findPrograms()
}

// findPrograms checks that the programs to be measured exist.
func (o *options) findPrograms() error {
	all := []*string{&o.program}
	for i := range o.beside {
		all = append(all, &o.beside[i].program)
	}
	for _, program := range all {
		whole, err := filepath.Abs(*program)
		if err != nil {
			return err
		}
		if _, err := os.Stat(whole); err != nil {
			return fmt.Errorf("%w; run 'make build' first", err)
		}
		*program = whole
	}
	return nil
}

func (o options) wants(part string) bool { return len(o.only) == 0 || slices.Contains(o.only, part) }

func (o options) run() error {
	work, err := os.MkdirTemp("", "httpbench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	place, err := makePlace(work, o.notes)
	if err != nil {
		return err
	}
	if err := fillCache(o.program, place); err != nil {
		return err
	}
	if o.soak > 0 {
		return o.runSoak(place)
	}
	results, err := o.compare(place)
	if err != nil {
		return err
	}
	results.tables(os.Stdout)
	if o.json != "" {
		return results.save(o.json)
	}
	return nil
}

// say reports progress on the terminal.
func say(format string, values ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", values...)
}
