package app

import (
	"cmp"
	"runtime/debug"
	"strings"

	"obsidian-mcp/internal/surface/mcp/transport"
)

// The linker sets these in a release (tools/compile): the tag, its commit and the time of that commit.
var releaseVersion, releaseCommit, releaseDate string

// build says which version of the program this is: a release's own, or what the compiler recorded.
type build struct{ version, commit, date, compiler string }

func thisBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: "unknown"}
	}
	recorded := make(map[string]string, len(info.Settings))
	for _, setting := range info.Settings {
		recorded[setting.Key] = setting.Value
	}
	return build{
		version:  cmp.Or(releaseVersion, info.Main.Version, "(devel)"),
		commit:   cmp.Or(releaseCommit, recorded["vcs.revision"], "unknown"),
		date:     cmp.Or(releaseDate, recorded["vcs.time"]),
		compiler: info.GoVersion,
	}
}

func moduleVersion() string { return thisBuild().version }

// version describes this binary.
func version() string {
	b := thisBuild()
	lines := []string{"obsidian-mcp " + b.version, "commit " + b.commit}
	if b.date != "" {
		lines = append(lines, "date "+b.date)
	}
	return strings.Join(append(lines, b.compiler, "MCP "+strings.Join(transport.Versions(), ", ")), "\n")
}
