package fault_test

import (
	"testing"

	"obsidian-mcp/internal/fault"
)

func TestNearestSuggestsOnlyCloseNames(t *testing.T) {
	names := []string{"read_note", "rename_note", "list_tags"}
	for misspelt, want := range map[string]string{
		"raed_note": "read_note", "READ_NOTE": "read_note", "renamenote": "rename_note", "list_tag": "list_tags",
		"search": "", "": "",
	} {
		if got := fault.Nearest(misspelt, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", misspelt, got, want)
		}
	}
}
