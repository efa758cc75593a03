//go:build unix

package app

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/testkit/mode"
)

// maxMemory is the most memory that the server may use, whatever it is sent.
const maxMemory = 256 << 20

// buildFixture creates the tree of fixture.json, and returns its root and the vault's folder.
func buildFixture(t *testing.T) (base, vault string) {
	t.Helper()
	base = t.TempDir()
	content, err := os.ReadFile(cases.Path(t, "hostile/fixture.json"))
	if err != nil {
		t.Fatal(err)
	}
	var items []struct{ Type, Path, Content, Target string }
	if err := json.Unmarshal(content, &items); err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		path := filepath.Join(base, item.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		target := strings.ReplaceAll(item.Target, "{{BASE}}", base)
		switch item.Type {
		case "file":
			err = os.WriteFile(path, []byte(item.Content), 0o644)
		case "dir":
			err = os.MkdirAll(path, 0o755)
		case "symlink":
			err = os.Symlink(target, path)
		case "hardlink":
			err = os.Link(filepath.Join(base, target), path)
		case "fifo":
			err = syscall.Mkfifo(path, 0o644)
		case "socket":
			err = makeSocket(path)
		}
		if err != nil {
			t.Fatalf("%s: %v", item.Path, err)
		}
	}
	return base, filepath.Join(base, "vault")
}

// makeSocket creates a socket file. It binds elsewhere and moves the file, because the path may be too long to bind to.
func makeSocket(path string) error {
	dir, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
	if err != nil {
		return err
	}
	listener.SetUnlinkOnClose(false)
	listener.Close()
	return os.Rename(filepath.Join(dir, "s"), path)
}

// hostileServer is the program as one transport reaches it.
type hostileServer struct {
	caller sayer
	use    func(*testing.T) // sets the test that fails from now on
	peak   func() int64     // the most memory that it has used, in bytes
	end    func()           // stops it; it must exit without an error
	// worked is the processor time that it has used so far; 0 if the system does not say.
	worked func() time.Duration
}

// sayer sends messages as they are.
type sayer interface {
	rpcCaller
	// say sends a text, which need not be a valid message, and returns the answer.
	say(text string) message
}

// hostileTransports are all ways to reach the program.
func hostileTransports() map[string]func(t *testing.T, vault string) hostileServer {
	all := map[string]func(*testing.T, string) hostileServer{"stdio": overStdio}
	for _, transport := range rpcTransports {
		all[transport.name] = func(t *testing.T, vault string) hostileServer {
			s := startHTTP(t, vault, "OBSIDIAN_MCP_CONTEXT=off", "LOG_LEVEL=info")
			return hostileServer{
				transport.connect(s, ""), func(t *testing.T) { s.t = t },
				(&client{cmd: s.cmd}).peakMemory, s.stop, (&client{cmd: s.cmd}).processorTime,
			}
		}
	}
	return all
}

func overStdio(t *testing.T, vault string) hostileServer {
	c := start(t, vault, "OBSIDIAN_MCP_CONTEXT=off")
	c.initialize("2025-11-25")
	return hostileServer{c, func(t *testing.T) { c.t = t }, c.peakMemory, c.end, c.processorTime}
}

func (c *client) say(text string) message {
	c.t.Helper()
	c.send(text)
	return c.answer()
}

func (c *httpCaller) say(text string) message {
	c.server.t.Helper()
	answer := c.send(text)
	if c.post == "" || answer.Error != nil {
		return answer
	}
	for {
		select {
		case answer = <-c.events:
		case <-time.After(mode.Patience):
			c.server.t.Fatalf("%.300s: no answer\n%s", text, c.server.stderr)
		}
		if answer.Method == "" { // not a notification
			return answer
		}
	}
}

// callOver calls a tool.
func callOver(t *testing.T, over rpcCaller, tool string, arguments map[string]any) (result toolResult, raw string) {
	t.Helper()
	answer := over.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if answer.Error != nil {
		return toolResult{IsError: true}, string(answer.raw)
	}
	return decodeResult(t, answer), string(answer.raw)
}

// checkWork fails if the server has used too much processor time since it was measured before.
func (s hostileServer) checkWork(t *testing.T, before time.Duration) {
	t.Helper()
	if took := s.worked() - before; took > exploded {
		t.Errorf("the server worked for %v", took)
	}
}

// checkPeak fails if the server has used too much memory.
func (s hostileServer) checkPeak(t *testing.T) {
	t.Helper()
	peak := s.peak()
	t.Logf("peak memory %d MB", peak>>20)
	if peak > maxMemory {
		t.Errorf("the server needed %d MB", peak>>20)
	}
}
