// Wine runs the Windows program that `make cross` builds, bin/obsidian-mcp.exe, under wine: an MCP session over stdio
// writes, reads, renames, removes and restores notes. It skips, and says why, where wine is absent or cannot start any Go program.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// patience bounds the whole run: wine's first start alone takes ten seconds.
const patience = 3 * time.Minute

// errAbsent means that this machine cannot run the program, whatever the program does.
var errAbsent = errors.New("wine is not installed (apt-get install wine64 wine)")

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: wine PROGRAM.exe")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	switch err := run(ctx, os.Args[1]); {
	case errors.Is(err, errAbsent):
		fmt.Println("The Windows program was not tried:", err)
	case err != nil:
		fmt.Fprintln(os.Stderr, "wine:", err)
		os.Exit(1)
	default:
		fmt.Println("The Windows program works under wine: it wrote, read, renamed, removed and restored notes.")
	}
}

func run(ctx context.Context, program string) error {
	wine, err := exec.LookPath("wine")
	if err != nil {
		return errAbsent
	}
	prefix, err := os.MkdirTemp("", "wine-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(prefix)
	w := machine{wine: wine, prefix: prefix}
	defer w.stop()
	if err := w.prepare(ctx, program); err != nil {
		return err
	}
	return w.serve(ctx, program)
}

// machine is a Windows machine as wine imitates it.
type machine struct{ wine, prefix string }

func (m machine) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, m.wine, append([]string{program}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.prefix, "WINEPREFIX=" + m.prefix, "WINEDEBUG=-all", "LC_ALL=C.UTF-8", "WINEDLLOVERRIDES=mscoree,mshtml="}
	return cmd
}

// prepare makes the machine, and what the program needs before it can start.
func (m machine) prepare(ctx context.Context, program string) error {
	if text, err := m.command(ctx, "wineboot", "-i").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: it cannot make a machine: %v: %s", errAbsent, err, text)
	}
	text, err := m.command(ctx, program, "version").CombinedOutput()
	if err != nil && strings.Contains(string(text), "bcryptprimitives.dll not found") {
		library := filepath.Join(m.prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
		if err := os.WriteFile(library, forwarder("bcryptprimitives.dll", "ProcessPrng", "ADVAPI32.SystemFunction036"), 0o644); err != nil {
			return err
		}
		text, err = m.command(ctx, program, "version").CombinedOutput()
	}
	if err != nil {
		return fmt.Errorf("the program does not start: %w: %s", err, text)
	}
	if !strings.HasPrefix(string(text), "obsidian-mcp ") {
		return fmt.Errorf("the program's version is %q", text)
	}
	return nil
}

// stop ends what wine leaves running for this machine.
func (m machine) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	server := exec.CommandContext(ctx, "wineserver", "-k")
	server.Env = append(os.Environ(), "WINEPREFIX="+m.prefix)
	if path, err := exec.LookPath("wineserver"); err != nil {
		server.Path, server.Err = "/usr/lib/wine/wineserver", nil // where Debian keeps it
	} else {
		server.Path = path
	}
	_ = server.Run()
}
