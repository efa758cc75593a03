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

// Machine is a machine to look for clients on.
type Machine struct {
	Home    string
	System  string // runtime.GOOS
	Lookup  func(variable string) (string, bool)
	Program func(name string) (path string, err error) // as exec.LookPath
}

// UserMachine returns the machine of the user who runs the program.
func UserMachine() Machine {
	m := Machine{System: runtime.GOOS, Lookup: os.LookupEnv, Program: exec.LookPath}
	if home, err := os.UserHomeDir(); err == nil && m.isAbsolute(home) {
		m.Home = home
	}
	return m
}

// HomeVariable returns the environment variable that names the home folder.
func (m Machine) HomeVariable() string {
	if m.System == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// File returns the path of the client's configuration, or "" if it keeps none on this machine.
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

// join joins the parts of a path. Without a first part it returns "" rather than a path in the working folder.
func join(first string, rest ...string) string {
	if first == "" {
		return ""
	}
	return filepath.Join(append([]string{first}, rest...)...)
}

// home returns a path in the home folder.
func (m Machine) home(parts ...string) string { return join(m.Home, parts...) }

// variable returns the path in a variable, or otherwise if the variable does not contain an absolute path.
func (m Machine) variable(name, otherwise string) string {
	if value, _ := m.Lookup(name); m.isAbsolute(value) {
		return value
	}
	return otherwise
}

// isAbsolute reports whether a path is absolute on the machine's system.
func (m Machine) isAbsolute(path string) bool {
	if m.System == "windows" {
		return absoluteOnWindows.MatchString(path)
	}
	return strings.HasPrefix(path, "/")
}

var absoluteOnWindows = regexp.MustCompile(`^([A-Za-z]:)?[\\/]`)

// config returns a path in the folder for the settings of desktop programs.
func (m Machine) config(parts ...string) string {
	switch m.System {
	case "darwin":
		return m.home(append([]string{"Library", "Application Support"}, parts...)...)
	case "windows":
		return join(m.variable("APPDATA", m.home("AppData", "Roaming")), parts...)
	}
	return join(m.variable("XDG_CONFIG_HOME", m.home(".config")), parts...)
}

// local returns a path in the Windows folder for data that does not roam.
func (m Machine) local(parts ...string) string {
	return join(m.variable("LOCALAPPDATA", m.home("AppData", "Local")), parts...)
}

// cache returns the folder for the caches of Node.js programs.
func (m Machine) cache() string {
	switch m.System {
	case "darwin":
		return m.home("Library", "Caches")
	case "windows":
		return m.local()
	}
	return m.variable("XDG_CACHE_HOME", m.home(".cache"))
}

// claudeDesktop returns the folder of Claude Desktop. On Windows the packaged version has its own view of the home folder
// and sees nothing outside it.
func (m Machine) claudeDesktop() string {
	if m.System == "windows" {
		packages := m.local("Packages")
		if found, _ := fs.Glob(os.DirFS(packages), "Claude_*/LocalCache/Roaming/Claude"); packages != "" && len(found) > 0 {
			return filepath.Join(packages, filepath.FromSlash(found[0]))
		}
	}
	return m.config("Claude")
}

// claudeCodeFolder returns the folder in which Claude Code keeps the user's data.
func (m Machine) claudeCodeFolder() string {
	return m.variable("CLAUDE_CONFIG_DIR", m.home(".claude"))
}

// claudeCode returns Claude Code's file with the user's servers. It is beside the default folder, but inside a folder
// that CLAUDE_CONFIG_DIR names.
func (m Machine) claudeCode() string {
	return join(m.variable("CLAUDE_CONFIG_DIR", m.Home), ".claude.json")
}

func (m Machine) codex() string { return m.variable("CODEX_HOME", m.home(".codex")) }

// zed returns the folder of Zed's settings; on macOS it is not where other programs keep theirs.
func (m Machine) zed() string {
	switch m.System {
	case "darwin":
		return m.home(".config", "zed")
	case "windows":
		return m.config("Zed")
	}
	return m.config("zed")
}
