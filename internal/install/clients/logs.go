package clients

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pattern is where logs are: in a folder, under names as path.Match has them.
// NAME stands for the server's name.
type pattern struct{ folder, names string }

// LogFile is a log that is there.
type LogFile struct {
	Path    string
	Size    int64
	Written time.Time
}

// Logs says where the client keeps what MCP servers write to stderr: paths with
// * for what varies. There may be none.
func (c Client) Logs(m Machine) []string {
	var places []string
	for _, p := range c.patterns(m, "*") {
		places = append(places, filepath.Join(p.folder, filepath.FromSlash(p.names)))
	}
	return places
}

// LogFiles are the logs of the server of a name that are there, the newest
// first.
func (c Client) LogFiles(m Machine, server string) []LogFile {
	var found []LogFile
	for _, p := range c.patterns(m, server) {
		inside := os.DirFS(p.folder)
		names, _ := fs.Glob(inside, p.names)
		for _, name := range names {
			info, err := fs.Stat(inside, name)
			if err == nil && info.Mode().IsRegular() {
				found = append(found, LogFile{filepath.Join(p.folder, filepath.FromSlash(name)), info.Size(), info.ModTime()})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b LogFile) int {
		return cmp.Or(b.Written.Compare(a.Written), strings.Compare(a.Path, b.Path))
	})
	return found
}

// patterns are the places of a server's logs.
func (c Client) patterns(m Machine, server string) []pattern {
	if c.logFiles == nil {
		return nil
	}
	var places []pattern
	for _, p := range c.logFiles(m) {
		if p.folder == "" {
			continue
		}
		p.names = strings.ReplaceAll(p.names, "NAME", server)
		if _, err := path.Match(p.names, ""); err == nil {
			places = append(places, p)
		}
	}
	return places
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
