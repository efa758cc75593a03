package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"obsidian-mcp/bench"
	"obsidian-mcp/bench/measure"
)

// childFlag starts this command as a child: a fresh process that does a single thing once, so that start-up and
// memory are those of that thing alone.
const childFlag = "-child"

// order is what a child has to do; it comes on standard input.
type order struct {
	Step    string
	Engine  string
	Place   bench.Place
	Query   bench.Query
	Pattern bench.Pattern
}

// outcome is the child's answer.
type outcome struct {
	Cost  measure.Cost
	After measure.Memory // when it was done
}

// steps are what a child can do; time is measured from call to return.
var steps = map[string]func(order, bench.Maker) error{
	"build":     func(do order, maker bench.Maker) error { return maker.Build(do.Place) },
	"open":      openAndAsk,
	"cold-grep": coldGrep,
	"verified":  openVerified,
}

func serveChild(in io.Reader, out io.Writer) error {
	var do order
	if err := json.NewDecoder(in).Decode(&do); err != nil {
		return err
	}
	step, known := steps[do.Step]
	if !known {
		return fmt.Errorf("unknown step %q", do.Step)
	}
	for _, maker := range append(anchors(), bench.Ours()) {
		if maker.Name != do.Engine {
			continue
		}
		cost, err := measure.Of(func() error { return step(do, maker) })
		if err != nil {
			return fmt.Errorf("%s %s: %w", do.Engine, do.Step, err)
		}
		after, err := measure.MemoryOf(0)
		return errors.Join(err, json.NewEncoder(out).Encode(outcome{cost, after}))
	}
	return fmt.Errorf("unknown engine %q", do.Engine)
}

// openAndAsk leaves the engine open, so that memory is measured with an engine at work.
func openAndAsk(do order, maker bench.Maker) error {
	engine, err := maker.Open(do.Place)
	if err != nil {
		return err
	}
	_, err = engine.Search(do.Query, topTen)
	return err
}

func coldGrep(do order, _ bench.Maker) error {
	ours, err := bench.OpenOurs(do.Place)
	if err != nil {
		return err
	}
	_, err = ours.Grep(do.Pattern, bench.Indexed)
	return err
}

func openVerified(do order, _ bench.Maker) error {
	ours, err := bench.OpenOurs(do.Place)
	if err != nil {
		return err
	}
	return ours.Verified()
}

// inChild runs a step in a child and watches its memory.
func inChild(do order) (outcome, measure.Memory, error) {
	var result outcome
	program, err := os.Executable()
	if err != nil {
		return result, measure.Memory{}, err
	}
	sent, err := json.Marshal(do)
	if err != nil {
		return result, measure.Memory{}, err
	}
	command := exec.Command(program, childFlag)
	var out bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(sent), &out, os.Stderr
	if err := command.Start(); err != nil {
		return result, measure.Memory{}, err
	}
	stop, peak := make(chan struct{}), make(chan measure.Memory, 1)
	go func() { peak <- measure.Peak(command.Process.Pid, stop) }()
	err = command.Wait()
	close(stop)
	most := <-peak
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &result)
	}
	return result, most, err
}
