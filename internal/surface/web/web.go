// Package web is the page of a server: what a person sees of it in a browser.
//
// It promises that
//
//   - nobody sees or does more than they could with the same token over MCP:
//     every look at the vault and every change is a call of the caller's own
//     tools (pictures are their resources, counts those of their view), and what
//     concerns the server as a whole is for callers without limits;
//   - nothing in a note runs or is loaded: pages have a policy without inline
//     scripts, styles and foreign addresses, and what notes hold is escaped or
//     rendered by a renderer that knows no raw HTML;
//   - nothing is changed by a GET, nor by a form that is not its own;
//   - it works without scripts, with a keyboard and with a screen reader; the
//     scripts make it quicker.
//
// It leaves to others who may come in (auth), the names the server is called by
// (door) and what tools do.
package web

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/tool"
)

// Options say what the page is of.
type Options struct {
	Base   string                   // what clients see before the paths of the server, without a slash at its end
	Secure func(*http.Request) bool // reports whether a browser came by TLS; nil: none does
	Guard  *auth.Guard
	Server Server
	Now    func() time.Time // nil: the clock
	Log    *slog.Logger
}

// Server is what the page asks its server.
type Server struct {
	// Tools are those that a caller may call.
	Tools func(*auth.Principal) (*tool.Registry, error)
	// Enter lets a call begin within the limits that hold for calls over MCP.
	Enter func(r *http.Request, writes bool) (leave func(), err error)
	// Observe is told of calls that a person made with a form.
	Observe func(tool, kind string, took time.Duration)
	// Status is how the server is, as far as a caller may know.
	Status func(context.Context, *auth.Principal) Status
	// File reads an attachment that a caller may read.
	File func(ctx context.Context, who *auth.Principal, path string) ([]byte, error)
	// Connections tell how clients are to be set up.
	Connections func(*http.Request, *auth.Principal) []Connection
	// Access lists who may come in; it is asked for callers without limits alone.
	Access func() []Access
	// TestLiveSync tries to reach a database; it is asked for callers without
	// limits alone.
	TestLiveSync func(context.Context, Database) []Check
	// NoHistory says that changes are not recorded.
	NoHistory bool
	// Vault is the name that Obsidian knows the vault by, its folder's; "" where
	// the vault is in a database.
	Vault string
	// Database is the one that is served, without its secrets; its zero value
	// where the vault is a folder.
	Database Database
	// CallTimeout is how long a call may take.
	CallTimeout time.Duration
}

// Page serves the page.
type Page struct {
	options Options
	logins  *logins
	key     []byte // of the tokens in forms
	mux     *http.ServeMux

	rendering chan struct{} // one for each note that is rendered
	testing   sync.Mutex    // held while a database is tested: what it answers is not ours to bound
}

// maxRendering is how many notes are rendered at a time.
const maxRendering = 4

// New makes the page.
func New(options Options) *Page {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Secure == nil {
		options.Secure = func(*http.Request) bool { return false }
	}
	p := &Page{options: options, logins: newLogins(options.Now), key: make([]byte, 32), mux: http.NewServeMux(), rendering: make(chan struct{}, maxRendering)}
	_, _ = rand.Read(p.key) // it never fails
	p.routes()
	return p
}

// routed are the pages by their patterns, but for those of the login and what
// pages are made of.
var routed = map[string]view{
	"GET /{$}":                (*visit).overview,
	"GET /now":                (*visit).overviewNow,
	"GET /recent":             (*visit).overviewRecent,
	"GET /changes":            (*visit).changes,
	"GET /changes/{id}":       (*visit).change,
	"POST /changes/{id}/undo": (*visit).undo,
	"GET /search":             (*visit).search,
	"GET /note":               (*visit).note,
	"GET /file":               (*visit).file,
	"GET /graph":              (*visit).graph,
	"GET /tools":              (*visit).toolList,
	"GET /tools/{name}":       (*visit).toolForm,
	"POST /tools/{name}":      (*visit).toolRun,
	"GET /connect":            (*visit).connect,
	"GET /livesync":           (*visit).liveSync,
	"POST /livesync":          (*visit).liveSyncTest,
	"GET /access":             (*visit).access,
}

func (p *Page) routes() {
	p.mux.Handle("GET /assets/{file}", headed(http.HandlerFunc(asset)))
	p.mux.Handle("GET /login", headed(http.HandlerFunc(p.loginForm)))
	p.mux.Handle("POST /login", headed(http.HandlerFunc(p.login)))
	p.mux.Handle("POST /logout", headed(http.HandlerFunc(p.logout)))
	p.mux.Handle("GET /", headed(p.admitted((*visit).nowhere)))
	for pattern, view := range routed {
		p.mux.Handle(pattern, headed(p.admitted(view)))
	}
}

// ServeHTTP serves the page.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// Paths are the patterns of what the page serves. All other paths are left to
// its server.
func Paths() []string {
	paths := []string{"/assets/", "/login", "/logout"}
	for pattern := range routed {
		_, path, _ := strings.Cut(pattern, " ")
		if folder, _, below := strings.Cut(path, "{"); below && path != "/{$}" {
			path = folder
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Has reports whether a path is one of the page's.
func (p *Page) Has(path string) bool {
	_, pattern := p.mux.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
	return pattern != "" && pattern != "GET /"
}

// policy is what a browser may do for the page: load and call what is of this
// server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func headed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
		header.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
