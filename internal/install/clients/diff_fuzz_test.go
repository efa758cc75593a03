package clients_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"

	"obsidian-mcp/internal/install/clients"
)

// FuzzDiff: whatever is in a file, the diff that is shown has the lines of the
// true one, and a value that is called a token is not among them.
func FuzzDiff(f *testing.F) {
	f.Add("{}", "{\n \"a\": 1\n}\n", true)
	f.Add("a = \"\"\"\nx\n\"\"\"\n", "a_key = '''\nx\n", false)
	f.Add("\"--token\",\n\"x\"", "://x@\"", true)
	f.Add("0,", "\"# 0", true)
	f.Add("\"\\", "", true)
	f.Add("", "\r\n\r\n@@ -1,1 +9,9 @@\n", false)
	f.Fuzz(func(t *testing.T, before, after string, isJSON bool) {
		client := map[bool]string{true: "cursor", false: "codex"}[isJSON]
		before += "\n\"token\": \"SECRET-VALUE\"\n" // on a line of its own, where the text before is closed
		plan := clients.Plan{Client: find(t, client), File: "f", Before: []byte(before), After: []byte(after)}
		shown := plan.Diff()
		whole := diff.Diff("f", unix(before), "f", unix(after))
		if got, want := strings.Count(shown, "\n"), max(bytes.Count(whole, []byte("\n"))-1, 0); got != want {
			t.Errorf("%d lines, want %d:\n%s", got, want, shown)
		}
		if isJSON && strings.Contains(shown, "SECRET-VALUE") && !strings.Contains(after, "SECRET-VALUE") {
			t.Errorf("a secret is shown:\n%s", shown)
		}
	})
}

func unix(text string) []byte { return []byte(strings.ReplaceAll(text, "\r\n", "\n")) }
