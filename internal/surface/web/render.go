package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/surface/web/html"
)

//go:embed assets
var files embed.FS

// show writes a whole page.
func (v *visit) show(title string, main content) {
	around := v.frame(title)
	v.page.write(v.w, v.status, around.page(main))
}

// part writes a part of a page, for a script that inserts it.
func (v *visit) part(part content) { v.page.write(v.w, v.status, part(v.frame(""))) }

func (v *visit) frame(title string) frame {
	around := frame{Title: title, Base: v.page.options.Base, Form: v.page.formToken(v.login()), Menu: v.menu()}
	if !v.who.Anonymous() {
		around.Login = v.who.Name
	}
	return around
}

// partial reports whether a script asks for a part of the page. A script that goes
// back in history asks for the whole page.
func (v *visit) partial() bool {
	header := v.r.Header
	return header.Get("HX-Request") != "" && header.Get("HX-Boosted") == "" &&
		header.Get("HX-History-Restore-Request") == ""
}

func (p *Page) renderLogin(w http.ResponseWriter, r *http.Request, status int, why string) {
	around := frame{Title: "Log in", Base: p.options.Base, Form: p.formToken(loginForm)}
	p.write(w, status, around.page(loginPage{Why: why, Next: r.FormValue("next")}.view))
}

func (p *Page) write(w http.ResponseWriter, status int, node html.Node) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Add("Vary", "HX-Request, Cookie")
	w.WriteHeader(status)
	_, _ = w.Write(html.Render(node)) // a client that is gone needs no answer
}

// menu lists the pages that are useful to the caller.
func (v *visit) menu() []menuItem {
	items := []struct {
		path, name string
		useful     bool
	}{
		{"/", "Overview", true},
		{"/today", "Today", v.offers("periodic_note")},
		{"/tasks", "Tasks", v.offers("find_tasks")},
		{"/query", "Query", v.offers("query_vault")},
		{"/search", "Search", v.offers("find_notes")},
		{"/graph", "Graph", v.offers("graph_neighbors")},
		{"/health", "Health", v.offers("graph_report")},
		{"/changes", "Changes", v.offers("list_changes")},
		{"/conflicts", "Conflicts", v.offers("find_conflicts")},
		{"/tools", "Tools", true},
		{"/connect", "Connect", true},
		{"/livesync", "LiveSync", v.owner()},
		{"/access", "Access", true},
	}
	var menu []menuItem
	for _, item := range items {
		if item.useful {
			menu = append(menu, menuItem{Path: item.path, Name: item.name, Here: isUnder(item.path, v.r.URL.Path)})
		}
	}
	return menu
}

// isUnder reports whether a page belongs to a menu entry. Notes belong to the search.
func isUnder(item, page string) bool {
	return item == page || item != "/" && strings.HasPrefix(page, item+"/") ||
		item == "/search" && page == "/note" || item == "/conflicts" && page == "/conflict"
}

// assetFile is a script, style or icon.
type assetFile struct {
	content []byte
	version string // a hash of the content, so that browsers reload an asset that has changed
}

// assets maps names to the embedded files. A large one is embedded compressed, which keeps the program small.
var assets = sync.OnceValue(func() map[string]assetFile {
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err) // the files are embedded
	}
	all := map[string]assetFile{}
	for _, entry := range entries {
		content, err := files.ReadFile("assets/" + entry.Name())
		name, isPacked := strings.CutSuffix(entry.Name(), ".gz")
		if err == nil && isPacked {
			content, err = unpack(content)
		}
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(content)
		all[name] = assetFile{content, hex.EncodeToString(sum[:6])}
	}
	return all
})

func unpack(packed []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

var assetTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// asset serves scripts, styles and icons. They are the same for everybody.
func asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	file, exists := assets()[name]
	if !exists {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", assetTypes[path.Ext(name)])
	if r.URL.Query().Get("v") == file.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(file.content)
}

// sentence capitalises the first letter of a text.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// ago says in words how long ago something was.
func ago(now, then time.Time) string {
	passed := now.Sub(then)
	switch {
	case passed < 2*time.Second:
		return "just now"
	case passed < 2*time.Minute:
		return fmt.Sprintf("%d seconds ago", int(passed.Seconds()))
	case passed < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", int(passed.Minutes()))
	case passed < 48*time.Hour:
		return fmt.Sprintf("%d hours ago", int(passed.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(passed.Hours()/24))
}
