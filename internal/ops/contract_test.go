package ops_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract is what clients rely on in a tool. Titles and descriptions may change freely.
type contract struct {
	Name, Toolset string
	Effect        int
	Idempotent    bool
	Input, Output *shape
}

// shape is a JSON schema, as far as tools use them. A test elsewhere compares the files with the tools.
type shape struct {
	Type       any               `json:"type,omitempty"` // a name or several
	Properties map[string]*shape `json:"properties,omitempty"`
	Required   []string          `json:"required,omitempty"`
	Items      *shape            `json:"items,omitempty"`
	Default    any               `json:"default,omitempty"`
	Enum       []any             `json:"enum,omitempty"`
}

// UnmarshalJSON also reads true, the schema of anything.
func (s *shape) UnmarshalJSON(text []byte) error {
	if string(text) == "true" {
		s.Type = "anything"
		return nil
	}
	type plain shape
	return json.Unmarshal(text, (*plain)(s))
}

const (
	releasedTools   = "testdata/released/tools.json"
	acceptedChanges = "testdata/released/accepted.txt"
)

// becomesRelease is the variable with which `make changelog` makes the tools of today those of the last release.
const becomesRelease = "OBSIDIAN_MCP_TEST_RELEASE"

// TestContractWithClients compares the tools with those of the last release. A change is a decision: somebody writes it into
// a file, where a reviewer sees whether it breaks clients.
func TestContractWithClients(t *testing.T) {
	today := contracts(t)
	if os.Getenv(becomesRelease) != "" {
		content, err := json.MarshalIndent(slices.SortedFunc(maps.Values(today), func(a, b contract) int { return strings.Compare(a.Name, b.Name) }), "", " ")
		if err == nil {
			err = os.WriteFile(releasedTools, append(content, '\n'), 0o644)
		}
		if err == nil {
			err = os.WriteFile(acceptedChanges, nil, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(releasedTools)
	if err != nil {
		t.Fatal(err)
	}
	var list []contract
	if err := json.Unmarshal(content, &list); err != nil {
		t.Fatal(err)
	}
	released := map[string]contract{}
	for _, tool := range list {
		released[tool.Name] = tool
	}
	text, err := os.ReadFile(acceptedChanges)
	if err != nil {
		t.Fatal(err)
	}
	accepted := slices.Sorted(strings.Lines(string(text)))
	changes := contractChanges(released, today)
	if versions, _ := filepath.Glob("../../changelog/[0-9]*"); len(versions) == 0 { // there is no release yet that lacks them
		changes = slices.DeleteFunc(changes, func(line string) bool { return strings.HasPrefix(line, "adds ") })
	}
	if diff := cmp.Diff(accepted, changes); diff != "" {
		t.Errorf("The tools differ from those of the last release in other ways than internal/ops/%s says. If the changes are intended, "+
			"make that file hold the following lines, and describe them for users in changelog/unreleased; "+
			"a line with \"breaks\" needs a new major version.\n\n%s\n(-file +program)\n%s", acceptedChanges, strings.Join(changes, ""), diff)
	}
}

// contracts reads what is published of each tool.
func contracts(t *testing.T) map[string]contract {
	t.Helper()
	files, err := filepath.Glob("testdata/tools/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no tools", err)
	}
	all := map[string]contract{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var tool contract
		if err := json.Unmarshal(content, &tool); err != nil {
			t.Fatal(err)
		}
		all[tool.Name] = tool
	}
	return all
}

// contractChanges lists how tools changed, sorted, a line each.
func contractChanges(before, after map[string]contract) []string {
	var c changeList
	for name, old := range before {
		now, exists := after[name]
		switch {
		case !exists:
			c.breaks(name, "the tool is gone")
			continue
		case now.Toolset != old.Toolset:
			c.breaks(name, "moves from toolset %s to %s", old.Toolset, now.Toolset)
		}
		if now.Effect != old.Effect || now.Idempotent != old.Idempotent {
			c.breaks(name, "other annotations: effect %d -> %d, idempotent %v -> %v", old.Effect, now.Effect, old.Idempotent, now.Idempotent)
		}
		c.compare(name, "parameters", old.Input, now.Input, true)
		c.compare(name, "result", old.Output, now.Output, false)
	}
	for name := range after {
		if _, existed := before[name]; !existed {
			c.adds(name, "a new tool")
		}
	}
	slices.Sort(c)
	return c
}

// changeList collects changes.
type changeList []string

func (c *changeList) breaks(tool, what string, of ...any) {
	*c = append(*c, fmt.Sprintf("breaks %s: %s\n", tool, fmt.Sprintf(what, of...)))
}

func (c *changeList) adds(tool, what string, of ...any) {
	*c = append(*c, fmt.Sprintf("adds %s: %s\n", tool, fmt.Sprintf(what, of...)))
}

// compare compares what clients send (input) or receive.
func (c *changeList) compare(tool, at string, old, now *shape, input bool) {
	switch {
	case old == nil && now == nil:
		return
	case old == nil:
		c.adds(tool, "%s: described now", at)
		return
	case now == nil:
		c.breaks(tool, "%s: gone", at)
		return
	}
	if !same(old.Type, now.Type) {
		c.breaks(tool, "%s: type %v -> %v", at, old.Type, now.Type)
	}
	if !same(old.Default, now.Default) {
		c.breaks(tool, "%s: default %v -> %v", at, old.Default, now.Default)
	}
	if !same(old.Enum, now.Enum) {
		if input && len(old.Enum) > 0 && isSubset(old.Enum, now.Enum) || !input && isSubset(now.Enum, old.Enum) {
			c.adds(tool, "%s: values %v -> %v", at, old.Enum, now.Enum)
		} else {
			c.breaks(tool, "%s: values %v -> %v", at, old.Enum, now.Enum)
		}
	}
	for name, property := range old.Properties {
		c.compare(tool, at+"."+name, property, now.Properties[name], input)
	}
	for name := range now.Properties {
		isNeeded, wasNeeded := slices.Contains(now.Required, name), slices.Contains(old.Required, name)
		switch {
		case old.Properties[name] == nil && input && isNeeded:
			c.breaks(tool, "%s.%s: new and required", at, name)
		case old.Properties[name] == nil:
			c.adds(tool, "%s.%s: new", at, name)
		case isNeeded && !wasNeeded && input, wasNeeded && !isNeeded && !input:
			c.breaks(tool, "%s.%s: required %v -> %v", at, name, wasNeeded, isNeeded)
		case isNeeded != wasNeeded:
			c.adds(tool, "%s.%s: required %v -> %v", at, name, wasNeeded, isNeeded)
		}
	}
	if old.Items != nil || now.Items != nil {
		c.compare(tool, at+"[]", old.Items, now.Items, input)
	}
}

func same(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

func isSubset(small, large []any) bool {
	return len(large) > 0 && !slices.ContainsFunc(small, func(value any) bool {
		return !slices.ContainsFunc(large, func(other any) bool { return same(value, other) })
	})
}

// TestContractChanges checks that each kind of change is noticed, and judged rightly.
func TestContractChanges(t *testing.T) {
	const base = `{"Name":"t","Toolset":"notes","Effect":1,"Input":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","default":5},
		"c":{"type":"string","enum":["x","y"]}},"required":["a"]},"Output":{"type":"object","properties":{"r":{"type":"array","items":{"type":"string"}},
		"s":{"type":"string","enum":["x","y"]}},"required":["r"]}}`
	for _, test := range []struct{ old, now, want string }{
		{`"title":"T"`, `"Title":"Other"`, ""},
		{`"Toolset":"notes"`, `"Toolset":"vault"`, "breaks t: moves from toolset notes to vault\n"},
		{`"Effect":1`, `"Effect":2`, "breaks t: other annotations: effect 1 -> 2, idempotent false -> false\n"},
		{`"a":{"type":"string"}`, `"a":{"type":"integer"}`, "breaks t: parameters.a: type string -> integer\n"},
		{`"b":{"type":"integer","default":5},`, ``, "breaks t: parameters.b: gone\n"},
		{`"default":5`, `"default":6`, "breaks t: parameters.b: default 5 -> 6\n"},
		{`"c":{"type":"string","enum":["x","y"]}`, `"c":{"type":"string","enum":["x","y","z"]}`, "adds t: parameters.c: values [x y] -> [x y z]\n"},
		{`"c":{"type":"string","enum":["x","y"]}`, `"c":{"type":"string","enum":["x"]}`, "breaks t: parameters.c: values [x y] -> [x]\n"},
		{`"s":{"type":"string","enum":["x","y"]}`, `"s":{"type":"string","enum":["x","z"]}`, "breaks t: result.s: values [x y] -> [x z]\n"},
		{`"s":{"type":"string","enum":["x","y"]}`, `"s":{"type":"string","enum":["x"]}`, "adds t: result.s: values [x y] -> [x]\n"},
		{`"properties":{"a"`, `"properties":{"n":{"type":"string"},"a"`, "adds t: parameters.n: new\n"},
		{`"properties":{"r"`, `"properties":{"n":{"type":"string"},"r"`, "adds t: result.n: new\n"},
		{`"required":["a"]`, `"required":["a","b"]`, "breaks t: parameters.b: required false -> true\n"},
		{`"required":["a"]`, `"required":[]`, "adds t: parameters.a: required true -> false\n"},
		{`"required":["r"]`, `"required":[]`, "breaks t: result.r: required true -> false\n"},
		{`"items":{"type":"string"}`, `"items":{"type":"object"}`, "breaks t: result.r[]: type string -> object\n"},
		{`"Name":"t"`, `"Name":"u"`, "adds u: a new tool\nbreaks t: the tool is gone\n"},
	} {
		parse := func(text string) map[string]contract {
			var tool contract
			if err := json.Unmarshal([]byte(text), &tool); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			return map[string]contract{tool.Name: tool}
		}
		if got := strings.Join(contractChanges(parse(base), parse(strings.Replace(base, test.old, test.now, 1))), ""); got != test.want {
			t.Errorf("%s -> %s: %q, want %q", test.old, test.now, got, test.want)
		}
	}
}
