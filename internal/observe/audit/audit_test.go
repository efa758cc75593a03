package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/skip"
)

func TestNilLogIsAlwaysReady(t *testing.T) {
	var l *Log
	if l.Ready(t.Context()) != nil || l.Write(t.Context(), Line{}, true) != nil || l.Close() != nil {
		t.Error("a nil log returned an error")
	}
}

func TestFileIsPrivate(t *testing.T) {
	skip.OnWindows(t, "files have no modes there, and folders pass on their permissions")
	l, logged := newLog(t)
	parent := filepath.Join(filepath.Dir(l.path), "parent")
	l.path = filepath.Join(parent, "folder", "audit.jsonl")
	mustBeReady(t, l)
	for name, want := range map[string]os.FileMode{parent: os.ModeDir | 0o700, filepath.Dir(l.path): os.ModeDir | 0o700, l.path: 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want || !info.IsDir() && info.Size() != 0 {
			t.Errorf("%s: mode %v of %d bytes, want %v", name, info.Mode(), info.Size(), want)
		}
	}
	if logged.Len() > 0 {
		t.Errorf("logged: %s", logged)
	}
}

func TestFileWritableByOthersIsReportedOnce(t *testing.T) {
	skip.OnWindows(t, "files have no modes there, and folders pass on their permissions")
	l, logged := newLog(t)
	if err := os.WriteFile(l.path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(l.path, 0o666); err != nil {
		t.Fatal(err)
	}
	mustBeReady(t, l)
	mustBeReady(t, l)
	if got := strings.Count(logged.String(), "other users may write to the audit log"); got != 1 {
		t.Errorf("logged %d times: %s", got, logged)
	}
}

func TestLinesAreWrittenInOrder(t *testing.T) {
	l, _ := newLog(t)
	for n := range 5 {
		mustBeReady(t, l)
		mustWrite(t, l, auditLine(n))
	}
	if got, want := tools(t, l.path), "tool0 tool1 tool2 tool3 tool4"; got != want {
		t.Errorf("the file has %s, want %s", got, want)
	}
}

func TestCancelledCallIsLogged(t *testing.T) {
	l, logged := newLog(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Write(ctx, auditLine(1), true); err != nil || tools(t, l.path) != "tool1" {
		t.Errorf("line of a cancelled call: %v", err)
	}
	if err := l.Ready(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Ready of a cancelled call: %v, want context.Canceled", err)
	}
	if logged.Len() > 0 {
		t.Errorf("logged: %s", logged)
	}
}

// TestRotation rotates the log in the ways that rotation programs do: moving the file, removing it, and
// copying and emptying it.
func TestRotation(t *testing.T) {
	tests := []struct {
		name   string
		rotate func(path string) error
		moved  string // the tools in the file that was moved away
		stays  string // the tools in the file at the log's path
	}{
		{"moved", func(path string) error { return os.Rename(path, path+".1") }, "tool1", "tool2"},
		{"moved and created", func(path string) error {
			if err := os.Rename(path, path+".1"); err != nil {
				return err
			}
			return os.WriteFile(path, nil, 0o600)
		}, "tool1", "tool2"},
		{"removed", os.Remove, "", "tool2"},
		{"emptied", func(path string) error { return os.Truncate(path, 0) }, "", "tool2"},
		{"removed with its folder", func(path string) error { return os.RemoveAll(filepath.Dir(path)) }, "", "tool2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, _ := newLog(t)
			mustWrite(t, l, auditLine(1))
			if err := test.rotate(l.path); err != nil {
				t.Fatal(err)
			}
			mustWrite(t, l, auditLine(2))
			if got := tools(t, l.path); got != test.stays {
				t.Errorf("the file at the log's path has %s, want %s", got, test.stays)
			}
			if test.moved != "" && tools(t, l.path+".1") != test.moved {
				t.Errorf("the file that was moved away has %s, want %s", tools(t, l.path+".1"), test.moved)
			}
		})
	}
}

func TestLineAfterTornLineIsIntact(t *testing.T) {
	l, _ := newLog(t)
	if err := os.WriteFile(l.path, []byte("{\"tool\":\"tool1\"}\n{\"tool\":\"to"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, l, Line{Time: noon(), Kind: OK})
	content, err := os.ReadFile(l.path)
	want := "{\"tool\":\"tool1\"}\n{\"tool\":\"to\n{\"time\":\"2026-11-15T11:00:00.123456Z\",\"kind\":\"ok\",\"duration_ms\":0}\n"
	if err != nil || string(content) != want {
		t.Errorf("the file is %q, want %q (%v)", content, want, err)
	}
}

func TestConcurrentCalls(t *testing.T) {
	l, _ := newLog(t)
	const calls = 64
	var all sync.WaitGroup
	for n := range calls {
		all.Go(func() {
			if err := l.Ready(t.Context()); err != nil {
				t.Errorf("not ready: %v", err)
			}
			if err := l.Write(t.Context(), auditLine(n), n%4 == 0); err != nil {
				t.Errorf("not written: %v", err)
			}
		})
	}
	all.Wait()
	seen := map[string]int{}
	for _, line := range read(t, l.path) {
		seen[line.Tool]++
	}
	for n := range calls {
		if name := auditLine(n).Tool; seen[name] != 1 {
			t.Errorf("%s has %d lines, want 1", name, seen[name])
		}
	}
}

// TestProcessesShareFile lets two processes write at once while the file is rotated again and again: every
// line ends up intact in exactly one of the files.
func TestProcessesShareFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	clients := []string{"first", "second"}
	running := make(chan error, len(clients))
	for _, client := range clients {
		command := exec.Command(os.Args[0], client)
		command.Env = append(os.Environ(), asWriter+"="+path)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { running <- command.Wait() }()
	}
	var files []string
	for left := len(clients); left > 0; {
		select {
		case err := <-running:
			left--
			if err != nil {
				t.Errorf("writer: %v", err)
			}
		case <-time.After(2 * time.Millisecond):
			moved := fmt.Sprintf("%s.%d", path, len(files))
			if info, err := os.Stat(path); err == nil && info.Size() > 20_000 && os.Rename(path, moved) == nil {
				files = append(files, moved)
			}
		}
	}
	if _, err := os.Stat(path); err == nil { // unless it was rotated just after the last line
		files = append(files, path)
	}
	seen := map[string]int{}
	for _, name := range files {
		for _, line := range read(t, name) {
			seen[fmt.Sprint(line.Client, line.DurationMS)]++
		}
	}
	for _, client := range clients {
		for i := range manyLines {
			if seen[fmt.Sprint(client, i)] != 1 {
				t.Errorf("line %d of the %s process was written %d times", i, client, seen[fmt.Sprint(client, i)])
			}
		}
	}
	t.Logf("%d files", len(files))
}
