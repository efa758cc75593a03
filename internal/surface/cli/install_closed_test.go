package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A configuration that cannot be written is reported before any question, and the other clients are still set up.
func TestWriteProtectedFiles(t *testing.T) {
	for name, c := range map[string]struct {
		answers string
		args    []string
		status  int
		want    string
		unwant  string
		gemini  bool // whether Gemini CLI is set up afterwards
	}{
		"all":              {"", []string{"install", "--all", "--yes"}, 4, "obsidian-mcp: Cursor is left out: $HOME/.cursor/mcp.json is write-protected; if another", "nothing was changed", true},
		"all of a list":    {"\ny\n", []string{"install"}, 0, "1  cursor          cannot be edited: $HOME/.cursor/mcp.json is write-protected\n", "nothing was changed", true},
		"by name":          {"y\n", []string{"install", "cursor"}, 4, "mcp.json is write-protected\nnothing was changed; if another", "Write this?", false},
		"both by name":     {"", []string{"install", "gemini", "cursor", "--yes"}, 4, "nothing was changed; ", "written to", false},
		"a dry run":        {"", []string{"install", "cursor", "--dry-run"}, 0, "+++ ", "write-protected", false},
		"fails in between": {"", []string{"install", "codex", "gemini", "--yes"}, 1, "obsidian-mcp: Codex CLI is left out: cannot create the folder of $HOME/link/config.toml: file exists\n", "nothing was changed", true},
		"fails alone":      {"", []string{"install", "codex", "--yes"}, 1, "file exists\nnothing was changed\n", "left out", false},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestHome(t, 0, "Notes")
			if err := os.Chmod(d.write(".cursor/mcp.json", "{}"), 0o444); err != nil {
				t.Fatal(err)
			}
			t.Setenv("CODEX_HOME", filepath.Join(d.home, "link"))
			if err := os.Symlink("nowhere", filepath.Join(d.home, "link")); err != nil {
				t.Fatal(err)
			}
			status, out, messages := d.run(c.answers, c.args...)
			printed := strings.ReplaceAll(out+messages, d.home, "$HOME")
			if status != c.status || !strings.Contains(printed, c.want) || strings.Contains(printed, c.unwant) {
				t.Errorf("status %d, want %d and %q, not %q\n%s", status, c.status, c.want, c.unwant, printed)
			}
			if d.read(".cursor/mcp.json") != "{}" || strings.Contains(d.read(".gemini/settings.json"), "obsidian") != c.gemini {
				t.Errorf("%s", d.files())
			}
		})
	}
}

// Install and uninstall both warn that replacing the file cuts a hard link.
func TestWarnsAboutHardLinks(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	file := d.write(".cursor/mcp.json", "{}")
	for _, command := range []string{"install", "uninstall"} {
		if err := os.Link(file, filepath.Join(d.home, command)); err != nil {
			t.Fatal(err)
		}
		want := "obsidian-mcp: " + file + " is replaced: it has another name (a hard link)"
		if status, _, messages := d.run("", command, "cursor", "--yes"); status != 0 || !strings.Contains(messages, want) {
			t.Errorf("status %d\n%s", status, messages)
		}
	}
}

// A relative path is refused if the working folder no longer exists.
func TestRelativePathWithoutWorkingFolder(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	gone := filepath.Join(d.home, "gone")
	if err := os.Mkdir(gone, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Skip("this system does not remove a working folder")
	}
	vault := filepath.Join(d.home, "Notes")
	for name, args := range map[string][]string{
		"vault":         {"--vault-path", "."},
		"state":         {"--vault-path", vault, "--state-dir", "state"},
		"audit log":     {"--vault-path", vault, "--audit-log", "log"},
		"absolute path": {"--vault-path", vault},
	} {
		status, _, messages := d.run("", append([]string{"install", "cursor", "--yes"}, args...)...)
		want, text := 2, "' is a relative path, and the working folder no longer exists\nnothing was changed; "
		if name == "absolute path" {
			want, text = 0, ""
		}
		if status != want || !strings.Contains(messages, text) {
			t.Errorf("%s: status %d, want %d and %q\n%s", name, status, want, text, messages)
		}
	}
}

// Errors make the control characters of a path visible.
func TestErrorsAreTerminalSafe(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	file := d.write("\x1b[31m.json", "{")
	_, _, messages := d.run("", "install", "cursor", "--config-file", file)
	if strings.Contains(messages, "\x1b") || !strings.Contains(messages, "/␛[31m.json: line 1") || !strings.Contains(messages, "\nnothing was changed; fix") {
		t.Errorf("%q", messages)
	}
}
