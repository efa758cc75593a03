package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/testkit/program"

	"go.uber.org/goleak"
)

// asProgram makes the test binary run as the program itself. If it holds a path, the exit status is written there.
const asProgram = "OBSIDIAN_MCP_TEST_AS_PROGRAM"

// patientStart gives a test binary that runs as the program a minute for the first contact with a database: a busy
// machine may take longer than usual to derive keys from a passphrase.
const patientStart = "OBSIDIAN_MCP_TEST_PATIENT_START"

func TestMain(m *testing.M) {
	if path := os.Getenv(asProgram); path != "" {
		if os.Getenv(patientStart) != "" {
			probeTime = time.Minute
		}
		status := Main()
		if filepath.IsAbs(path) {
			if err := os.WriteFile(path, []byte(strconv.Itoa(status)), 0o644); err != nil {
				panic(err)
			}
		}
		os.Exit(status)
	}
	status := m.Run()
	if err := goleak.Find(); err != nil && status == 0 {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	program.Remove()
	os.Exit(status)
}

// programPath is the program that tests start as a process. Such tests are skipped with -short, except for TestScripts,
// where the test binary acts as the program.
func programPath(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the program")
	}
	name, err := program.Path()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// command is the command that runs the program on a vault.
func command(t *testing.T, vault string, args ...string) *exec.Cmd {
	t.Helper()
	return testCommand(programPath(t), vault, t.TempDir(), args...)
}

// testCommand runs a program without the settings of the user who runs the tests.
func testCommand(name, vault, home string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = []string{
		"OBSIDIAN_VAULT_PATH=" + vault, "OBSIDIAN_MCP_STATE_DIR=" + filepath.Join(home, "state"),
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LOG_LEVEL=warn",
	}
	return cmd
}

// client talks to the program over stdio.
type client struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan []byte
	early  []message // notifications that came before an answer
	stderr *logBuffer
	next   int
}

// message is an answer of the server.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	raw []byte
}

// start serves a vault over stdio. Settings are variables or flags.
func start(t *testing.T, vault string, settings ...string) *client {
	t.Helper()
	c := &client{t: t, cmd: command(t, vault, "stdio"), lines: make(chan []byte, 10000), stderr: new(logBuffer)}
	for _, setting := range settings {
		if strings.HasPrefix(setting, "--") {
			c.cmd.Args = append(c.cmd.Args, setting)
		} else {
			c.cmd.Env = append(c.cmd.Env, setting)
		}
	}
	c.cmd.Stderr = c.stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.lines)
		reader := bufio.NewReader(out)
		for {
			line, err := reader.ReadBytes('\n')
			if len(line) > 0 {
				c.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return c
}

// debugLog is the setting that awaitFollowing needs.
const debugLog = "LOG_LEVEL=debug"

// awaitFollowing waits until a server that was started with debugLog follows the changes of its folder.
func awaitFollowing(t *testing.T, stderr *logBuffer) {
	t.Helper()
	eventually(t, "changes are not followed", mode.Patience, func() bool { return strings.Contains(stderr.String(), "following changes") })
}

// initialize makes the handshake.
func (c *client) initialize(version string) message {
	c.t.Helper()
	answer := c.request("initialize", map[string]any{
		"protocolVersion": version, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	})
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return answer
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("the server does not listen: %v\n%s", err, c.stderr)
	}
}

// answer returns the next answer. Notifications that come before it are left for read.
func (c *client) answer() message {
	c.t.Helper()
	for {
		next := c.receive()
		if next.Method == "" {
			return next
		}
		c.early = append(c.early, next)
	}
}

// read returns the next message.
func (c *client) read() message {
	c.t.Helper()
	if len(c.early) > 0 {
		next := c.early[0]
		c.early = c.early[1:]
		return next
	}
	return c.receive()
}

// receive waits for a message, which must be JSON-RPC.
func (c *client) receive() message {
	c.t.Helper()
	select {
	case line, ok := <-c.lines:
		if !ok {
			c.t.Fatalf("the server has ended\n%s", c.stderr)
		}
		var answer message
		if err := json.Unmarshal(line, &answer); err != nil || !bytes.Contains(line, []byte(`"jsonrpc":"2.0"`)) {
			c.t.Fatalf("not a message on stdout: %q", line)
		}
		answer.raw = line
		return answer
	case <-time.After(mode.Patience):
		c.t.Fatalf("no answer\n%s", c.stderr)
		return message{}
	}
}

// request makes a call and waits for its answer. It skips other messages.
func (c *client) request(method string, params any) message {
	c.t.Helper()
	c.next++
	id := "t" + strconv.Itoa(c.next)
	encoded, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(string(encoded))
	for {
		answer := c.read()
		if string(answer.ID) == `"`+id+`"` {
			return answer
		}
	}
}

// toolResult is a result of tools/call.
type toolResult struct {
	Content           []contentItem
	StructuredContent json.RawMessage
	IsError           bool
	Meta              map[string]any `json:"_meta"`
}

// contentItem is a text of a result. Hints are annotated.
type contentItem struct {
	Type, Text  string
	Annotations struct{ Audience []string }
}

// shown joins the items that are not hints.
func (r toolResult) shown() string {
	text := ""
	for _, item := range r.Content {
		if len(item.Annotations.Audience) == 0 {
			text += item.Text
		}
	}
	return text
}

func (c *client) call(name string, arguments map[string]any) toolResult {
	c.t.Helper()
	answer := c.request("tools/call", map[string]any{"name": name, "arguments": arguments})
	if answer.Error != nil {
		c.t.Fatalf("%s: %s", name, answer.raw)
	}
	return decodeResult(c.t, answer)
}

func decodeResult(t *testing.T, answer message) toolResult {
	t.Helper()
	var result toolResult
	if err := json.Unmarshal(answer.Result, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

// end closes the input and waits for the process.
func (c *client) end() {
	c.t.Helper()
	c.in.Close()
	for range c.lines {
		continue
	}
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("the server ended with %v\n%s", err, c.stderr)
	}
}

// peakMemory is the most memory that the process has used, in bytes.
func (c *client) peakMemory() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int64
	fmt.Sscan(rest, &kilobytes)
	return kilobytes << 10
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
