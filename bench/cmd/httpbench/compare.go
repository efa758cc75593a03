package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"obsidian-mcp/bench/internal/echo"
	"obsidian-mcp/bench/internal/rawmcp"
)

// results are the results of a run.
type results struct {
	Machine   string      `json:"machine"`
	Settings  string      `json:"settings"`
	Groups    []group     `json:"groups"`
	Memory    []footprint `json:"memory"`
	Abandoned *abandoned  `json:"abandoned,omitempty"`
}

// group is a comparison: the same work for several servers, in turns.
type group struct {
	About   string `json:"about"`
	Era     string `json:"era,omitempty"`
	Clients int    `json:"clients"`
	Rows    []row  `json:"rows"` // the others are compared with the first
}

// row is a server of a group, with its turns.
type row struct {
	Name  string   `json:"name"`
	Turns []sample `json:"turns"`
}

// crowd are the numbers of clients that are measured.
var crowd = []int{1, 64}

func (o options) compare(at place) (*results, error) {
	found := &results{
		Machine:  fmt.Sprintf("%d cores, %s/%s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version()),
		Settings: fmt.Sprintf("%d rounds of %v", o.rounds, o.slice),
	}
	finish := func() (*abandoned, error) { return nil, nil }
	if o.wants("abandoned") {
		var err error
		if finish, err = o.abandon(at); err != nil {
			return nil, fmt.Errorf("abandoned: %w", err)
		}
	}
	err := o.runParts(at, found)
	left, failure := finish()
	found.Abandoned = left
	return found, errors.Join(err, failure)
}

func (o options) runParts(at place, found *results) error {
	for _, part := range []struct {
		name string
		run  func(place, *results) error
	}{
		{"calls", o.side(o.calls)}, {"sessions", o.side(o.sessions)}, {"others", o.side(o.others)},
		{"memory", o.memory},
	} {
		if !o.wants(part.name) {
			continue
		}
		if err := part.run(at, found); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// side runs servers side by side for a part.
func (o options) side(part func(*servers, *results) error) func(place, *results) error {
	return func(at place, found *results) error {
		running, err := o.startAll(at, unlimited)
		if err != nil {
			return err
		}
		defer running.stop()
		return part(running, found)
	}
}

// calls compares reading a note with the echo, in both eras.
func (o options) calls(running *servers, found *results) error {
	for _, era := range []struct {
		version      rawmcp.Era
		events, json string
	}{{rawmcp.Sessions, echo.Events, echo.JSON}, {rawmcp.Sessionless, echo.Sessionless, echo.SessionlessJSON}} {
		for _, clients := range crowd {
			targets := append([]target{
				{"echo, events", running.echo, era.events, echoCall},
				{"echo, JSON", running.echo, era.json, echoCall},
			}, running.calling(readCall)...)
			if err := o.take(found, group{About: "read_note of 2 KB", Era: string(era.version), Clients: clients}, targets, o.callers(era.version, clients)); err != nil {
				return err
			}
		}
	}
	return nil
}

// sessions compares opening and ending sessions.
func (o options) sessions(running *servers, found *results) error {
	for _, clients := range crowd {
		targets := append([]target{
			{"echo, events", running.echo, echo.Events, echoCall}, {"echo, JSON", running.echo, echo.JSON, echoCall},
		}, running.calling(rawmcp.Message{})...)
		open := func(of target) ([]worker, error) { return openers(of, clients) }
		if err := o.take(found, group{About: "a session begun and ended", Era: string(rawmcp.Sessions), Clients: clients}, targets, open); err != nil {
			return err
		}
	}
	return nil
}

// others measures calls without a counterpart, for information.
func (o options) others(running *servers, found *results) error {
	for _, call := range []rawmcp.Message{listCall, findCall} {
		about := call.Method
		if call.Name != "" {
			about = call.Name
		}
		for _, clients := range crowd {
			if err := o.take(found, group{About: about, Era: string(rawmcp.Sessions), Clients: clients}, running.calling(call), o.callers(rawmcp.Sessions, clients)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o options) callers(era rawmcp.Era, clients int) func(target) ([]worker, error) {
	return func(of target) ([]worker, error) { return callers(of, era, clients) }
}

// warmUp is how long each server works before its turns count.
const warmUp = 300 * time.Millisecond

// take measures a group: each round gives every server a turn, in an order that alternates.
func (o options) take(found *results, about group, targets []target, prepare func(target) ([]worker, error)) error {
	say("%s, %s, %d clients", about.About, about.Era, about.Clients)
	workers := make([][]worker, len(targets))
	for i, target := range targets {
		made, err := prepare(target)
		if err != nil {
			return fmt.Errorf("%s: %w", target.name, err)
		}
		defer closeAll(made)
		if _, err := drive(target.server, made, warmUp); err != nil {
			return fmt.Errorf("%s: %w", target.name, err)
		}
		workers[i] = made
		about.Rows = append(about.Rows, row{Name: target.name})
	}
	for round := range o.rounds {
		for _, i := range turns(round, len(targets)) {
			turn, err := drive(targets[i].server, workers[i], o.slice)
			if err != nil {
				return fmt.Errorf("%s: %w", targets[i].name, err)
			}
			about.Rows[i].Turns = append(about.Rows[i].Turns, turn)
		}
	}
	found.Groups = append(found.Groups, about)
	return nil
}

// turns is the order of a round: forwards, then backwards.
func turns(round, count int) []int {
	order := make([]int, count)
	for i := range order {
		order[i] = i
	}
	if round%2 == 1 {
		slices.Reverse(order)
	}
	return order
}
