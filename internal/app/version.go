package app

import (
	"fmt"
	"runtime/debug"
	"strings"

	"obsidian-mcp/internal/surface/mcp/transport"
)

// moduleVersion is the version that the build put into the program.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// version describes this binary.
func version() string {
	commit, goVersion := "unknown", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		goVersion = info.GoVersion
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				commit = setting.Value
			}
		}
	}
	return fmt.Sprintf("obsidian-mcp %s\ncommit %s\n%s\nMCP %s",
		moduleVersion(), commit, goVersion, strings.Join(transport.Versions(), ", "))
}
