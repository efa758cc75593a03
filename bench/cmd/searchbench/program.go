package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"obsidian-mcp/bench/corpus"
	"obsidian-mcp/bench/measure"
)

// memory starts the real program twice on the vault, first without a cache and then with the cache of the first
// start, makes it search, and measures its memory.
func (r *run) memory() error {
	if r.program == "" {
		r.remark("The program's memory was not measured: it has not been built.")
		return nil
	}
	home := filepath.Join(r.work, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	peak, _, err := r.serve(home)
	if err != nil {
		return err
	}
	r.bytes("program/build-peak", peak.Anonymous)
	r.bytes("program/build-peak-resident", peak.Resident)
	_, warm, err := r.serve(home)
	if err != nil {
		return err
	}
	r.bytes("program/warm", warm.Anonymous)
	r.bytes("program/warm-resident", warm.Resident)
	return nil
}

// longestSettling is how long an index may take to be complete.
const longestSettling = 5 * time.Minute

// serve runs the program until it has answered and is idle.
func (r *run) serve(home string) (peak, after measure.Memory, err error) {
	command := exec.Command(r.program, "stdio")
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "OBSIDIAN_VAULT_PATH=" + r.corpus.Dir, "LOG_LEVEL=error",
		"XDG_CACHE_HOME=" + home + "/cache", "XDG_STATE_HOME=" + home + "/state", "XDG_CONFIG_HOME=" + home + "/config",
	}
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return peak, after, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return peak, after, err
	}
	if err := command.Start(); err != nil {
		return peak, after, err
	}
	stop, most := make(chan struct{}), make(chan measure.Memory, 1)
	go func() { most <- measure.Peak(command.Process.Pid, stop) }()
	err = askProgram(in, bufio.NewReader(out))
	if err == nil {
		err = measure.Settle(command.Process.Pid, longestSettling)
	}
	after, failure := measure.MemoryOf(command.Process.Pid)
	close(stop)
	peak = <-most
	in.Close()
	_, _ = io.Copy(io.Discard, out) // until it ends
	return peak, after, errors.Join(err, failure, command.Wait())
}

// askProgram opens a session and makes a search that needs the whole index.
func askProgram(in io.Writer, out *bufio.Reader) error {
	for _, request := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"searchbench","version":"0"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_notes","arguments":{"query":"` + corpus.Hub + `"}}}`,
	} {
		if _, err := fmt.Fprintln(in, request); err != nil {
			return err
		}
		if !strings.Contains(request, `"id"`) {
			continue
		}
		answer, err := out.ReadString('\n')
		if err != nil {
			return err
		}
		if strings.Contains(answer, `"error":`) || strings.Contains(answer, `"isError":true`) {
			return fmt.Errorf("the program refused: %s", answer)
		}
	}
	return nil
}
