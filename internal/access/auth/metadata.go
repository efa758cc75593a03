package auth

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// wellKnown is where a resource describes itself according to RFC 9728.
const wellKnown = "/.well-known/oauth-protected-resource"

// The scopes: one allows reading, the other everything that the grant allows.
const (
	ScopeRead  = "notes:read"
	ScopeWrite = "notes:write"
)

// MetadataPaths lists the paths of the handler Metadata: the plain one, and those with a resource's path, which the
// challenges name.
func (g *Guard) MetadataPaths() []string {
	paths := []string{wellKnown}
	if g.issuer == nil {
		return append(paths, wellKnown+"/mcp")
	}
	for _, resource := range g.issuer.resources() {
		if own := wellKnown + resourcePath(resource); !slices.Contains(paths, own) {
			paths = append(paths, own)
		}
	}
	return paths
}

// resources lists the URLs under which clients know this server.
func (i *issuer) resources() []*url.URL {
	all := []*url.URL{i.resource}
	for _, path := range slices.Sorted(maps.Keys(i.others)) {
		all = append(all, i.others[path])
	}
	return all
}

// Metadata serves the description of this resource, in which a client finds the authorization server. It is public. Without
// OAuth it answers 404.
func (g *Guard) Metadata() http.Handler {
	if g.issuer == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			http.Error(w, "this server has no authorization server", http.StatusNotFound)
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			w.Header().Set("Cache-Control", "no-store")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "max-age=300")
		_, _ = w.Write(g.issuer.describe(r.URL.Path)) // the client may have disconnected
	})
}

// describe returns the metadata at a path.
func (i *issuer) describe(path string) []byte {
	document := map[string]any{
		"resource":                 i.options.Audience,
		"authorization_servers":    []string{i.options.Issuer},
		"bearer_methods_supported": []string{"header"},
		"resource_name":            "Obsidian vault",
	}
	for _, other := range i.options.Others {
		if where, err := url.Parse(other.Resource); err == nil && wellKnown+resourcePath(where) == path {
			document["resource"] = other.Resource
		}
	}
	if i.options.RequireScopes {
		document["scopes_supported"] = []string{ScopeRead, ScopeWrite}
	}
	content, _ := json.Marshal(document) // only strings: cannot fail
	return content
}

// metadataURL returns the URL that the challenge to a request names, "" without OAuth.
func (g *Guard) metadataURL(r *http.Request) string {
	if g.issuer == nil {
		return ""
	}
	resource := g.issuer.resource
	if other := g.issuer.others[r.URL.Path]; other != nil {
		resource = other
	}
	return resource.Scheme + "://" + resource.Host + wellKnown + resourcePath(resource)
}

// scopes returns the scopes that a client should request, "" if it needs none.
func (g *Guard) scopes() string {
	if g.issuer == nil || !g.issuer.options.RequireScopes {
		return ""
	}
	return ScopeRead + " " + ScopeWrite
}

func resourcePath(resource *url.URL) string { return strings.TrimSuffix(resource.EscapedPath(), "/") }
