package ripgrep

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"obsidian-mcp/bench"
)

// program is the pinned ripgrep if tools/ripgrep has fetched it, or the one on PATH.
func program(t *testing.T) Program {
	t.Helper()
	if pinned, _ := filepath.Glob("../../bin/ripgrep/*/rg"); len(pinned) > 0 {
		return Program(pinned[len(pinned)-1])
	}
	found, err := exec.LookPath("rg")
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	return Program(found)
}

func TestCountAndRewrite(t *testing.T) {
	rg, dir := program(t), t.TempDir()
	for name, text := range map[string]string{"a: b.md": "[[Hub]]\nHub\n[[Hub]] [[Hub]]\n", "c.md": "nothing\n", ".gitignore": "*.md\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for expr, want := range map[string]bench.Count{`\[\[Hub`: {Lines: 2, Files: 1}, "Hub|nothing": {Lines: 4, Files: 2}, "absent": {}} {
		if got, cost, err := rg.Count(dir, bench.Pattern{Name: expr, Expr: expr}); err != nil || got != want || cost.Wall == 0 {
			t.Errorf("%s: got %+v, want %+v, %v", expr, got, want, err)
		}
	}
	if _, _, err := rg.Count(dir, bench.Pattern{Name: "broken", Expr: "("}); err == nil {
		t.Error("an invalid pattern gave no error")
	}
	if _, err := rg.Rewrite(dir, "[[Hub]]", "[[New]]"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a: b.md")); err != nil || string(text) != "[[New]]\nHub\n[[New]] [[New]]\n" {
		t.Errorf("got %q, %v", text, err)
	}
}
