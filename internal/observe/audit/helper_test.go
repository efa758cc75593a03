package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"obsidian-mcp/internal/fault"
)

// asWriter names the environment variable that turns the test binary into a
// writer of the log at the path it holds.
const asWriter = "OBSIDIAN_MCP_TEST_AUDIT_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(asWriter); path != "" {
		os.Exit(writeMany(path, os.Args[len(os.Args)-1]))
	}
	goleak.VerifyTestMain(m)
}

// writeMany writes lines of many lengths; it runs in several processes at once.
func writeMany(path, client string) int {
	l := Open(path, nil)
	for i := range manyLines {
		if l.Ready(context.Background()) != nil {
			return 1
		}
		line := Line{Client: client, Tool: "append_note", Kind: OK, DurationMS: int64(i), Paths: []string{strings.Repeat("x", i*7%900)}}
		if l.Write(context.Background(), line, i%50 == 0) != nil {
			return 2
		}
	}
	if l.Close() != nil {
		return 3
	}
	return 0
}

const manyLines = 300

// newLog opens a log in a temporary folder, and returns the server's own log too.
func newLog(t *testing.T) (*Log, *bytes.Buffer) {
	t.Helper()
	var logged bytes.Buffer
	l := Open(filepath.Join(t.TempDir(), "audit.jsonl"), slog.New(slog.NewTextHandler(&logged, nil)))
	t.Cleanup(func() { l.Close() })
	return l, &logged
}

// auditLine is a line that its number identifies.
func auditLine(n int) Line { return Line{Tool: "tool" + strconv.Itoa(n), Kind: OK} }

// read decodes the lines of a file, each of which must be intact.
func read(t *testing.T, path string) []Line {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(content) > 0 && !bytes.HasSuffix(content, []byte("\n")) {
		t.Fatalf("the last line of the file is torn: %q", content)
	}
	var lines []Line
	for text := range strings.Lines(string(content)) {
		var line Line
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("line %q: %v", text, err)
		}
		lines = append(lines, line)
	}
	return lines
}

// tools lists the tools that a file's lines name, in order.
func tools(t *testing.T, path string) string {
	t.Helper()
	var names []string
	for _, line := range read(t, path) {
		names = append(names, line.Tool)
	}
	return strings.Join(names, " ")
}

func mustBeReady(t *testing.T, l *Log) {
	t.Helper()
	if err := l.Ready(context.Background()); err != nil {
		t.Fatalf("not ready: %v", err)
	}
}

func mustWrite(t *testing.T, l *Log, line Line) {
	t.Helper()
	if err := l.Write(context.Background(), line, true); err != nil {
		t.Fatalf("not written: %v", err)
	}
}

// mustRefuse checks that Ready refuses a change with a helpful message that does
// not reveal the server's folders.
func mustRefuse(t *testing.T, l *Log, because string) {
	t.Helper()
	err := l.Ready(context.Background())
	if fault.KindOf(err) != fault.StoreUnavailable {
		t.Fatalf("Ready: %v", err)
	}
	const begin = "the audit log cannot be written, so nothing was changed: "
	text := err.Error()
	if !strings.HasPrefix(text, begin) || !strings.Contains(text, because) {
		t.Errorf("Ready: %q, want %q and %q in it", text, begin, because)
	}
	if strings.Contains(text, filepath.Dir(l.path)) || strings.Contains(text, "\n") {
		t.Errorf("Ready: %q names the folder or has more than one line", text)
	}
	if fault.HintOf(err) == "" {
		t.Error("the error has no hint")
	}
}

func noon() time.Time { return time.Date(2026, 11, 15, 12, 0, 0, 123456789, time.FixedZone("", 3600)) }
