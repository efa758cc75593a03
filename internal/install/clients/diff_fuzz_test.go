package clients_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"

	"obsidian-mcp/internal/install/clients"
)

// For any file, the masked diff has as many lines as the real one, and does not show the value of a token.
func FuzzDiff(f *testing.F) {
	f.Add("{}", "{\n \"a\": 1\n}\n", true)
	f.Add("a = \"\"\"\nx\n\"\"\"\n", "a_key = '''\nx\n", false)
	f.Add("\"--token\",\n\"x\"", "://x@\"", true)
	f.Add("0,", "\"# 0", true)
	f.Add("\"\\", "", true)
	f.Add("", "\r\n\r\n@@ -1,1 +9,9 @@\n", false)
	f.Fuzz(func(t *testing.T, before, after string, isJSON bool) {
		client := map[bool]string{true: "cursor", false: "codex"}[isJSON]
		before += "\n\"token\": \"SECRET-VALUE\"\n" // on a separate line, in case the text before it is complete
		plan := clients.Plan{Client: find(t, client), File: "f", Before: []byte(before), After: []byte(after)}
		shown := plan.Diff()
		full := diff.Diff("f", unix(before), "f", unix(after))
		if got, want := strings.Count(shown, "\n"), max(bytes.Count(full, []byte("\n"))-1, 0); got != want {
			t.Errorf("%d lines, want %d:\n%s", got, want, shown)
		}
		if isJSON && strings.Contains(shown, "SECRET-VALUE") && !strings.Contains(after, "SECRET-VALUE") {
			t.Errorf("a secret is shown:\n%s", shown)
		}
	})
}

func unix(text string) []byte { return []byte(strings.ReplaceAll(text, "\r\n", "\n")) }
