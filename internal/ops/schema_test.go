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

// TestPublished compares what clients are told of each tool with a golden
// file: a changed contract is always a decision.
func TestPublished(t *testing.T) {
	type published struct {
		Name, Toolset, Title, Description string
		Effect                            tool.Effect
		Idempotent                        bool
		Input, Output                     *jsonschema.Schema
	}
	for _, one := range tool.Bind[*ops.Ops](nil, ops.All()) {
		t.Run(one.Name, func(t *testing.T) {
			got, err := json.MarshalIndent(published{one.Name, one.Toolset, one.Title, one.About, one.Effect, one.Idempotent, one.Input, one.Output}, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			golden.Check(t, filepath.Join("testdata", "tools", one.Name+".json"), got)
		})
	}
}

// TestHouseRules holds for every tool.
func TestHouseRules(t *testing.T) {
	tools := tool.Bind[*ops.Ops](nil, ops.All())
	size := 0
	for _, one := range tools {
		if one.Title == "" || one.About == "" || !strings.HasSuffix(one.About, ".") {
			t.Errorf("%s: a title and a description in whole sentences are needed", one.Name)
		}
		for _, param := range one.Params {
			if param.About == "" {
				t.Errorf("%s: %s is not described", one.Name, param.Name)
			}
		}
		edits := one.Effect != tool.Reads
		hasHash := slices.ContainsFunc(one.Params, func(p tool.Param) bool { return p.Name == "expected_hash" })
		if edits != hasHash && one.Name != "undo_change" { // which knows itself what notes must be
			t.Errorf("%s: edits %v, has expected_hash %v", one.Name, edits, hasHash)
		}
		for _, schema := range []*jsonschema.Schema{one.Input, one.Output} {
			encoded, err := json.Marshal(schema)
			if err != nil {
				t.Fatal(err)
			}
			size += len(encoded)
			for _, banned := range []string{`"anyOf"`, `"oneOf"`, `"allOf"`, `"$ref"`, `"enum"`, `"minimum"`} {
				if bytes.Contains(encoded, []byte(banned)) {
					t.Errorf("%s: %s is not accepted by every client, or speaks before the tool does", one.Name, banned)
				}
			}
		}
		size += len(one.Name) + len(one.About) + len(one.Title) + 180
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
