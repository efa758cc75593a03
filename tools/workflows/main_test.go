package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

func TestShippedWorkflows(t *testing.T) {
	problems, count, err := check(root)
	if err != nil || len(problems) > 0 || count < 2 {
		t.Errorf("%d workflows: %v\n%s", count, err, strings.Join(problems, "\n"))
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestWorkflowRules breaks each rule by one change of a shipped workflow.
func TestWorkflowRules(t *testing.T) {
	docker := read(t, "Dockerfile")
	tests := []struct{ name, file, old, new, want string }{
		{"what actionlint finds", "test.yml", "runs-on: macos-latest", "runs-on: macos-newest", "macos-newest"},
		{"a missing job", "release.yml", "needs: [test, make]", "needs: [test, build]", "build"},
		{"a tag instead of a hash", "test.yml", "@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1", "@v7", "not pinned"},
		{"a hash without its version", "test.yml", " # v7.0.1", "", "not pinned"},
		{"another compiler", "release.yml", "go-version: 1.26.8", "go-version: 1.26.7", "the Dockerfile has"},
		{"all permissions", "test.yml", "permissions:\n  contents: read", "permissions: write-all", "must only read"},
		{"other people's changes with secrets", "test.yml", "  pull_request:", "  pull_request_target:", "gives secrets"},
		{"an expression in a command", "release.yml", "run: make release VERSION=\"$GITHUB_REF_NAME\"", "run: make release VERSION=${{ github.ref_name }}", "pass it as a variable"},
		{"a token that stays", "release.yml", "persist-credentials: false", "persist-credentials: true", "leaves its token"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			source := read(t, ".github/workflows/"+test.file)
			if !strings.Contains(source, test.old) {
				t.Fatalf("%s does not contain %q", test.file, test.old)
			}
			problems, err := checkWorkflow(test.file, strings.Replace(source, test.old, test.new, 1), docker)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Join(problems, "\n"), test.want) {
				t.Errorf("got the problems %q, want one that contains %q", problems, test.want)
			}
		})
	}
}
