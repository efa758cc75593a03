package auth

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// wellKnown is where RFC 9728 has a resource describe itself.
const wellKnown = "/.well-known/oauth-protected-resource"

// The scopes: one lets a caller read, the other do all that their grant says.
const (
	ScopeRead  = "notes:read"
	ScopeWrite = "notes:write"
)

// MetadataPaths are the paths that Metadata is to be served at: the plain one,
// and the one with the resource's own path, which the challenges name.
func (g *Guard) MetadataPaths() []string {
	paths := []string{wellKnown}
	if g.issuer == nil {
		return append(paths, wellKnown+"/mcp")
	}
	if own := resourcePath(g.issuer.resource); own != "" {
		paths = append(paths, wellKnown+own)
	}
	return paths
}

// Metadata serves the description of this resource, by which a client finds
// the authorization server. It is public. Without OAuth there is none.
func (g *Guard) Metadata() http.Handler {
	if g.issuer == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			http.Error(w, "this server has no authorization server", http.StatusNotFound)
		})
	}
	document := map[string]any{
		"resource":                 g.issuer.options.Audience,
		"authorization_servers":    []string{g.issuer.options.Issuer},
		"bearer_methods_supported": []string{"header"},
		"resource_name":            "Obsidian vault",
	}
	if g.issuer.options.RequireScopes {
		document["scopes_supported"] = []string{ScopeRead, ScopeWrite}
	}
	content, _ := json.Marshal(document) // strings alone: it cannot fail
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			w.Header().Set("Cache-Control", "no-store")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "max-age=300")
		_, _ = w.Write(content) // a client that is gone needs no answer
	})
}

// metadataURL is what the challenges name: "" without OAuth.
func (g *Guard) metadataURL() string {
	if g.issuer == nil {
		return ""
	}
	resource := g.issuer.resource
	return resource.Scheme + "://" + resource.Host + wellKnown + resourcePath(resource)
}

// scopes are those that a client should ask for: "" where none are needed.
func (g *Guard) scopes() string {
	if g.issuer == nil || !g.issuer.options.RequireScopes {
		return ""
	}
	return ScopeRead + " " + ScopeWrite
}

func resourcePath(resource *url.URL) string { return strings.TrimSuffix(resource.EscapedPath(), "/") }
