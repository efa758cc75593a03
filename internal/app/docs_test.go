package app

import (
	"os"
	"path/filepath"
	"testing"

	"obsidian-mcp/internal/docgen"
	"obsidian-mcp/internal/testkit/golden"
)

// TestDocuments: the generated parts of the documents and the manual page are up to date.
func TestDocuments(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../docs/comparison.json")
	if err != nil {
		t.Fatal(err)
	}
	peers, err := docgen.ParseComparison(content)
	if err != nil {
		t.Fatal(err)
	}
	manual := Program().Manual()
	for name, sections := range map[string]map[string]string{
		"README.md":             {"toolsets": docgen.Toolsets(Tools()), "comparison": peers.Front()},
		"docs/CLIENTS.md":       {"clients": docgen.Clients()},
		"docs/CONFIGURATION.md": {"settings": docgen.Settings()},
		"docs/TOOLS.md":         {"tools": docgen.Tools(Tools())},
		"docs/COMMANDS.md":      {"commands": docgen.Commands(manual), "statuses": docgen.Statuses(manual)},
		"docs/COMPARISON.md":    {"compared": peers.Compared(), "comparison": peers.Full()},
	} {
		document, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(document)
		for section, content := range sections {
			if text, err = docgen.Fill(text, section, content); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		golden.Check(t, filepath.Join("../..", name), []byte(text))
	}
	server, err := docgen.RegistryServer()
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../../server.json", []byte(server))
	golden.Check(t, "../../docs/obsidian-mcp.1", []byte(Program().ManPage()))
}
