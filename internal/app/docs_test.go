package app

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"obsidian-mcp/internal/docgen"
)

var update = flag.Bool("update", false, "write the generated parts of the documents")

// TestDocuments: the tables of the documents are what the program says of
// itself, and the manual page is.
func TestDocuments(t *testing.T) {
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
		"README.md": {
			"tools": docgen.Tools(Tools()), "settings": docgen.Settings(), "clients": docgen.Clients(), "comparison": peers.Front(),
			"commands": docgen.Commands(manual), "statuses": docgen.Statuses(manual),
		},
		"docs/COMPARISON.md": {"compared": peers.Compared(), "comparison": peers.Full()},
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
		upToDate(t, name, text)
	}
	upToDate(t, "docs/obsidian-mcp.1", Program().ManPage())
}

// upToDate compares a document with what it should be, or writes it.
func upToDate(t *testing.T, name, want string) {
	t.Helper()
	name = filepath.Join("../..", name)
	if got, err := os.ReadFile(name); err == nil && string(got) == want {
		return
	}
	if !*update {
		t.Errorf("%s is out of date: make docs", name)
	} else if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
