package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	dom "golang.org/x/net/html"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/surface/web/html"
	"obsidian-mcp/internal/tool"
)

// attack tries to leave a text, an attribute and an address.
const attack = `javascript:alert(1)//'"><img src=x onerror=alert(1)><script>alert(1)</script>`

// attacked is a vault whose names, tags, properties and texts attack the page. A name has no slash and fits the index.
var attacked = func() map[string]string {
	name := strings.ReplaceAll(attack, "/", "")
	return map[string]string{
		name + ".md": fmt.Sprintf("---\ntags: [%q]\n%q: %q\nlink: javascript:alert(1)\nother: \"[x](javascript:alert(1))\"\n---\n[[Home]] %s #%s\n", attack, attack, attack, attack, attack),
		"Home.md":    "[[" + name + "]] ![](javascript:alert(1)) [x](data:text/html,x)\n",
		"Bad.md":     "---\n" + attack + ": b: c\n---\n",
		"A.canvas":   `{"nodes":[{"type":"link","url":"javascript:alert(1)"}]}`,
		"A.base":     attack,

		name + " (conflict x).md": attack,
	}
}()

// Nothing that a note, a name, a tag, a query, a tool, a client or a token contains becomes markup or runs, on any page
// and in any part of one.
func TestNothingLeavesItsPlace(t *testing.T) {
	name := url.QueryEscape(strings.ReplaceAll(attack, "/", ""))
	secret, owner := token(t, attack, fullGrant)
	s := openVault(t, attacked, owner)
	s.distort()
	check := func(got pageResponse) {
		t.Helper()
		if err := intact(got.body); err != nil {
			t.Errorf("%s %s: %v", got.Request.Method, got.Request.URL, err)
		}
	}
	check(s.get("/login?next=" + url.QueryEscape(attack)))
	check(s.logIn(attack, attack))
	s.logIn(secret, "/").expect(t, http.StatusSeeOther)
	for _, headers := range [][]string{nil, {script}} {
		for _, path := range []string{
			"/", "/now", "/recent", "/search", "/search?q=" + url.QueryEscape(attack), "/search?q=alert", "/search?note=" + url.QueryEscape(attack), "/search?q=%2F(" + url.QueryEscape(attack),
			"/note?path=" + name, "/note?path=" + url.QueryEscape(attack), "/note?path=Home.md", "/note?path=Bad.md", "/note?path=A.canvas", "/note?path=A.base", "/file?path=" + url.QueryEscape(attack),
			"/graph", "/graph?note=" + name, "/graph?note=" + url.QueryEscape(attack), "/graph?note=Home&depth=2", "/graph?names=1&note=java",
			"/changes", "/changes?session=" + url.QueryEscape(attack), "/changes?undone=" + url.QueryEscape(attack), "/changes/" + url.PathEscape(attack),
			"/tools", "/tools/" + url.PathEscape(attack), "/tools/read_note?name=" + url.QueryEscape(attack), "/tools/create_note?content=" + url.QueryEscape(attack),
			"/connect", "/livesync", "/access", "/" + url.PathEscape(attack),
			"/conflicts", "/conflicts?resolved=" + url.QueryEscape(attack), "/conflict?note=" + name + ".md", "/conflict?note=" + url.QueryEscape(attack),
		} {
			got := s.get(path, headers...)
			check(got)
			if got.StatusCode < 400 && headers == nil && path != "/now" && path != "/recent" && !strings.Contains(got.body, "&lt;script&gt;") {
				t.Errorf("%s does not show the attack, so it proves nothing", path)
			}
		}
		for _, path := range []string{"/tools/read_note", "/tools/create_note", "/livesync", "/conflict", "/changes/undo", "/changes/" + url.PathEscape(attack) + "/undo"} {
			form := url.Values{}
			for _, field := range []string{"name", "content", "url", "database", "user", "session", "confirm", "note", "choose", "hash"} {
				form.Set(field, attack)
			}
			check(s.post(path, form, headers...))
			form.Set("form", attack)
			check(s.send(http.MethodPost, path, form, headers...))
		}
	}
}

// intact reads a page as a browser would, and returns an error for anything that runs or loads what is not ours.
func intact(page string) error {
	reader := dom.NewTokenizer(strings.NewReader(page))
	inScript := false
	for {
		switch reader.Next() {
		case dom.ErrorToken:
			return nil
		case dom.CommentToken:
			return fmt.Errorf("comment %s", reader.Raw())
		case dom.TextToken:
			if inScript {
				return fmt.Errorf("script %s", reader.Raw())
			}
		case dom.EndTagToken:
			inScript = false
		case dom.StartTagToken, dom.SelfClosingTagToken:
			tag := reader.Token()
			inScript = tag.Data == "script"
			if err := intactTag(tag); err != nil {
				return err
			}
		}
	}
}

func intactTag(tag dom.Token) error {
	if slices.Contains([]string{"style", "iframe", "object", "embed", "base", "template"}, tag.Data) {
		return fmt.Errorf("element %s", tag)
	}
	for _, attribute := range tag.Attr {
		bad := strings.HasPrefix(attribute.Key, "on") || attribute.Key == "style" || strings.ContainsAny(attribute.Key, `"'<>`)
		switch attribute.Key {
		case "src":
			bad = bad || !strings.HasPrefix(attribute.Val, "/assets/") && !strings.HasPrefix(attribute.Val, "/file?")
		case "href", "action", "hx-get", "hx-post":
			address, err := url.Parse(attribute.Val)
			bad = bad || err != nil || !slices.Contains([]string{"", "http", "https", "mailto", "obsidian"}, address.Scheme) ||
				address.Scheme == "" && address.Host != ""
		}
		if bad {
			return fmt.Errorf("attribute %s=%q of %s", attribute.Key, attribute.Val, tag)
		}
	}
	return nil
}

// distort makes all that the server behind the page tells attack it.
func (s *site) distort() {
	server := &s.page.options.Server
	server.Vault = attack
	server.Database = Database{URL: attack, Name: attack, User: attack}
	server.Connections = func(*http.Request, *auth.Principal) []Connection {
		return []Connection{{ID: attack, Name: attack, Remote: &Block{attack, attack}, Local: &Block{attack, attack}, After: attack}}
	}
	server.Access = func() []Access {
		all := []string{attack}
		return []Access{{Name: attack, From: attack, Allow: all, Deny: all, Toolsets: all}}
	}
	server.TestLiveSync = func(context.Context, Database) []Check { return []Check{{attack, attack}} }
	server.Status = func(context.Context, *auth.Principal) Status {
		return Status{Vault: attack, Problem: attack, Ready: true, Whole: &Whole{Version: attack, Store: attack, Place: attack, History: attack, Meaning: &Meaning{Model: attack, Problem: attack, Leaves: true}}}
	}
	tools := server.Tools
	server.Tools = func(who *auth.Principal) (*tool.Registry, error) {
		all, err := tools(who)
		return all.Around(func(called tool.Tool, next tool.Handler) tool.Handler {
			return func(ctx context.Context, args json.RawMessage) (tool.Answer, error) {
				switch called.Name {
				case "list_changes":
					answer, err := json.Marshal(map[string]any{"changes": []changeRow{{ID: attack, Tool: attack, Client: attack, Session: attack, Summary: attack}}})
					return tool.Answer{JSON: answer}, err
				case "show_change":
					return tool.Answer{Text: "x by c: " + attack + "\n\n+" + attack, Meta: map[string]any{"client": "c", "session": attack, "tool": attack}}, nil
				case "undo_change":
					return tool.Answer{}, &tool.NeedsConfirm{ID: attack, Tags: []string{attack}}
				}
				return next(ctx, args)
			}
		}), err
	}
}

// The views of tools hold whatever a tool is called.
func TestToolNamesAreText(t *testing.T) {
	called := tool.Tool{Spec: tool.Spec{Name: attack, Title: attack, About: attack}}
	page := toolPage{Tool: called, Result: &result{Request: attack, Text: attack, Answer: attack, Meta: attack, Confirm: attack, Consent: attack, Took: attack}}
	for _, kind := range []string{"line", "text", "number", "truth", "choice", "list", "object"} {
		page.Fields = append(page.Fields, field{Param: tool.Param{Name: attack, About: attack, Required: true}, Kind: kind, Value: attack})
	}
	for _, view := range []content{toolsets{{attack, []tool.Tool{called}}}.view, page.view} {
		shown := string(html.Render(frame{Title: attack, Base: "", Form: attack, Login: attack}.page(view)))
		if err := intact(shown); err != nil || !strings.Contains(shown, "&lt;script&gt;") {
			t.Errorf("%v in %s", err, shown)
		}
	}
}

// Only what the Markdown writer has written is HTML already.
func TestRawHTMLIsOnlyFromMarkdown(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	if err != nil || len(sources) < 30 {
		t.Fatalf("%d files, %v", len(sources), err)
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		writers := []string{"markdown.go", "markdown_write.go", "view_test.go"}
		if strings.Contains(string(text), "html.Raw(") && !slices.Contains(writers, source) {
			t.Errorf("%s makes raw HTML: use html.Text, or elements", source)
		}
	}
}
