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

// asWriter makes the test binary write lines to the log that it names.
const asWriter = "OBSIDIAN_MCP_TEST_AUDIT_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(asWriter); path != "" {
		os.Exit(writeMany(path, os.Args[len(os.Args)-1]))
	}
	goleak.VerifyTestMain(m)
}

// writeMany writes lines of many lengths, as one of several processes.
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

// newLog is a log in a folder of its own, and what the program logs of it.
func newLog(t *testing.T) (*Log, *bytes.Buffer) {
	t.Helper()
	var told bytes.Buffer
	l := Open(filepath.Join(t.TempDir(), "audit.jsonl"), slog.New(slog.NewTextHandler(&told, nil)))
	t.Cleanup(func() { l.Close() })
	return l, &told
}

// line is the line of a call that can be told from others.
func auditLine(n int) Line { return Line{Tool: "tool" + strconv.Itoa(n), Kind: OK} }

// read is the lines of a file: each must be whole, and valid.
func read(t *testing.T, path string) []Line {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(content) > 0 && !bytes.HasSuffix(content, []byte("\n")) {
		t.Fatalf("the file ends within a line: %q", content)
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

// tools are the tools of the lines of a file, in order.
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

// mustRefuse checks that a change would be refused, in words that help and
// that say nothing of the server's folders.
func mustRefuse(t *testing.T, l *Log, because string) {
	t.Helper()
	err := l.Ready(context.Background())
	if fault.KindOf(err) != fault.StoreUnavailable {
		t.Fatalf("Ready: %v", err)
	}
	const begin = "the audit log cannot be written, so nothing was changed: "
	if text := err.Error(); !strings.HasPrefix(text, begin) || !strings.Contains(text, because) || strings.Contains(text, filepath.Dir(l.path)) || strings.Contains(text, "\n") {
		t.Errorf("Ready says %q, which should tell of %q", text, because)
	}
	if fault.HintOf(err) == "" {
		t.Error("nothing says what to do about it")
	}
}

func noon() time.Time { return time.Date(2026, 11, 15, 12, 0, 0, 123456789, time.FixedZone("", 3600)) }
