package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClosedFiles: a configuration that cannot be written does not keep the
// others from being set up, and is told before anybody is asked.
func TestClosedFiles(t *testing.T) {
	for name, c := range map[string]struct {
		answers string
		args    []string
		status  int
		said    string
		unsaid  string
		gemini  bool // whether Gemini CLI is set up then
	}{
		"all":              {"", []string{"install", "--all", "--yes"}, 4, "obsidian-mcp: Cursor is left out: $HOME/.cursor/mcp.json is write-protected; if another", "nothing was changed", true},
		"all of a list":    {"\ny\n", []string{"install"}, 0, "1  cursor          cannot be edited: $HOME/.cursor/mcp.json is write-protected\n", "nothing was changed", true},
		"by name":          {"y\n", []string{"install", "cursor"}, 4, "mcp.json is write-protected\nnothing was changed; if another", "Write this?", false},
		"both by name":     {"", []string{"install", "gemini", "cursor", "--yes"}, 4, "nothing was changed; ", "written to", false},
		"to be looked at":  {"", []string{"install", "cursor", "--dry-run"}, 0, "+++ ", "write-protected", false},
		"fails in between": {"", []string{"install", "codex", "gemini", "--yes"}, 1, "obsidian-mcp: Codex CLI is left out: cannot make the folder of $HOME/link/config.toml: file exists\n", "nothing was changed", true},
		"fails alone":      {"", []string{"install", "codex", "--yes"}, 1, "file exists\nnothing was changed\n", "left out", false},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, 0, "Notes")
			if err := os.Chmod(d.write(".cursor/mcp.json", "{}"), 0o444); err != nil {
				t.Fatal(err)
			}
			t.Setenv("CODEX_HOME", filepath.Join(d.home, "link"))
			if err := os.Symlink("nowhere", filepath.Join(d.home, "link")); err != nil {
				t.Fatal(err)
			}
			status, out, messages := d.run(c.answers, c.args...)
			said := strings.ReplaceAll(out+messages, d.home, "$HOME")
			if status != c.status || !strings.Contains(said, c.said) || strings.Contains(said, c.unsaid) {
				t.Errorf("%d\n%s", status, said)
			}
			if d.read(".cursor/mcp.json") != "{}" || strings.Contains(d.read(".gemini/settings.json"), "obsidian") != c.gemini {
				t.Errorf("%s", d.files())
			}
		})
	}
}

// TestReplacedFiles: that a hard link is cut is told, also where the server is
// taken out.
func TestReplacedFiles(t *testing.T) {
	d := newDesk(t, 0, "Notes")
	file := d.write(".cursor/mcp.json", "{}")
	for _, command := range []string{"install", "uninstall"} {
		if err := os.Link(file, filepath.Join(d.home, command)); err != nil {
			t.Fatal(err)
		}
		want := "obsidian-mcp: " + file + " is replaced: it has another name as well (a hard link)"
		if status, _, messages := d.run("", command, "cursor", "--yes"); status != 0 || !strings.Contains(messages, want) {
			t.Errorf("%d\n%s", status, messages)
		}
	}
}

// TestNoWorkingFolder: what a relative path leads to from a folder that is gone
// is not guessed.
func TestNoWorkingFolder(t *testing.T) {
	d := newDesk(t, 0, "Notes")
	gone := filepath.Join(d.home, "gone")
	if err := os.Mkdir(gone, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Skip("this system keeps a folder that is worked in")
	}
	vault := filepath.Join(d.home, "Notes")
	for name, args := range map[string][]string{
		"vault":      {"--vault-path", "."},
		"state":      {"--vault-path", vault, "--state-dir", "state"},
		"audit log":  {"--vault-path", vault, "--audit-log", "log"},
		"whole path": {"--vault-path", vault},
	} {
		status, _, messages := d.run("", append([]string{"install", "cursor", "--yes"}, args...)...)
		if name == "whole path" && status != 0 || name != "whole path" && (status != 2 || !strings.Contains(messages, "' is a relative path, and the working folder no longer exists\nnothing was changed; ")) {
			t.Errorf("%s: %d\n%s", name, status, messages)
		}
	}
}

// TestHarmlessErrors: what a path has for terminals is shown, and not obeyed.
func TestHarmlessErrors(t *testing.T) {
	d := newDesk(t, 0, "Notes")
	file := d.write("\x1b[31m.json", "{")
	_, _, messages := d.run("", "install", "cursor", "--config-file", file)
	if strings.Contains(messages, "\x1b") || !strings.Contains(messages, "/␛[31m.json: line 1") || !strings.Contains(messages, "\nnothing was changed; mend") {
		t.Errorf("%q", messages)
	}
}
