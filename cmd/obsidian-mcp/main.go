// Command obsidian-mcp serves an Obsidian vault to AI clients.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
)

const help = `obsidian-mcp: an MCP server for Obsidian vaults

usage:
  obsidian-mcp version   version, commit and Go version
  obsidian-mcp help      this text
`

func main() {
	command := "help"
	if len(os.Args) > 1 {
		command = os.Args[1]
	}
	switch command {
	case "version", "--version":
		fmt.Println(version())
	case "help", "--help", "-h":
		fmt.Print(help)
	default:
		fmt.Fprintf(os.Stderr, "obsidian-mcp: unknown command %q; see obsidian-mcp help\n", command)
		os.Exit(2)
	}
}

// version describes this binary by what the build put into it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "obsidian-mcp (built without module information)"
	}
	commit := "unknown commit"
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			commit = "commit " + setting.Value
		}
	}
	return fmt.Sprintf("obsidian-mcp %s, %s, %s", info.Main.Version, commit, info.GoVersion)
}
