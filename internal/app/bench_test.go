package app

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/program"
	"obsidian-mcp/internal/testkit/vaultgen"
)

// BenchmarkStart starts the program on a vault of VAULT_NOTES notes and waits
// for the answers to initialize and tools/list, which never wait for the index.
func BenchmarkStart(b *testing.B) {
	notes, err := strconv.Atoi(os.Getenv("VAULT_NOTES"))
	if err != nil {
		notes = 10_000
	}
	dir := filepath.Join(b.TempDir(), "vault")
	if err := vaultgen.Write(dir, vaultgen.Options{Notes: notes, Seed: 1}); err != nil {
		b.Fatal(err)
	}
	name, err := program.Path()
	if err != nil {
		b.Fatal(err)
	}
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
	cmd := testCommand(name, dir, b.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewReader(out)
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`)
	if _, err := lines.ReadString('\n'); err != nil {
		b.Fatal(err)
	}
	initialize = time.Since(began)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if _, err := lines.ReadString('\n'); err != nil {
		b.Fatal(err)
	}
	list = time.Since(began) - initialize
	in.Close()
	_, _ = io.Copy(io.Discard, lines)
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return initialize, list
}
