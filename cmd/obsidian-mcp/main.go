// Command obsidian-mcp serves an Obsidian vault to AI clients.
package main

import (
	"os"

	"obsidian-mcp/internal/app"
)

func main() { os.Exit(app.Main()) }
