// Package ripgrep runs ripgrep on a folder, as an engine to compare with and as the reference for what a pattern
// matches.
package ripgrep

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/bench"
	"obsidian-mcp/bench/measure"
)

// Program is the path of a ripgrep.
type Program string

// Version returns ripgrep's version, such as "ripgrep 15.0.0".
func (p Program) Version() (string, error) {
	out, err := exec.Command(string(p), "--version").Output()
	line, _, _ := strings.Cut(string(out), "\n")
	return line, err
}

// Count counts the lines and files that a pattern matches, and measures the whole run: starting the process,
// walking, reading and matching.
func (p Program) Count(dir string, pattern bench.Pattern) (bench.Count, measure.Cost, error) {
	out, cost, err := p.run("--no-ignore", "--no-config", "-c", "-e", pattern.Expr, dir)
	if err != nil {
		return bench.Count{}, cost, fmt.Errorf("%s: %w", pattern.Name, err)
	}
	var found bench.Count
	for line := range bytes.Lines(out) {
		_, number, _ := strings.Cut(strings.TrimSpace(string(line[bytes.LastIndexByte(line, ':'):])), ":")
		lines, err := strconv.Atoi(number)
		if err != nil {
			return found, cost, fmt.Errorf("%s: unexpected line %q", pattern.Name, line)
		}
		found.Lines += lines
		found.Files++
	}
	return found, cost, nil
}

func (p Program) run(arguments ...string) ([]byte, measure.Cost, error) {
	command := exec.Command(string(p), arguments...)
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	began := time.Now()
	err := command.Run()
	wall := time.Since(began)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil // it found nothing, which is not an error
	}
	if err != nil {
		return nil, measure.Cost{}, fmt.Errorf("%w: %s", err, complaints.String())
	}
	state := command.ProcessState
	return out.Bytes(), measure.Cost{Wall: wall, CPU: state.UserTime() + state.SystemTime()}, nil
}

// Rewrite replaces a text in all files as a shell would, with sed, without waiting for the disk.
func (p Program) Rewrite(dir, from, to string) (measure.Cost, error) {
	script := `"$1" --no-ignore --no-config -l -0 -F -e "$2" "$4" | xargs -0 sed -i "s/$(printf %s "$2" | sed 's/[][]/\\&/g')/$3/g"`
	command := exec.Command("bash", "-euo", "pipefail", "-c", script, "rewrite", string(p), from, to, dir)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	began := time.Now()
	if err := command.Run(); err != nil {
		return measure.Cost{}, fmt.Errorf("rg -l | xargs sed -i: %w: %s", err, complaints.String())
	}
	state := command.ProcessState
	return measure.Cost{Wall: time.Since(began), CPU: state.UserTime() + state.SystemTime()}, nil
}
