package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/amount"
)

//go:embed templates assets
var files embed.FS

// pages are the templates: each page with the layout around it.
var pages = sync.OnceValue(func() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(helpers).ParseFS(files, "templates/layout.html", "templates/parts.html"))
	names, err := files.ReadDir("templates")
	if err != nil {
		panic(err) // they are in the program
	}
	parsed := map[string]*template.Template{}
	for _, entry := range names {
		name, _ := strings.CutSuffix(entry.Name(), ".html")
		if name == "layout" || name == "parts" {
			continue
		}
		parsed[name] = template.Must(template.Must(layout.Clone()).ParseFS(files, "templates/"+entry.Name()))
	}
	return parsed
})

var helpers = template.FuncMap{
	"asset": assetURL,
	"ago":   ago,
	"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"count": amount.Number,
	"many":  amount.Of,
	"pasted": func(client Connection, way, title string, one *Block) map[string]any {
		return map[string]any{"ID": client.ID + "-" + way, "Client": client.Name, "Title": title, "Block": one}
	},
}

// frame is what is around every page.
type frame struct {
	Title  string
	Base   string
	Form   string // the token that forms carry
	Login  string // who is logged in; "" where nobody need be
	Places []place
	Body   any
}

// place is an entry of the navigation.
type place struct {
	Path, Name string
	Here       bool
}

// show writes a whole page.
func (v *visit) show(name, title string, body any) {
	full := frame{Title: title, Base: v.page.options.Base, Form: v.page.formToken(v.login()), Places: v.places(), Body: body}
	if !v.who.Anonymous() {
		full.Login = v.who.Name
	}
	v.page.write(v.w, v.status, name, "layout.html", full)
}

// part writes a part of a page, for a script that puts it there.
func (v *visit) part(name, block string, body any) {
	v.page.write(v.w, v.status, name, block, frame{Base: v.page.options.Base, Form: v.page.formToken(v.login()), Body: body})
}

// partial reports whether a script asks for a part of the page. One that goes
// back to a page asks for all of it.
func (v *visit) partial() bool {
	header := v.r.Header
	return header.Get("HX-Request") != "" && header.Get("HX-Boosted") == "" && header.Get("HX-History-Restore-Request") == ""
}

func (p *Page) renderLogin(w http.ResponseWriter, r *http.Request, status int, why string) {
	next := r.FormValue("next")
	p.write(w, status, "login", "layout.html", frame{
		Title: "Log in", Base: p.options.Base, Form: p.formToken(loginForm),
		Body: struct{ Why, Next string }{why, next},
	})
}

// write runs a template. Nothing is sent of one that fails.
func (p *Page) write(w http.ResponseWriter, status int, name, block string, data frame) {
	var out bytes.Buffer
	if err := pages()[name].ExecuteTemplate(&out, block, data); err != nil {
		p.options.Log.Error("a page could not be written", "page", name, "error", err.Error())
		http.Error(w, fault.SeeLog, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Add("Vary", "HX-Request, Cookie")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // who is gone needs no answer
}

// places are the pages that are of use to the caller.
func (v *visit) places() []place {
	all := []struct {
		place
		open bool
	}{
		{place{Path: "/", Name: "Overview"}, true},
		{place{Path: "/search", Name: "Search"}, v.offers("find_notes")},
		{place{Path: "/graph", Name: "Graph"}, v.offers("graph_neighbors")},
		{place{Path: "/changes", Name: "Changes"}, v.offers("list_changes")},
		{place{Path: "/tools", Name: "Tools"}, true},
		{place{Path: "/connect", Name: "Connect"}, true},
		{place{Path: "/livesync", Name: "LiveSync"}, v.owner()},
		{place{Path: "/access", Name: "Access"}, true},
	}
	var open []place
	for _, one := range all {
		if one.open {
			one.Here = one.Path == v.r.URL.Path || one.Path != "/" && strings.HasPrefix(v.r.URL.Path, one.Path+"/") || one.Path == "/search" && v.r.URL.Path == "/note"
			open = append(open, one.place)
		}
	}
	return open
}

// versions tell browsers when an asset is another one.
var versions = sync.OnceValue(func() map[string]string {
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err) // they are in the program
	}
	known := map[string]string{}
	for _, entry := range entries {
		content, err := files.ReadFile("assets/" + entry.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(content)
		known[entry.Name()] = hex.EncodeToString(sum[:6])
	}
	return known
})

func assetURL(base, name string) string { return base + "/assets/" + name + "?v=" + versions()[name] }

var assetTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// asset serves what pages are made of. It is the same for everybody.
func asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	content, err := files.ReadFile("assets/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", assetTypes[path.Ext(name)])
	if r.URL.Query().Get("v") == versions()[name] {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(content)
}

// sentence is a text with a capital at its start.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// ago is how long something is past, in words.
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
