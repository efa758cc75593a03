package docgen

import (
	"fmt"
	"strings"

	"obsidian-mcp/internal/install/clients"
)

// local and remote are the server as the documents speak of it: what readers
// put their own paths into, and where it is for this machine alone.
var (
	local  = clients.Server{Name: "obsidian", Command: "/path/to/obsidian-mcp", Env: []clients.Variable{{Name: "OBSIDIAN_VAULT_PATH", Value: "/path/to/vault"}}}
	remote = clients.Server{Name: "obsidian", URL: "http://127.0.0.1:1065/mcp"}
	public = clients.Server{Name: "obsidian", URL: "https://notes.example.com/mcp"}
)

// Clients are the configuration blocks of all clients, each to be unfolded.
func Clients() string {
	var out strings.Builder
	for _, client := range clients.All() {
		fmt.Fprintf(&out, "<details>\n<summary>%s</summary>\n\n", client.Name)
		if block, ok := client.Block(local); ok {
			fmt.Fprintf(&out, "In %s:\n\n%s\n", block.Where, fenced(block))
		}
		if block, ok := client.Block(remote); ok && client.HasFile() {
			fmt.Fprintf(&out, "Or, while `obsidian-mcp http` runs, by its address:\n\n%s\n", fenced(block))
		} else if block, ok := client.Block(public); ok {
			fmt.Fprintf(&out, "In %s:\n\n%s\n", block.Where, fenced(block))
		}
		fmt.Fprintf(&out, "Then %s.\n\n</details>\n", client.Next)
	}
	return out.String()
}

func fenced(block clients.Block) string {
	return "```" + block.Language + "\n" + strings.TrimSuffix(block.Text, "\n") + "\n```\n"
}
