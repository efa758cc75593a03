package docgen

import (
	"fmt"
	"strings"

	"obsidian-mcp/internal/install/clients"
)

// The server as documents show it: started by the client, with placeholders for paths; fetched
// from npm; reached on this machine; reached over the internet.
var (
	vault  = []clients.Variable{{Name: "OBSIDIAN_VAULT_PATH", Value: "/path/to/vault"}}
	local  = clients.Server{Name: "obsidian", Command: "/path/to/obsidian-mcp", Env: vault}
	npx    = clients.Server{Name: "obsidian", Command: "npx", Runner: []string{"-y", clients.Package}, Env: vault}
	remote = clients.Server{Name: "obsidian", URL: "http://127.0.0.1:1065/mcp"}
	public = clients.Server{Name: "obsidian", URL: "https://notes.example.com/mcp"}
)

// Clients returns the configuration blocks of all clients, each folded.
func Clients() string {
	var out strings.Builder
	for _, client := range clients.All() {
		fmt.Fprintf(&out, "<details>\n<summary>%s</summary>\n\n", client.Name)
		if block, ok := client.Block(local); ok {
			fmt.Fprintf(&out, "In %s:\n\n%s\n", block.Where, fenced(block))
		}
		if block, ok := client.Block(npx); ok {
			fmt.Fprintf(&out, "Or with Node.js, from npm:\n\n%s\n", fenced(block))
		}
		if block, ok := client.Block(remote); ok && client.HasFile() {
			fmt.Fprintf(&out, "Or connect to a running `obsidian-mcp http`:\n\n%s\n", fenced(block))
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
