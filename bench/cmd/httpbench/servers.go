package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"obsidian-mcp/bench/internal/echo"
	"obsidian-mcp/bench/internal/process"
	"obsidian-mcp/bench/internal/rawmcp"
	"obsidian-mcp/internal/testkit/vaultgen"
)

// place is where a generated vault and the state of servers are.
type place struct{ vault, home string }

// sizedNote is the name of the note that is read, as large as the echo's answer.
const sizedNote = "Sized"

func makePlace(work string, notes int) (place, error) {
	made := place{vault: filepath.Join(work, "vault"), home: filepath.Join(work, "home")}
	say("making a vault of %d notes", notes)
	if err := vaultgen.Write(made.vault, vaultgen.Options{Notes: notes, Seed: 1}); err != nil {
		return made, err
	}
	if err := os.WriteFile(filepath.Join(made.vault, sizedNote+".md"), []byte(sizedText()), 0o644); err != nil {
		return made, err
	}
	return made, os.MkdirAll(made.home, 0o700)
}

// sizedText returns prose of exactly that size.
func sizedText() string {
	line := "One line of this note says about as much as the next, and [[Hub]] is linked from each.\n"
	text := "# " + sizedNote + "\n\n" + strings.Repeat(line, echo.Size/len(line)+1)
	return text[:echo.Size-1] + "\n"
}

// limits are settings of the program.
type limits map[string]string

// unlimited keeps limits out of what is measured.
var unlimited = limits{
	"OBSIDIAN_MCP_MAX_CONNECTIONS": "20000", "OBSIDIAN_MCP_MAX_CONNECTIONS_PER_ADDRESS": "20000",
	"OBSIDIAN_MCP_MAX_SESSIONS": "100000", "OBSIDIAN_MCP_MAX_IN_FLIGHT": "1000", "OBSIDIAN_MCP_MAX_IN_FLIGHT_PER_SESSION": "1000",
	"OBSIDIAN_MCP_RATE_CALLS": "0", "OBSIDIAN_MCP_RATE_WRITES": "0",
}

// startProgram starts a build of the program on the vault.
func startProgram(program string, at place, settings limits) (*process.Server, error) {
	addr, err := process.FreeAddr()
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	command := exec.Command(program, "http")
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + at.home, "OBSIDIAN_VAULT_PATH=" + at.vault, "VAULT_ID=bench", "LOG_LEVEL=error",
		"XDG_CACHE_HOME=" + at.home + "/cache", "XDG_STATE_HOME=" + at.home + "/state", "XDG_CONFIG_HOME=" + at.home + "/config",
		"HOST=" + host, "PORT=" + port, "OBSIDIAN_MCP_METRICS=true",
	}
	for name, value := range settings {
		command.Env = append(command.Env, name+"="+value)
	}
	return process.Start(command, addr)
}

// settled is the age from which a file that looks unchanged counts as unchanged.
const settled = 3 * time.Second

// fillCache makes the program read the vault once, so that every later start finds the index in its cache, and no
// figure includes a first start.
func fillCache(program string, at place) error {
	time.Sleep(settled) // files written a moment ago are read again
	server, err := startProgram(program, at, nil)
	if err != nil {
		return err
	}
	return errors.Join(server.Settle(time.Minute), server.Stop())
}

// startEcho starts this command as the echo server.
func startEcho() (*process.Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	addr, err := process.FreeAddr()
	if err != nil {
		return nil, err
	}
	return process.Start(exec.Command(self, echoFlag, addr), addr)
}

// target is something to call: a server, and a way to call it.
type target struct {
	name   string
	server *process.Server
	path   string
	call   rawmcp.Message
}

var (
	echoCall = rawmcp.CallTool("echo", `{"text":"Sized"}`)
	readCall = rawmcp.CallTool("read_note", `{"name":"Sized"}`)
	listCall = rawmcp.Message{Method: "tools/list"}
	findCall = rawmcp.CallTool("find_notes", `{"query":"part hub"}`)
)

// servers are all servers that run side by side.
type servers struct {
	echo   *process.Server
	builds []target // the program first, then the builds to compare with
}

func (o options) startAll(at place, settings limits) (*servers, error) {
	s := &servers{}
	var err error
	if s.echo, err = startEcho(); err != nil {
		return nil, err
	}
	for _, build := range append([]build{{ours, o.program}}, o.beside...) {
		server, err := startProgram(build.program, at, settings)
		if err != nil {
			s.stop()
			return nil, fmt.Errorf("%s: %w", build.name, err)
		}
		s.builds = append(s.builds, target{name: build.name, server: server, path: "/mcp"})
	}
	return s, nil
}

// ours is the name of the program in tables.
const ours = "obsidian-mcp"

func (s *servers) stop() {
	for _, build := range s.builds {
		if err := build.server.Stop(); err != nil {
			say("%s: %v", build.name, err)
		}
	}
	if err := s.echo.Stop(); err != nil {
		say("echo: %v", err)
	}
}

// calling returns the builds with a call to make.
func (s *servers) calling(call rawmcp.Message) []target {
	var targets []target
	for _, build := range s.builds {
		build.call = call
		targets = append(targets, build)
	}
	return targets
}
