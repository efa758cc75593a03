package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// runModel runs a command with a stand-in for the download.
func runModel(t *testing.T, args ...string) (status int, out, messages string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := Program{
		Tools: tool.NewRegistry(nil), Out: &stdout, Err: &stderr, Models: "tiny (two words, 1 KB)",
		IsTerminal: func() bool { return false }, Watched: func() bool { return false },
		Lookup: func(string) (string, bool) { return "", false },
		FetchModel: func(_ context.Context, name, dir, mirror string, report func(string)) (string, error) {
			if name != "tiny" {
				return "", fault.NotFound.Errorf("no model is called '%s'", name)
			}
			report("downloading it from " + mirror)
			return filepath.Join(dir, name), nil
		},
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	status = Run(t.Context(), p, append([]string{"model"}, args...))
	return status, stdout.String(), stderr.String()
}

func TestFetchModel(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "tiny")
	status, out, messages := runModel(t, "fetch", "tiny", "--dir", dir, "--from", "https://mirror.example.com")
	if status != 0 || !strings.HasPrefix(out, folder+"\n") || !strings.Contains(out, "OBSIDIAN_MCP_SEMANTIC_MODEL="+folder) {
		t.Errorf("status %d: %s", status, out)
	}
	if messages != "obsidian-mcp: downloading it from https://mirror.example.com\n" {
		t.Errorf("messages %q", messages)
	}
	if _, _, messages := runModel(t, "fetch", "tiny", "--dir", dir, "--quiet"); messages != "" {
		t.Errorf("with --quiet it says %q", messages)
	}
	if status, out, _ := runModel(t, "fetch", "tiny"); status != 0 || !strings.Contains(out, filepath.Join("models", "tiny")) {
		t.Errorf("without a folder: status %d, %s", status, out)
	}
	for _, args := range [][]string{{"fetch"}, {"fetch", "tiny", "more"}, {"fetch", "huge"}} {
		if status, out, messages := runModel(t, args...); status == 0 || out != "" || messages == "" {
			t.Errorf("%q: status %d, %q, %q", args, status, out, messages)
		}
	}
}
