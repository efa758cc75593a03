package clients

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// Machine is where clients are looked for.
type Machine struct {
	Home    string
	System  string // runtime.GOOS
	Lookup  func(variable string) (string, bool)
	Program func(name string) (path string, err error) // as exec.LookPath
}

// UserMachine is the machine of the user who runs the program.
func UserMachine() Machine {
	m := Machine{System: runtime.GOOS, Lookup: os.LookupEnv, Program: exec.LookPath}
	if home, err := os.UserHomeDir(); err == nil && m.isWhole(home) {
		m.Home = home
	}
	return m
}

// HomeVariable is what names the user's folder.
func (m Machine) HomeVariable() string {
	if m.System == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// File is the client's configuration for the user; "": it keeps none here.
func (c Client) File(m Machine) string {
	if c.file == nil {
		return ""
	}
	return c.file(m)
}

// Present reports whether the client seems to be installed.
func (c Client) Present(m Machine) bool {
	if c.file == nil {
		return false
	}
	for _, sign := range append(c.signs(m), c.file(m)) {
		if _, err := os.Stat(sign); err == nil {
			return true
		}
	}
	if c.program == "" {
		return false
	}
	_, err := m.Program(c.program)
	return err == nil
}

// join joins the parts of a path that begins somewhere; without a beginning
// there is none, rather than one in the working folder.
func join(first string, rest ...string) string {
	if first == "" {
		return ""
	}
	return filepath.Join(append([]string{first}, rest...)...)
}

// home is a place in the user's folder.
func (m Machine) home(parts ...string) string { return join(m.Home, parts...) }

// variable is the place that a variable names, or else another. What depends on
// the working folder names none.
func (m Machine) variable(name, otherwise string) string {
	if value, _ := m.Lookup(name); m.isWhole(value) {
		return value
	}
	return otherwise
}

// isWhole reports whether a path leads to the same place from everywhere.
func (m Machine) isWhole(path string) bool {
	if m.System == "windows" {
		return wholeOnWindows.MatchString(path)
	}
	return strings.HasPrefix(path, "/")
}

var wholeOnWindows = regexp.MustCompile(`^([A-Za-z]:)?[\\/]`)

// config is a place where desktop programs keep their settings.
func (m Machine) config(parts ...string) string {
	switch m.System {
	case "darwin":
		return m.home(append([]string{"Library", "Application Support"}, parts...)...)
	case "windows":
		return join(m.variable("APPDATA", m.home("AppData", "Roaming")), parts...)
	}
	return join(m.variable("XDG_CONFIG_HOME", m.home(".config")), parts...)
}

// local is where Windows has what does not roam.
func (m Machine) local(parts ...string) string {
	return join(m.variable("LOCALAPPDATA", m.home("AppData", "Local")), parts...)
}

// cache is where the caches of programs made with Node.js are.
func (m Machine) cache() string {
	switch m.System {
	case "darwin":
		return m.home("Library", "Caches")
	case "windows":
		return m.local()
	}
	return m.variable("XDG_CACHE_HOME", m.home(".cache"))
}

// claudeDesktop is the folder of Claude Desktop. On Windows its package has a
// view of its own of the user's folder: what is outside of that view it does not
// see.
func (m Machine) claudeDesktop() string {
	if m.System == "windows" {
		packages := m.local("Packages")
		if found, _ := fs.Glob(os.DirFS(packages), "Claude_*/LocalCache/Roaming/Claude"); packages != "" && len(found) > 0 {
			return filepath.Join(packages, filepath.FromSlash(found[0]))
		}
	}
	return m.config("Claude")
}

// claudeCodeFolder is where Claude Code keeps what is the user's.
func (m Machine) claudeCodeFolder() string {
	return m.variable("CLAUDE_CONFIG_DIR", m.home(".claude"))
}

// claudeCode is the file with the user's servers of Claude Code. It lies beside
// its folder, unless that was chosen.
func (m Machine) claudeCode() string {
	return join(m.variable("CLAUDE_CONFIG_DIR", m.Home), ".claude.json")
}

func (m Machine) codex() string { return m.variable("CODEX_HOME", m.home(".codex")) }

// zed is where Zed's settings are; on macOS not where other programs have them.
func (m Machine) zed() string {
	switch m.System {
	case "darwin":
		return m.home(".config", "zed")
	case "windows":
		return m.config("Zed")
	}
	return m.config("zed")
}
