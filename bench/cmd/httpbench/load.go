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

// sample is one turn of a server.
type sample struct {
	Calls     int     `json:"calls"`
	PerSecond float64 `json:"per_second"`
	P50       float64 `json:"p50_us"`
	P99       float64 `json:"p99_us"`
	CPU       float64 `json:"cpu_us"`      // of the server, a call
	Allocated float64 `json:"alloc_bytes"` // by the server, a call
}

// worker is a client that does the same thing again and again.
type worker struct {
	do    func() error
	close func()
}

// callers are clients that make a target's call.
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

// openers are clients that begin a session and end it.
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
	for _, one := range workers {
		one.close()
	}
}

// drive has the workers work for a while, and says what it took. The server's
// metrics are asked for outside of the time that is counted.
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

// allocatedBytes counts what a server has ever allocated.
const allocatedBytes = "go_memstats_alloc_bytes_total"

// workAll runs the workers side by side; each ends with the call that is under
// way at the end.
func workAll(workers []worker, end time.Time) ([]time.Duration, error) {
	var (
		mu     sync.Mutex // guards what follows
		all    []time.Duration
		failed error
		wait   sync.WaitGroup
	)
	for _, one := range workers {
		wait.Go(func() {
			took, err := one.work(end)
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
