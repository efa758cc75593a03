package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCaddyfilesAreValid validates the Caddyfiles with Caddy itself.
func TestCaddyfilesAreValid(t *testing.T) {
	caddy := program(t, "caddy")
	for _, name := range []string{"Caddyfile", "livesync.caddyfile"} {
		command := exec.Command(caddy, "validate", "--adapter", "caddyfile", "--config", filepath.Join(root, "deploy/caddy", name))
		command.Env = append(os.Environ(), "XDG_DATA_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, output)
		}
	}
}

// TestUnitsAreValid checks the units with systemd-analyze: it must not warn, and must rate the exposure of the system's
// unit at most 2.0 of 10.
func TestUnitsAreValid(t *testing.T) {
	analyze := program(t, "systemd-analyze")
	folder := t.TempDir()
	for _, name := range []string{"obsidian-mcp.service", "obsidian-mcp@.service"} {
		unit, err := os.ReadFile(filepath.Join(root, "deploy/systemd", name))
		if err != nil {
			t.Fatal(err)
		}
		// The program need not be installed on this machine.
		unit = regexp.MustCompile(`(?m)^ExecStart=\S+`).ReplaceAll(unit, []byte("ExecStart=/bin/true"))
		if err := os.WriteFile(filepath.Join(folder, name), unit, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, arguments := range [][]string{
		{"verify", "obsidian-mcp@alice.service"},
		{"--user", "verify", "./obsidian-mcp.service"},
		{"security", "--offline=yes", "--threshold=20", "./obsidian-mcp@.service"},
	} {
		command := exec.Command(analyze, append([]string{"--no-pager"}, arguments...)...)
		command.Dir = folder
		command.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+folder, "SYSTEMD_UNIT_PATH="+folder+":")
		output, err := command.CombinedOutput()
		if err != nil || arguments[0] != "security" && strings.Contains(string(output), "obsidian-mcp") {
			t.Errorf("systemd-analyze %s: %v\n%s", strings.Join(arguments, " "), err, output)
		}
	}
}

// program finds a program that a test needs. If it is missing the test is skipped; in CI it fails.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path, err = exec.LookPath("/usr/sbin/" + name)
	}
	if err != nil && os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed", name)
	}
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}
