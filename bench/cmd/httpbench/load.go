package main

import (
	"errors"
	"slices"
	"sync"
	"time"

	"obsidian-mcp/bench/internal/process"
	"obsidian-mcp/bench/internal/rawmcp"
	"obsidian-mcp/bench/measure"
)

// sample is a turn of a server.
type sample struct {
	Calls     int     `json:"calls"`
	PerSecond float64 `json:"per_second"`
	P50       float64 `json:"p50_us"`
	P99       float64 `json:"p99_us"`
	CPU       float64 `json:"cpu_us"`      // of the server, per call
	Allocated float64 `json:"alloc_bytes"` // by the server, per call
}

// worker is a client that does the same thing repeatedly.
type worker struct {
	do    func() error
	close func()
}

// callers returns clients that make a target's call.
func callers(of target, era rawmcp.Era, count int) ([]worker, error) {
	var all []worker
	for range count {
		client, err := rawmcp.Connect(of.server.Addr, of.path, era)
		if err != nil {
			closeAll(all)
			return nil, err
		}
		all = append(all, worker{
			do:    func() error { _, err := client.Call(of.call); return err },
			close: func() { endQuietly(client) },
		})
	}
	return all, nil
}

// openers returns clients that open a session and end it.
func openers(of target, count int) ([]worker, error) {
	var all []worker
	for range count {
		conn, err := rawmcp.Dial(of.server.Addr)
		if err != nil {
			closeAll(all)
			return nil, err
		}
		client := &rawmcp.Client{Conn: conn, Path: of.path, Era: rawmcp.Sessions}
		all = append(all, worker{do: func() error { return errors.Join(client.Begin(), client.End()) }, close: conn.Close})
	}
	return all, nil
}

func endQuietly(client *rawmcp.Client) {
	if client.Session != "" {
		_ = client.End()
	}
	client.Conn.Close()
}

func closeAll(workers []worker) {
	for _, worker := range workers {
		worker.close()
	}
}

// drive lets the workers work for a while, and measures what it took. The server's metrics are read outside of the
// measured time.
func drive(server *process.Server, workers []worker, slice time.Duration) (sample, error) {
	before, err := server.Metrics()
	if err != nil {
		return sample{}, err
	}
	took, cost, err := driveTimed(server, workers, slice)
	if err != nil {
		return sample{}, err
	}
	after, err := server.Metrics()
	calls := float64(len(took))
	slices.Sort(took)
	rank := func(share float64) float64 {
		return float64(took[min(int(share*calls), len(took)-1)].Nanoseconds()) / 1000
	}
	return sample{
		Calls: len(took), PerSecond: calls / cost.Wall.Seconds(), P50: rank(0.5), P99: rank(0.99),
		CPU: float64(cost.CPU.Nanoseconds()) / 1000 / calls, Allocated: (after[allocatedBytes] - before[allocatedBytes]) / calls,
	}, err
}

func driveTimed(server *process.Server, workers []worker, slice time.Duration) ([]time.Duration, measure.Cost, error) {
	cpu, err := server.CPU()
	if err != nil {
		return nil, measure.Cost{}, err
	}
	began := time.Now()
	took, err := workAll(workers, began.Add(slice))
	wall := time.Since(began)
	cpuAfter, failure := server.CPU()
	return took, measure.Cost{Wall: wall, CPU: cpuAfter - cpu}, errors.Join(err, failure)
}

// allocatedBytes returns how much a server has ever allocated.
const allocatedBytes = "go_memstats_alloc_bytes_total"

// workAll runs the workers concurrently; each finishes the call that is under way at the end.
func workAll(workers []worker, end time.Time) ([]time.Duration, error) {
	var (
		mu     sync.Mutex // guards what follows
		all    []time.Duration
		failed error
		wait   sync.WaitGroup
	)
	for _, worker := range workers {
		wait.Go(func() {
			took, err := worker.work(end)
			mu.Lock()
			defer mu.Unlock()
			all, failed = append(all, took...), errors.Join(failed, err)
		})
	}
	wait.Wait()
	return all, failed
}

func (w worker) work(end time.Time) ([]time.Duration, error) {
	took := make([]time.Duration, 0, 4096)
	for now := time.Now(); now.Before(end) || len(took) == 0; {
		if err := w.do(); err != nil {
			return took, err
		}
		after := time.Now()
		took = append(took, after.Sub(now))
		now = after
	}
	return took, nil
}
