package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"obsidian-mcp/bench/internal/process"
	"obsidian-mcp/bench/internal/rawmcp"
)

// settings are environment variables of the program.
type settings []string

// inFolder returns the settings for a vault in a folder.
func inFolder(dir string) settings { return settings{"OBSIDIAN_VAULT_PATH=" + dir} }

// at returns the settings for a vault in a database at some address.
func (d *database) at(address string, more ...string) settings {
	return append(settings{
		"COUCHDB_BASE_URL=" + address, "COUCHDB_DATABASE_NAME=" + d.name, "COUCHDB_USER=" + user, "COUCHDB_PASSWORD=" + password,
		"VAULT_PASSPHRASE=" + passphrase,
	}, more...)
}

// keepContents is the setting that keeps contents for the next start.
const keepContents = "OBSIDIAN_MCP_LIVESYNC_CACHE=on"

// start starts the program, whose home is a folder of that name, and waits until it is ready: listed and
// searchable.
func (b *bench) start(home string, given settings) (*process.Server, error) {
	addr, err := process.FreeAddr()
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	home = filepath.Join(b.work, home)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	command := exec.Command(b.program, "http")
	command.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "VAULT_ID=bench", "LOG_LEVEL=error",
		"XDG_CACHE_HOME=" + home + "/cache", "XDG_STATE_HOME=" + home + "/state", "XDG_CONFIG_HOME=" + home + "/config",
		"HOST=" + host, "PORT=" + port, "OBSIDIAN_MCP_METRICS=true", "OBSIDIAN_MCP_RATE_CALLS=0", "OBSIDIAN_MCP_RATE_WRITES=0",
	}, given...)
	return process.Start(command, addr)
}

// peak returns the most memory that a process ever had, as the kernel counts it.
func peak(of *process.Server) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", of.PID()))
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(text), "VmHWM:")
	if fields := strings.Fields(rest); found && len(fields) > 0 {
		kilobytes, err := strconv.ParseInt(fields[0], 10, 64)
		return kilobytes << 10, err
	}
	return 0, fmt.Errorf("the kernel reports no peak for process %d", of.PID())
}

// connect returns a client that calls without a session.
func connect(to *process.Server) (*rawmcp.Client, error) {
	return rawmcp.Connect(to.Addr, "/mcp", rawmcp.Sessionless)
}

// arguments are those of a tool.
type arguments map[string]any

// call calls a tool, and returns the answer's text.
func call(client *rawmcp.Client, tool string, given arguments) (string, error) {
	encoded, err := json.Marshal(given)
	if err != nil {
		return "", err
	}
	answer, err := client.Call(rawmcp.CallTool(tool, string(encoded)))
	return string(answer.Body), err
}

// finds reports whether some note contains a word.
func finds(client *rawmcp.Client, word string) (bool, error) {
	text, err := call(client, "find_notes", arguments{"query": word, "exists_only": true})
	return strings.Contains(text, `"exists":true`) || strings.Contains(text, `\"exists\":true`), err
}
