package clients

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"obsidian-mcp/internal/text/order"
)

// pattern says where logs are: a folder, and a path.Match pattern for the names in it. NAME stands for the server's name.
type pattern struct{ folder, names string }

// LogFile is an existing log.
type LogFile struct {
	Path    string
	Size    int64
	Written time.Time
}

// Logs returns where the client keeps what MCP servers write to stderr, as paths with * for the parts that vary.
func (c Client) Logs(m Machine) []string {
	var paths []string
	for _, p := range c.patterns(m, "*") {
		paths = append(paths, filepath.Join(p.folder, filepath.FromSlash(p.names)))
	}
	return paths
}

// LogFiles returns the existing logs of the named server, newest first.
func (c Client) LogFiles(m Machine, server string) []LogFile {
	var found []LogFile
	for _, p := range c.patterns(m, server) {
		inside := os.DirFS(p.folder)
		names, _ := fs.Glob(inside, p.names)
		for _, name := range names {
			info, err := fs.Stat(inside, name)
			if err == nil && info.Mode().IsRegular() {
				file := filepath.Join(p.folder, filepath.FromSlash(name))
				found = append(found, LogFile{file, info.Size(), info.ModTime()})
			}
		}
	}
	order.Stably(found, func(a, b LogFile) int {
		return cmp.Or(b.Written.Compare(a.Written), strings.Compare(a.Path, b.Path))
	})
	return found
}

// patterns says where a server's logs are.
func (c Client) patterns(m Machine, server string) []pattern {
	if c.logFiles == nil {
		return nil
	}
	var patterns []pattern
	for _, p := range c.logFiles(m) {
		if p.folder == "" {
			continue
		}
		p.names = strings.ReplaceAll(p.names, "NAME", server)
		if _, err := path.Match(p.names, ""); err == nil {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

func (m Machine) claudeDesktopLogs() []pattern {
	folder := join(m.claudeDesktop(), "logs")
	if m.System == "darwin" {
		folder = m.home("Library", "Logs", "Claude")
	}
	return []pattern{{folder, "mcp-server-NAME.log"}, {folder, "mcp.log"}}
}

func (m Machine) zedLogs() string {
	switch m.System {
	case "darwin":
		return m.home("Library", "Logs", "Zed")
	case "windows":
		return m.local("Zed", "logs")
	}
	return join(m.variable("XDG_DATA_HOME", m.home(".local", "share")), "zed", "logs")
}
