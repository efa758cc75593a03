package main

import (
	"strings"
	"testing"
)

func TestOwners(t *testing.T) {
	modules := []string{"github.com/a/b", "github.com/a/b/v2", "go.yaml.in/yaml/v3"}
	for name, want := range map[string]string{
		"github.com/a/b.(*T).Do":                 "github.com/a/b",
		"github.com/a/b/v2/inner.Do":             "github.com/a/b/v2",
		"github.com/a/bc.Do":                     "",
		"type:*github.com/a/b.T":                 "github.com/a/b",
		"type:.eq.github.com/a/b.T":              "github.com/a/b",
		"go:itab.*github.com/a/b.T,io.Writer":    "github.com/a/b",
		"go.yaml.in/yaml/v3.yaml_parser_fetch":   "go.yaml.in/yaml/v3",
		"obsidian-mcp/internal/ops.(*Ops).Do":    "obsidian-mcp",
		"net/http.(*Transport).dialConn":         "std",
		"runtime.mallocgc":                       "std",
		"vendor/golang.org/x/net/idna.idnaIndex": "std",
	} {
		if got := ownerOf(name, modules); got != want {
			t.Errorf("%s belongs to %q, want %q", name, got, want)
		}
	}
}

func example() sizes {
	s := sizes{stripped: 30_000_000, modules: map[string]int64{}, own: 9_000_000, standard: 7_000_000}
	for module := range purposes {
		s.modules[module] = 40_000
	}
	s.modules["github.com/spf13/cobra"] = 440_000
	return s
}

func TestDocumentAndBounds(t *testing.T) {
	s := example()
	document := s.document()
	if problems := append(s.problems(), s.compare(document)...); len(problems) > 0 {
		t.Errorf("a document differs from what it was made from: %q", problems)
	}
	tests := []struct {
		name   string
		change func(*sizes)
		want   string
	}{
		{"a larger program", func(s *sizes) { s.stripped = limit + 1 }, "1 more than allowed"},
		{"a new module", func(s *sizes) { s.modules["example.org/new"] = 1 }, "say in tools/size/report.go what it is for"},
		{"a module that is gone", func(s *sizes) { delete(s.modules, "golang.org/x/sys") }, "no longer part of the program"},
		{"a module that grows", func(s *sizes) { s.modules["golang.org/x/sys"] = 300_000 }, "golang.org/x/sys has 0.3 MB, not 0.1"},
		{"a module that becomes large", func(s *sizes) { s.modules["github.com/spf13/cobra"] = 560_000 }, "cobra has 0.6 MB, not 0.4"},
		{"a small change", func(s *sizes) { s.modules["golang.org/x/sys"] = 110_000; s.own += 400_000 }, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := example()
			test.change(&s)
			problems := strings.Join(append(s.problems(), s.compare(document)...), "\n")
			if !strings.Contains(problems, test.want) || test.want == "" && problems != "" {
				t.Errorf("the problems are %q, want %q", problems, test.want)
			}
		})
	}
	if problems := strings.Join(example().compare(strings.Replace(document, "its flags", "flags", 1)), "\n"); !strings.Contains(problems, "described differently") {
		t.Errorf("another description is not noticed: %q", problems)
	}
}
