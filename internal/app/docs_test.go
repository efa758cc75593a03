package app

import (
	"flag"
	"os"
	"testing"

	"obsidian-mcp/internal/docgen"
)

var update = flag.Bool("update", false, "write the generated parts of the documents")

// TestDocuments: the tables of the README are what the program says of itself.
func TestDocuments(t *testing.T) {
	const name = "../../README.md"
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for section, table := range map[string]string{"tools": docgen.Tools(Tools()), "settings": docgen.Settings()} {
		if text, err = docgen.Fill(text, section, table); err != nil {
			t.Fatal(err)
		}
	}
	if text == string(content) {
		return
	}
	if !*update {
		t.Fatal("the README's tables are out of date: make docs")
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
