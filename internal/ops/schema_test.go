package ops_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/testkit/golden"
	"obsidian-mcp/internal/tool"
)

// TestPublished compares what clients see of each tool with a golden file, so that a change
// of the contract is always a decision.
func TestPublished(t *testing.T) {
	type published struct {
		Name, Toolset, Title, Description string
		Effect                            tool.Effect
		Idempotent                        bool
		Input, Output                     *jsonschema.Schema
	}
	for _, bound := range tool.Bind[*ops.Ops](nil, ops.All()) {
		t.Run(bound.Name, func(t *testing.T) {
			got, err := json.MarshalIndent(published{bound.Name, bound.Toolset, bound.Title, bound.About, bound.Effect, bound.Idempotent, bound.Input, bound.Output}, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			golden.Check(t, filepath.Join("testdata", "tools", bound.Name+".json"), got)
		})
	}
}

// TestHouseRules checks rules that hold for every tool.
func TestHouseRules(t *testing.T) {
	tools := tool.Bind[*ops.Ops](nil, ops.All())
	size := 0
	for _, bound := range tools {
		if bound.Title == "" || bound.About == "" || !strings.HasSuffix(bound.About, ".") {
			t.Errorf("%s: needs a title and a description in whole sentences", bound.Name)
		}
		for _, param := range bound.Params {
			if param.About == "" {
				t.Errorf("%s: %s is not described", bound.Name, param.Name)
			}
		}
		edits := bound.Effect != tool.Reads && (bound.Needs == tool.NeedsNothing || bound.Needs == tool.NeedsADR)
		hasHash := slices.ContainsFunc(bound.Params, func(p tool.Param) bool { return p.Name == "expected_hash" })
		if edits != hasHash && bound.Name != "undo_change" { // which knows the expected hashes itself
			t.Errorf("%s: edits %v, has expected_hash %v", bound.Name, edits, hasHash)
		}
		for _, schema := range []*jsonschema.Schema{bound.Input, bound.Output} {
			encoded, err := json.Marshal(schema)
			if err != nil {
				t.Fatal(err)
			}
			size += len(encoded)
			for _, banned := range []string{`"anyOf"`, `"oneOf"`, `"allOf"`, `"$ref"`, `"enum"`, `"minimum"`} {
				if bytes.Contains(encoded, []byte(banned)) {
					t.Errorf("%s: %s is not accepted by every client, or preempts the tool's own message", bound.Name, banned)
				}
			}
		}
		size += len(bound.Name) + len(bound.About) + len(bound.Title) + 180
	}
	t.Logf("%d tools, about %d bytes", len(tools), size)
}

// TestEveryToolIsInAToolset: a tool outside of them could never be offered.
func TestEveryToolIsInAToolset(t *testing.T) {
	used := map[string]bool{}
	for _, definition := range ops.All() {
		used[definition.Toolset] = true
	}
	for _, set := range tool.Toolsets() {
		if !used[set.Name] || set.About == "" {
			t.Errorf("the toolset %s has no tools or no description", set.Name)
		}
		delete(used, set.Name)
	}
	if len(used) > 0 {
		t.Errorf("tool.Toolsets does not list %v", used)
	}
}
