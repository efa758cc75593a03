package app

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/vaultgen"
)

// BenchmarkStart starts the program on a vault of VAULT_NOTES notes and waits for the answers to initialize and tools/list,
// which never wait for the index.
func BenchmarkStart(b *testing.B) {
	notes, err := strconv.Atoi(os.Getenv("VAULT_NOTES"))
	if err != nil {
		notes = 10_000
	}
	dir := filepath.Join(b.TempDir(), "vault")
	if err := vaultgen.Write(dir, vaultgen.Options{Notes: notes, Seed: 1}); err != nil {
		b.Fatal(err)
	}
	name := programPath(b)
	b.ResetTimer()
	var initialize, list time.Duration
	for range b.N {
		began, listed := startOnce(b, name, dir)
		initialize, list = initialize+began, list+listed
	}
	b.ReportMetric(float64(initialize.Microseconds())/1000/float64(b.N), "ms/initialize")
	b.ReportMetric(float64(list.Microseconds())/1000/float64(b.N), "ms/tools-list")
}

func startOnce(b *testing.B, name, dir string) (initialize, list time.Duration) {
	began := time.Now()
	ask, end := benchServer(b, name, dir)
	ask(benchInitialize)
	initialize = time.Since(began)
	ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	list = time.Since(began) - initialize
	end()
	return initialize, list
}

const benchInitialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`

// benchServer runs a program on a vault. Call ask with a request to get its answer, and end to stop the program.
func benchServer(b *testing.B, name, dir string) (ask func(request string) string, end func()) {
	b.Helper()
	cmd := testCommand(name, dir, b.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewReader(out)
	ask = func(request string) string {
		fmt.Fprintln(in, request)
		answer, err := lines.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		return answer
	}
	return ask, func() {
		in.Close()
		_, _ = io.Copy(io.Discard, lines)
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOutsideChange edits a note behind the server's back, and waits until a tool shows the edit. SPEC allows half
// a second.
func BenchmarkOutsideChange(b *testing.B) {
	dir := b.TempDir()
	note := filepath.Join(dir, "Note.md")
	if err := os.WriteFile(note, []byte("# Start\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	ask, end := benchServer(b, programPath(b), dir)
	ask(benchInitialize)
	edit := func(i int) {
		if err := os.WriteFile(note, fmt.Appendf(nil, "# Edit %d\n", i), 0o644); err != nil {
			b.Fatal(err)
		}
		for !strings.Contains(ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_headings","arguments":{"name":"Note"}}}`), fmt.Sprintf("Edit %d", i)) {
			time.Sleep(time.Millisecond)
		}
	}
	edit(-1) // returns when the watches are set
	b.ResetTimer()
	for i := range b.N {
		edit(i)
	}
	b.StopTimer()
	end()
}
