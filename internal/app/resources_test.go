package app

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/testkit/vaultgen"
)

// eras are protocol versions: an old and a new one with sessions, and the one without.
var eras = []string{"2024-11-05", "2025-11-25", "2026-07-28"}

// inEveryEra runs a test with a client of each era.
func inEveryEra(t *testing.T, vault func(*testing.T) string, test func(t *testing.T, c *eraClient, vault string)) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			dir := vault(t)
			c := &eraClient{client: start(t, dir, "OBSIDIAN_MCP_CONTEXT=off", debugLog), era: era}
			defer c.client.end()
			if !c.sessionless() {
				c.client.initialize(era)
			}
			test(t, c, dir)
		})
	}
}

// eraClient is a client that uses the protocol version of its era.
type eraClient struct {
	client    *client
	era       string
	listening string // the id of the subscription, without sessions
	marks     int    // how often the marker was changed
}

func (c *eraClient) sessionless() bool { return c.era >= "2026-07-28" }

func (c *eraClient) params(params map[string]any) map[string]any {
	if c.sessionless() {
		params["_meta"] = meta2026("t")
	}
	return params
}

func (c *eraClient) ask(method string, params map[string]any) message {
	c.client.t.Helper()
	return c.client.request(method, c.params(params))
}

// answer asks, and decodes the result.
func (c *eraClient) answer(method string, params map[string]any, into any) {
	c.client.t.Helper()
	answer := c.ask(method, params)
	if answer.Error != nil {
		c.client.t.Fatalf("%s: %s", method, answer.raw)
	}
	if err := json.Unmarshal(answer.Result, into); err != nil {
		c.client.t.Fatal(err)
	}
}

// listedResource is an entry of resources/list.
type listedResource struct {
	URI, Name, Title, Description, MIMEType string
	Size                                    int64
	Annotations                             struct{ LastModified string }
}

// content is a result of resources/read.
type content struct {
	URI, MIMEType string
	Text, Blob    *string
}

func (c *eraClient) readResource(uri string) content {
	c.client.t.Helper()
	var result struct{ Contents []content }
	c.answer("resources/read", map[string]any{"uri": uri}, &result)
	if len(result.Contents) != 1 {
		c.client.t.Fatalf("%s: %d contents", uri, len(result.Contents))
	}
	return result.Contents[0]
}

// oddVault is a vault with twelve notes in a folder whose name must be escaped in URIs. The last two have the same time.
func oddVault(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "My vault#ü")
	for i := range 12 {
		name := fmt.Sprintf("work & play/Note %02d.md", i)
		writeFiles(t, dir, map[string]string{name: strings.Repeat("x", i)})
		when := time.Date(2026, 1, 1, min(i, 10), 0, 0, 0, time.UTC)
		if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(name)), when, when); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const oddRoot = "mcp-obsidian://My%20vault%23%C3%BC/"

func TestResourcesAreTheNewestNotes(t *testing.T) {
	t.Parallel()
	inEveryEra(t, oddVault, func(t *testing.T, c *eraClient, _ string) {
		var list struct{ Resources []listedResource }
		c.answer("resources/list", map[string]any{}, &list)
		if len(list.Resources) != 11 || list.Resources[0].URI != "obsidian-mcp://context" {
			t.Fatalf("%+v", list.Resources)
		}
		for i, n := range []int{10, 11, 9, 8, 7, 6, 5, 4, 3, 2} {
			file := fmt.Sprintf("Note %02d", n)
			want := listedResource{
				URI: oddRoot + fmt.Sprintf("work%%20%%26%%20play/Note%%20%02d.md", n), Name: file + ".md", Title: file,
				Description: "Path: work & play/" + file + ".md", MIMEType: "text/markdown", Size: int64(n),
			}
			if c.era >= "2025-06-18" {
				want.Annotations.LastModified = fmt.Sprintf("2026-01-01T%02d:00:00Z", min(n, 10))
			}
			if got := list.Resources[i+1]; got != want {
				t.Errorf("%d: got %+v\nwant %+v", i, got, want)
			}
			if text := c.readResource(list.Resources[i+1].URI).Text; text == nil || *text != strings.Repeat("x", n) {
				t.Errorf("%s: %v", file, text)
			}
		}
		var templates struct {
			ResourceTemplates []struct{ URITemplate, Name string }
		}
		c.answer("resources/templates/list", map[string]any{}, &templates)
		if len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate != oddRoot+"{+path}" {
			t.Errorf("%+v", templates)
		}
		if refused := c.ask("resources/list", map[string]any{"cursor": "nonsense"}); refused.Error == nil || refused.Error.Code != -32602 {
			t.Errorf("%s", refused.raw)
		}
	})
}

// fileVault has a file of every kind.
func fileVault(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "v")
	writeFiles(t, dir, map[string]string{
		"Note.md": "\ufeff---\r\na: <b> & c\r\n---\r\n\u2028 \x00 end", "Empty.md": "", "Odd.md": "a\xffb", "Grüße/Straße #1 100%?.md": "odd name",
		"Board.canvas": `{"nodes":[]}`, "T.base": "views: []\n", "data.csv": "a,b\n", "draw.SVG": "<svg/>", "plain": "text", "some.bin": "\x00\x01", "empty.png": "",
		"image.png": "\x89PNG\r\n\x1a\n\xff", "fake.pdf": "text", "bad.txt": "\xff", ".obsidian/app.json": "{}", ".hidden.md": "no", "folder/x.md": "x",
	})
	if err := os.WriteFile(filepath.Join(dir, "big.mp4"), make([]byte, 10_000_001), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "large.mp4"), bytes.Repeat([]byte{0xff}, 10_000_000), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "outside.md"), []byte("no"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(filepath.Dir(dir), "outside.md"), filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestResourcesAreRead(t *testing.T) {
	t.Parallel()
	inEveryEra(t, fileVault, func(t *testing.T, c *eraClient, dir string) {
		for _, resource := range []struct {
			uri, file, mime string
			blob            bool
		}{
			{"Note.md", "Note.md", "text/markdown", false},
			{"NOTE.md", "Note.md", "text/markdown", false},
			{"Empty.md", "Empty.md", "text/markdown", false},
			{"Odd.md", "Odd.md", "text/markdown", true},
			{"Gr%C3%BC%C3%9Fe/Stra%C3%9Fe%20%231%20100%25%3F.md", "Grüße/Straße #1 100%?.md", "text/markdown", false},
			{"Gru%CC%88%C3%9Fe/stra%C3%9Fe%20%231%20100%25%3F.md", "Grüße/Straße #1 100%?.md", "text/markdown", false},
			{"Grüße/Straße #1 100%25?.md", "Grüße/Straße #1 100%?.md", "text/markdown", false},
			{"%4eote.md", "Note.md", "text/markdown", false},
			{"Board.canvas", "Board.canvas", "application/json", false},
			{"T.base", "T.base", "application/yaml", false},
			{"data.csv", "data.csv", "text/csv", false},
			{"draw.SVG", "draw.SVG", "image/svg+xml", false},
			{"plain", "plain", "text/plain", false},
			{"some.bin", "some.bin", "application/octet-stream", true},
			{"empty.png", "empty.png", "image/png", true},
			{"image.png", "image.png", "image/png", true},
			{"fake.pdf", "fake.pdf", "application/pdf", true},
			{"bad.txt", "bad.txt", "text/plain", true},
			{"large.mp4", "large.mp4", "video/mp4", true},
		} {
			want, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(resource.file)))
			if err != nil {
				t.Fatal(err)
			}
			got := c.readResource("mcp-obsidian://v/" + resource.uri)
			if got.URI != "mcp-obsidian://v/"+resource.uri || got.MIMEType != resource.mime ||
				(got.Blob != nil) != resource.blob || (got.Text != nil) == resource.blob {
				t.Errorf("%s: %s, text %v, blob %v", resource.uri, got.MIMEType, got.Text != nil, got.Blob != nil)
				continue
			}
			text := []byte(nil)
			if resource.blob {
				text, err = base64.StdEncoding.DecodeString(*got.Blob)
			} else {
				text = []byte(*got.Text)
			}
			if err != nil || !bytes.Equal(text, want) {
				t.Errorf("%s: got %.100q, want %.100q, %v", resource.uri, text, want, err)
			}
		}
		tooLarge := c.ask("resources/read", map[string]any{"uri": "mcp-obsidian://v/big.mp4"})
		if tooLarge.Error == nil || tooLarge.Error.Code != -32602 || !strings.Contains(tooLarge.Error.Message, "10000001 bytes") {
			t.Errorf("%s", tooLarge.raw)
		}
	})
}

// notFound are URIs that name no file of fileVault.
var notFound = []string{
	"", "x", "mcp-obsidian:", "mcp-obsidian://v", "mcp-obsidian://v/", "mcp-obsidian://V/Note.md", "mcp-obsidian://other/Note.md", "mcp-obsidian:///Note.md",
	"file:///etc/passwd", "obsidian-mcp://v/Note.md", "obsidian-mcp://context2",
	"mcp-obsidian://v/None.md", "mcp-obsidian://v/Note", "mcp-obsidian://v/folder", "mcp-obsidian://v/folder/", "mcp-obsidian://v//Note.md", "mcp-obsidian://v/x.md",
	"mcp-obsidian://v/.obsidian/app.json", "mcp-obsidian://v/%2Eobsidian/app.json", "mcp-obsidian://v/.hidden.md", "mcp-obsidian://v/link.md",
	"mcp-obsidian://v/../outside.md", "mcp-obsidian://v/%2e%2e/outside.md", "mcp-obsidian://v/..%2Foutside.md", "mcp-obsidian://v/folder%2Fx.md", "mcp-obsidian://v/folder%5Cx.md",
	"mcp-obsidian://v/Note.md%", "mcp-obsidian://v/Note%2.md", "mcp-obsidian://v/Note%zz.md", "mcp-obsidian://v/%FF.md", "mcp-obsidian://v/Note.md%00", "mcp-obsidian://v/%252e%252e/outside.md",
	"mcp-obsidian://v/" + strings.Repeat("a", 10000), "mcp-obsidian://v/C:/x.md",
}

func TestOtherResourcesAreNotFound(t *testing.T) {
	t.Parallel()
	inEveryEra(t, fileVault, func(t *testing.T, c *eraClient, _ string) {
		code := -32002
		if c.sessionless() {
			code = -32602
		}
		for _, uri := range notFound {
			data, _ := json.Marshal(map[string]string{"uri": uri})
			got := c.ask("resources/read", map[string]any{"uri": uri})
			if got.Error == nil || got.Error.Code != code || got.Error.Message != "Resource not found" || string(got.Error.Data) != string(data) {
				t.Errorf("%q: %.300s", uri, got.raw)
			}
		}
	})
}

func TestVaultIDIsASetting(t *testing.T) {
	t.Parallel()
	c := start(t, smallVault(t), "VAULT_ID=a/b c")
	defer c.end()
	c.initialize("2025-11-25")
	if listed := c.request("resources/list", map[string]any{}); !strings.Contains(string(listed.Result), `"mcp-obsidian://a%2Fb%20c/Plain.md"`) {
		t.Errorf("%s", listed.raw)
	}
	if got := c.request("resources/read", map[string]any{"uri": "mcp-obsidian://a%2Fb%20c/Plain.md"}); got.Error != nil {
		t.Errorf("%s", got.raw)
	}
}

// TestResourcesWaitForTheIndex asks for resources before the index is built.
func TestResourcesWaitForTheIndex(t *testing.T) {
	t.Parallel()
	programPath(t)
	vault := t.TempDir()
	if err := vaultgen.Write(vault, vaultgen.Options{Notes: mode.Pick(1000, 4000, 4000), Seed: 1}); err != nil {
		t.Fatal(err)
	}
	c := start(t, vault)
	defer c.end()
	discovered := c.request("server/discover", map[string]any{"_meta": meta2026("a")})
	if !strings.Contains(string(discovered.Result), `"resources":{"listChanged":true,"subscribe":true}`) || !strings.Contains(string(discovered.Result), `"completions":{}`) {
		t.Errorf("%s", discovered.raw)
	}
	var list struct{ Resources []listedResource }
	if err := json.Unmarshal(c.request("resources/list", map[string]any{"_meta": meta2026("a")}).Result, &list); err != nil || len(list.Resources) != 11 {
		t.Errorf("%d resources, %v", len(list.Resources), err)
	}
}
