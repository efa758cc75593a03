//go:build unix

package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/testkit/mode"
)

// A setting's file must be regular and of a sensible size. Pipes and devices, which may never end, are refused.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	folder := t.TempDir()
	named, long := filepath.Join(folder, "pipe"), filepath.Join(folder, "long")
	if err := syscall.Mkfifo(named, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(long, []byte(strings.Repeat("#", 1<<20)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file  string
		pipes bool
		want  string // part of the error; "" for no error
	}{
		"a pipe with a name": {named, true, " is not a regular file"},
		"a device":           {"/dev/zero", true, "/dev/zero is not a regular file"},
		"a folder":           {folder, true, " is not a regular file"},
		"too long":           {long, true, " is longer than 1048576 bytes"},
		"nothing":            {os.DevNull, false, ""},
		"a shell's pipe":     {written(t, "read_only: true\n"), true, ""},
		"an endless pipe":    {written(t, strings.Repeat("#", 2<<20)), true, " is longer than 1048576 bytes"},
		"a foreign pipe":     {written(t, "read_only: true\n"), false, " is not a regular file"},
		"a missing file":     {filepath.Join(folder, "none"), true, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadSoon(t, config.Source{File: c.file, Pipes: c.pipes, Lookup: func(string) (string, bool) { return "", false }})
			check := func(from string, err error) {
				refused := fault.KindOf(err) == fault.InvalidArgument && fault.HintOf(err) != "" &&
					strings.HasPrefix(fmt.Sprint(err), from) && strings.Contains(fmt.Sprint(err), c.want)
				if c.want == "" && err != nil || c.want != "" && !refused {
					t.Errorf("%v; %s", err, fault.HintOf(err))
				}
			}
			check("--config: ", err)
			if c.want == "" || strings.HasPrefix(c.file, "/dev/fd/") {
				return // the pipe has been read and is empty now
			}
			_, err = loadSoon(t, config.Source{File: os.DevNull, Pipes: c.pipes, Lookup: func(variable string) (string, bool) {
				return c.file, variable == "COUCHDB_PASSWORD_FILE"
			}})
			check("COUCHDB_PASSWORD_FILE: ", err)
		})
	}
}

// As in COUCHDB_PASSWORD_FILE=<(pass couchdb).
func TestSecretFromShellPipe(t *testing.T) {
	pipe := written(t, "s3cret\n")
	settings, err := loadSoon(t, config.Source{File: os.DevNull, Pipes: true, Lookup: func(variable string) (string, bool) {
		return pipe, variable == "COUCHDB_PASSWORD_FILE"
	}})
	if err != nil || settings.LiveSync.Password.Reveal() != "s3cret" {
		t.Errorf("%v %q", err, settings.LiveSync.Password.Reveal())
	}
}

// written returns the name of a pipe of this process that contains a text.
func written(t *testing.T, text string) string {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	go func() {
		defer in.Close()
		_, _ = in.WriteString(text) // fails when the pipe is closed, if it is never read
	}()
	return fmt.Sprintf("/dev/fd/%d", out.Fd())
}

// loadSoon loads settings, and fails the test if that hangs.
func loadSoon(t *testing.T, source config.Source) (config.Config, error) {
	t.Helper()
	type loaded struct {
		settings config.Config
		err      error
	}
	done := make(chan loaded, 1)
	go func() {
		settings, err := config.Load(source)
		done <- loaded{settings, err}
	}()
	select {
	case got := <-done:
		return got.settings, got.err
	case <-time.After(mode.Patience):
		t.Fatal("loading hangs")
		return config.Config{}, nil
	}
}
