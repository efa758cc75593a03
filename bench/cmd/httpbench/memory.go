package main

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"obsidian-mcp/bench/internal/echo"
	"obsidian-mcp/bench/internal/process"
	"obsidian-mcp/bench/internal/rawmcp"
)

// How many idle sessions are opened, how many of them get a stream, and how often all of it is repeated with fresh
// processes.
const (
	idleSessions = 3000
	idleStreams  = 1000
	memoryRounds = 3
)

// footprint is what idle sessions cost a server, in bytes per session: live heap and stacks after a collection, and
// memory that the kernel counts.
type footprint struct {
	Name    string `json:"name"`
	Session []cost `json:"session"` // a session by itself; a figure per round
	Stream  []cost `json:"stream"`  // what an open stream adds to it
}

type cost struct {
	Live      float64 `json:"live"`
	Anonymous float64 `json:"anonymous"`
}

// memory measures idle sessions on fresh processes, server after server.
func (o options) memory(at place, found *results) error {
	for round := range memoryRounds {
		say("memory of idle sessions, round %d", round+1)
		running, err := o.startAll(at, unlimited)
		if err != nil {
			return err
		}
		targets := append([]target{{"echo, events", running.echo, echo.Events, echoCall}}, running.calling(readCall)...)
		for i, target := range targets {
			if round == 0 {
				found.Memory = append(found.Memory, footprint{Name: target.name})
			}
			if err := found.Memory[i].add(target); err != nil {
				running.stop()
				return fmt.Errorf("%s: %w", target.name, err)
			}
		}
		running.stop()
	}
	return nil
}

// add measures a server once.
func (f *footprint) add(of target) error {
	stirrer, err := rawmcp.Connect(of.server.Addr, of.path, rawmcp.Sessions)
	if err != nil {
		return err
	}
	defer stirrer.Conn.Close()
	empty, err := held(of, stirrer)
	if err != nil {
		return err
	}
	opened, err := openSessions(of, idleSessions)
	if err != nil {
		return err
	}
	withSessions, err := held(of, stirrer)
	if err != nil {
		return err
	}
	streams, err := openStreams(opened[:idleStreams])
	defer closeStreams(streams)
	if err != nil {
		return err
	}
	withStreams, err := held(of, stirrer)
	f.Session = append(f.Session, withSessions.since(empty, idleSessions))
	f.Stream = append(f.Stream, withStreams.since(withSessions, idleStreams))
	return err
}

func (c cost) since(before cost, count float64) cost {
	return cost{(c.Live - before.Live) / count, (c.Anonymous - before.Anonymous) / count}
}

// openSessions opens sessions on a single connection, and leaves them open.
func openSessions(of target, count int) ([]*rawmcp.Client, error) {
	conn, err := rawmcp.Dial(of.server.Addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	var all []*rawmcp.Client
	for range count {
		client := &rawmcp.Client{Conn: conn, Path: of.path, Era: rawmcp.Sessions}
		if err := client.Begin(); err != nil {
			return nil, err
		}
		all = append(all, client)
	}
	return all, nil
}

func openStreams(clients []*rawmcp.Client) ([]*rawmcp.Stream, error) {
	var all []*rawmcp.Stream
	for _, client := range clients {
		stream, err := client.Listen("")
		if err != nil {
			return all, err
		}
		all = append(all, stream)
	}
	return all, nil
}

func closeStreams(streams []*rawmcp.Stream) {
	for _, stream := range streams {
		stream.Close()
	}
}

// Names of metrics.
const (
	heapAllocated = "go_memstats_heap_alloc_bytes"
	stacksInUse   = "go_memstats_stack_inuse_bytes"
	collections   = "go_gc_duration_seconds_count"
)

// held measures the memory that a server cannot release. Another process cannot be made to collect its garbage, so
// small calls are made until it has done so three times, which also empties its pools; the least that it held after
// that is what is live.
func held(of target, stirrer *rawmcp.Client) (cost, error) {
	const cycles = 3
	least, first := math.Inf(1), -1.0
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		for range 10 {
			if _, err := stirrer.Call(listCall); err != nil {
				return cost{}, err
			}
		}
		figures, err := of.server.Metrics()
		if err != nil {
			return cost{}, err
		}
		if figures[collections] == 0 && figures[heapAllocated] == 0 {
			return cost{}, errors.New("/metrics tells nothing of the heap")
		}
		if first < 0 {
			first = figures[collections]
		}
		if figures[collections] >= first+cycles {
			least = min(least, figures[heapAllocated]+figures[stacksInUse])
		}
		if figures[collections] > first+cycles {
			memory, err := of.server.Memory()
			return cost{least, float64(memory.Anonymous)}, err
		}
	}
	return cost{}, errors.New("no garbage was collected in a minute")
}

// abandoned is what remains of sessions that no client ended.
type abandoned struct {
	Sessions int     `json:"sessions"`
	Before   float64 `json:"before"` // anonymous memory at rest
	After    float64 `json:"after"`
	Waited   float64 `json:"waited_s"` // between the last session and the measurement
}

const (
	abandonedSessions = 30_000
	abandonGoal       = 20e6 // at most so many bytes more
	abandonClients    = 8
)

// abandon opens sessions in a row on a server with its default limits, and ends none. finish measures what they
// leave behind, much later: meanwhile other things can be measured.
func (o options) abandon(at place) (finish func() (*abandoned, error), err error) {
	say("%d abandoned sessions", abandonedSessions)
	server, err := startProgram(o.program, at, nil)
	if err != nil {
		return nil, err
	}
	before, err := atRest(server, math.Inf(1))
	if err == nil {
		err = abandonAll(target{server: server, path: "/mcp"})
	}
	if err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	began := time.Now()
	return func() (*abandoned, error) {
		say("what abandoned sessions left")
		after, err := atRest(server, before+abandonGoal)
		return &abandoned{abandonedSessions, before, after, time.Since(began).Seconds()}, errors.Join(err, server.Stop())
	}, nil
}

func abandonAll(of target) error {
	var wait sync.WaitGroup
	failures := make([]error, abandonClients)
	for i := range failures {
		wait.Go(func() { _, failures[i] = openSessions(of, abandonedSessions/abandonClients) })
	}
	wait.Wait()
	return errors.Join(failures...)
}

// atRest waits until a server holds about what it did ten seconds ago, and no more than enough, if that ever
// happens. The runtime returns memory slowly, and collects the remaining garbage after two idle minutes.
func atRest(server *process.Server, enough float64) (anonymous float64, err error) {
	const steady, longest = 10, 140
	var seen []float64
	for range longest {
		memory, err := server.Memory()
		if err != nil {
			return 0, err
		}
		seen = append(seen, float64(memory.Anonymous))
		last := len(seen) - 1
		if last >= steady && seen[last] <= enough && math.Abs(seen[last]/seen[last-steady]-1) < 0.01 {
			break
		}
		time.Sleep(time.Second)
	}
	return seen[len(seen)-1], nil
}
