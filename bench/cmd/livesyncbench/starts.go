package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"obsidian-mcp/bench/internal/process"
	"obsidian-mcp/bench/internal/rawmcp"
)

// begun is a way to start, and what it took in each round.
type begun struct {
	name   string
	rounds []startCost
}

// startCost is what a start took.
type startCost struct {
	ready            time.Duration // until everything is listed and searchable
	cpu              time.Duration
	peak, rest, anon int64
	busy             int64 // resident after searches
	passed           traffic
}

const longestSettling = time.Minute

// way is a way to start.
type way struct {
	name, home string
	given      settings
	fresh      bool // without anything from an earlier start
	recorded   bool // the proxy answers from memory
}

func (b *bench) ways() []way {
	address := b.proxy.url
	return []way{
		{name: nameEmpty, home: "empty", given: b.empty.at(address), fresh: true},
		{name: nameFolder, home: "folder", given: inFolder(b.vault.dir), fresh: true},
		{name: nameFolderAgain, home: "folder", given: inFolder(b.vault.dir)},
		{name: nameFirst, home: "plain", given: b.database.at(address), fresh: true},
		{name: nameRecorded, home: "plain", given: b.database.at(address), fresh: true, recorded: true},
		{name: nameKeeping, home: "keeping", given: b.database.at(address, keepContents), fresh: true},
		{name: nameKept, home: "keeping", given: b.database.at(address, keepContents)},
		{name: nameKeptRecorded, home: "keeping", given: b.database.at(address, keepContents), recorded: true},
	}
}

// starts measures starts, each way in turn.
func (b *bench) starts(ctx context.Context, found *results) error {
	for round := range b.rounds {
		for _, way := range b.ways() {
			if err := ctx.Err(); err != nil {
				return err
			}
			say("round %d: %s", round+1, way.name)
			cost, err := b.startAs(way)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			found.add(way.name, cost)
		}
	}
	return nil
}

func (b *bench) startAs(way way) (startCost, error) {
	if way.fresh {
		if err := os.RemoveAll(filepath.Join(b.work, way.home)); err != nil {
			return startCost{}, err
		}
	}
	if way.recorded {
		defer b.proxy.remember(false)
		if err := b.record(way.home, way.given); err != nil {
			return startCost{}, err
		}
	}
	return b.startOnce(way.home, way.given)
}

// record makes the proxy learn the answers that a start asks for.
func (b *bench) record(home string, given settings) error {
	b.proxy.remember(true)
	_, err := b.startOnce(home, given)
	return err
}

// startOnce starts the program, searches, lets it come to rest and stops it.
func (b *bench) startOnce(home string, given settings) (startCost, error) {
	b.proxy.take()
	began := time.Now()
	server, err := b.start(home, given)
	if err != nil {
		return startCost{}, err
	}
	cost := startCost{ready: time.Since(began)}
	err = b.look(server, &cost)
	return cost, errors.Join(err, server.Stop())
}

// look completes the cost of a start.
func (b *bench) look(server *process.Server, cost *startCost) error {
	var err error
	if cost.cpu, err = server.CPU(); err != nil {
		return err
	}
	cost.passed = b.proxy.take()
	client, err := connect(server)
	if err != nil {
		return err
	}
	defer client.Conn.Close()
	if cost.rest, cost.anon, err = searched(server, client, 1); err != nil {
		return err
	}
	if cost.peak, err = peak(server); err != nil {
		return err
	}
	cost.busy, _, err = searched(server, client, manySearches)
	return err
}

// manySearches are enough to see what the garbage of calls adds.
const manySearches = 500

// searched returns the memory of the program after searches, when it is idle.
func searched(server *process.Server, client *rawmcp.Client, count int) (resident, anonymous int64, err error) {
	words := []string{"everything", "hub", "status", "draft", "part", "aliases"}
	for i := range count {
		if _, err := call(client, "find_notes", arguments{"query": words[i%len(words)]}); err != nil {
			return 0, 0, err
		}
	}
	if err := server.Settle(longestSettling); err != nil {
		return 0, 0, err
	}
	memory, err := server.Memory()
	return memory.Resident, memory.Anonymous, err
}

// median returns the middle round by some figure.
func median[N int64 | time.Duration](of begun, figure func(startCost) N) N {
	var all []N
	for _, round := range of.rounds {
		all = append(all, figure(round))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
