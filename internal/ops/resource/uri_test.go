package resource

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/note/vpath"
)

func TestURIsNameOnePathEach(t *testing.T) {
	uris := NewURIs("My vault/ü")
	const root = "mcp-obsidian://My%20vault%2F%C3%BC/"
	for path, want := range map[vpath.Path]string{
		"Note.md":                  "Note.md",
		"a b/c&d.md":               "a%20b/c%26d.md",
		"-._~AZaz09.md":            "-._~AZaz09.md",
		"100%25 (1)+[x]'!*;=,@.md": "100%2525%20%281%29%2B%5Bx%5D%27%21%2A%3B%3D%2C%40.md",
		"日本/é?#:.md":               "%E6%97%A5%E6%9C%AC/%C3%A9%3F%23%3A.md",
	} {
		if got := uris.Of(path); got != root+want {
			t.Errorf("%s: %s, want %s", path, got, root+want)
		}
		if got, ok := uris.Parse(uris.Of(path)); !ok || got != path {
			t.Errorf("%s is parsed as %q, %v", path, got, ok)
		}
	}
	for uri, want := range map[string]vpath.Path{
		"MCP-Obsidian://My vault%2fü/a.md": "a.md",
		root + "%61.md":                    "a.md",
		root + "a+b?c#d.md":                "a+b?c#d.md",
		root + "%2561.md":                  "%61.md",
	} {
		if got, ok := uris.Parse(uri); !ok || got != want {
			t.Errorf("%s: %q, %v, want %q", uri, got, ok, want)
		}
	}
	for _, uri := range []string{
		"", root, root + "/", root + "a//b", root + "a%2Fb", root + "a%5Cb", root + "%", root + "%1", root + "%g0", root + "..", root + "%2e%2e/a", root + ".git/a",
		root + "%00", root + "%ff", "mcp-obsidian://My vault/ü/a.md", "mcp-obsidian://other/a.md", "x" + root + "a.md", strings.TrimSuffix(root, "/"),
	} {
		if got, ok := uris.Parse(uri); ok {
			t.Errorf("%s names %q", uri, got)
		}
	}
}

// FuzzParseURI checks that every URI that is accepted names exactly one safe path.
func FuzzParseURI(f *testing.F) {
	for _, uri := range []string{"mcp-obsidian://v/a.md", "mcp-obsidian://v/a%20b/%C3%A9.md", "mcp-obsidian://v/%2e%2e/x", "mcp-obsidian://v/a%2Fb", "mcp-obsidian://%76/a#b?c"} {
		f.Add(uri)
	}
	uris := NewURIs("v")
	f.Fuzz(func(t *testing.T, uri string) {
		path, ok := uris.Parse(uri)
		if !ok {
			return
		}
		if checked, err := vpath.Parse(string(path)); err != nil || checked != path {
			t.Errorf("%q names %q: %v", uri, path, err)
		}
		if again, ok := uris.Parse(uris.Of(path)); !ok || again != path {
			t.Errorf("%q is parsed as %q, %v", path, again, ok)
		}
	})
}
