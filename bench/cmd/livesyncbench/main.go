// Command livesyncbench measures the program on an encrypted LiveSync vault and on the same vault in a folder, and prints
// tables. The database is the stand-in of tools/couchdb, which shares the machine with the program. It needs Linux.
//
//	go run ./cmd/livesyncbench -program ../bin/obsidian-mcp
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	options, err := parse(os.Args[1:])
	if err == nil {
		err = options.run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "livesyncbench:", err)
		os.Exit(1)
	}
}

// options are the flags of the command.
type options struct {
	program string
	standIn string
	notes   int
	rounds  int
	edits   int
	calls   int
}

func parse(arguments []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("livesyncbench", flag.ContinueOnError)
	flags.StringVar(&o.program, "program", "../bin/obsidian-mcp", "the program")
	flags.StringVar(&o.standIn, "database", "../tools/couchdb", "the program that runs the database")
	flags.IntVar(&o.notes, "notes", 10_000, "notes in the generated vault")
	flags.IntVar(&o.rounds, "rounds", 3, "rounds of each start")
	flags.IntVar(&o.edits, "edits", 100, "edits by another device")
	flags.IntVar(&o.calls, "calls", 300, "calls of each tool")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	var err error
	if o.program, err = filepath.Abs(o.program); err != nil {
		return o, err
	}
	if _, err := os.Stat(o.program); err != nil {
		return o, fmt.Errorf("%w; run 'make build' first", err)
	}
	return o, nil
}

// bench is a run of the command: the same vault in a database and in a folder.
type bench struct {
	options
	work     string
	vault    *vault
	database *database
	empty    *database
	proxy    *proxy
}

func (o options) run(ctx context.Context) error {
	work, err := os.MkdirTemp("", "livesyncbench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	server, err := startStandIn(o.standIn)
	if err != nil {
		return err
	}
	defer server.stop()
	b := &bench{options: o, work: work}
	if err := b.prepare(ctx, server); err != nil {
		return err
	}
	defer b.proxy.close()
	found, err := b.measure(ctx)
	if err != nil {
		return err
	}
	found.print(os.Stdout)
	return nil
}

// prepare generates the vault, and puts it into a folder and into a database.
func (b *bench) prepare(ctx context.Context, server *standIn) error {
	say("making a vault of %d notes", b.notes)
	var err error
	if b.vault, err = makeVault(filepath.Join(b.work, "vault"), b.notes); err != nil {
		return err
	}
	say("putting it into a database")
	if b.database, err = server.create(ctx, "vault"); err != nil {
		return err
	}
	if err := b.database.fill(ctx, b.vault); err != nil {
		return err
	}
	if b.empty, err = server.create(ctx, "empty"); err != nil {
		return err
	}
	b.proxy, err = startProxy(server.url)
	return err
}

// measure measures everything.
func (b *bench) measure(ctx context.Context) (*results, error) {
	found := &results{vault: b.vault, stored: b.database.stored}
	for _, part := range []func(context.Context, *results) error{b.starts, b.largeEdit, b.otherDevice, b.latencies} {
		if err := part(ctx, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// say reports progress on the terminal.
func say(format string, values ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", values...)
}
