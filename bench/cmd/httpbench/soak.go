package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"obsidian-mcp/bench/internal/process"
	"obsidian-mcp/bench/internal/rawmcp"
)

// soakLimits make abandoned sessions give way within the time of a soak, and expire soon after it. There are always
// more of them than the limit allows, however fast the machine is at the moment, so that their number stays the
// same.
var soakLimits = limits{
	"OBSIDIAN_MCP_MAX_SESSIONS": "40", "OBSIDIAN_MCP_SESSION_IDLE": "20s",
	"OBSIDIAN_MCP_MAX_CONNECTIONS_PER_ADDRESS": "200",
}

// abandonEvery is how often a visitor abandons a session.
const abandonEvery = 3 * time.Second

// expiry is when nothing is left of a load: abandoned sessions expire, and answers that a client might still come
// back for are kept for two minutes.
const expiry = 135 * time.Second

// reading is a measurement of the server.
type reading struct {
	Minute      float64 `json:"minute"`
	Goroutines  float64 `json:"goroutines"`
	Descriptors float64 `json:"descriptors"`
	Heap        float64 `json:"heap_mb"`
	Resident    float64 `json:"resident_mb"`
	Sessions    float64 `json:"sessions"`
	Calls       int64   `json:"calls"`
	Errors      int64   `json:"errors"`
}

// runSoak puts the program under a mixed load, and fails if it grows. A short first load fills what is filled once;
// the measurements at rest after it and at the end must be alike.
func (o options) runSoak(at place) error {
	server, err := startProgram(o.program, at, soakLimits)
	if err != nil {
		return err
	}
	report, err := o.soakServer(server)
	if err := errors.Join(err, server.Stop()); err != nil {
		return err
	}
	report.print(os.Stdout)
	if o.svg != "" {
		if err := report.draw(o.svg); err != nil {
			return err
		}
	}
	return report.verdict()
}

func (o options) soakServer(server *process.Server) (*soakReport, error) {
	warm := min(o.soak/4, 30*time.Second)
	say("warming up for %v", warm)
	if _, err := o.load(server, newTally(), warm); err != nil {
		return nil, err
	}
	before, err := resting(server)
	if err != nil {
		return nil, err
	}
	say("mixed load for %v", o.soak)
	tally := newTally()
	readings, err := o.load(server, tally, o.soak)
	if err != nil {
		return nil, err
	}
	after, err := resting(server)
	return &soakReport{Clients: o.clients, Took: o.soak, Readings: readings, Before: before, After: after, Tally: tally}, err
}

// load lets the clients visit the server for a while, and measures the server meanwhile.
func (o options) load(server *process.Server, tally *tally, lasting time.Duration) ([]reading, error) {
	end := time.Now().Add(lasting)
	var wait sync.WaitGroup
	for i := range o.clients {
		visitor := newVisitor(server.Addr, i, tally)
		wait.Go(func() { visitor.visitUntil(end) })
	}
	readings, err := watch(server, tally, lasting)
	wait.Wait()
	return readings, err
}

// watch measures the server every five seconds, in short loads more often.
func watch(server *process.Server, tally *tally, lasting time.Duration) ([]reading, error) {
	every := min(max(lasting/120, 500*time.Millisecond), 5*time.Second)
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	var readings []reading
	for began := time.Now(); time.Since(began) < lasting-every/2; {
		<-ticks.C
		reading, err := look(server)
		if err != nil {
			return nil, err
		}
		reading.Minute, reading.Calls, reading.Errors = time.Since(began).Minutes(), tally.calls.Load(), tally.errors.Load()
		readings = append(readings, reading)
	}
	return readings, nil
}

// look takes a reading.
func look(server *process.Server) (reading, error) {
	figures, err := server.Metrics()
	if err != nil {
		return reading{}, err
	}
	if figures[goroutines] == 0 || figures[heapInUse] == 0 {
		return reading{}, errors.New("/metrics has no figures for goroutines or heap")
	}
	descriptors, err := server.Descriptors()
	if err != nil {
		return reading{}, err
	}
	memory, err := server.Memory()
	return reading{
		Goroutines: figures[goroutines], Descriptors: float64(descriptors),
		Heap: figures[heapInUse] / 1e6, Resident: float64(memory.Resident) / 1e6, Sessions: figures[openSessionCount],
	}, err
}

// Names of metrics.
const (
	goroutines       = "go_goroutines"
	heapInUse        = "go_memstats_heap_inuse_bytes"
	openSessionCount = "obsidian_mcp_sessions"
)

// resting measures the server once nothing is left of a load; its heap is what is live, without garbage.
func resting(server *process.Server) (reading, error) {
	say("waiting %v until nothing is kept", expiry)
	time.Sleep(expiry)
	of := target{server: server, path: "/mcp"}
	stirrer, err := rawmcp.Connect(server.Addr, of.path, rawmcp.Sessions)
	if err != nil {
		return reading{}, err
	}
	live, err := held(of, stirrer)
	endQuietly(stirrer)
	if err != nil {
		return reading{}, err
	}
	if err := server.Settle(expiry); err != nil {
		return reading{}, err
	}
	now, err := look(server)
	now.Heap = live.Live / 1e6
	return now, err
}

// verdict returns an error if the server grew or failed.
func (r *soakReport) verdict() error {
	var found []error
	for _, trend := range r.trends() {
		if trend.grows() {
			found = append(found, fmt.Errorf("%s grew from %.1f to %.1f under load", trend.name, trend.first, trend.last))
		}
		if trend.left() {
			found = append(found, fmt.Errorf("%s at rest grew from %.1f to %.1f", trend.name, trend.before, trend.after))
		}
	}
	if errors := r.Tally.errors.Load(); errors > 0 {
		found = append(found, fmt.Errorf("%d calls failed", errors))
	}
	return errors.Join(found...)
}
