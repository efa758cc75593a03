// Package web serves the web page, through which people use the server in a browser.
//
// It promises that
//
//   - nobody sees or does more than they could with the same token over MCP:
//     every look at the vault and every change is a call of the caller's own
//     tools (pictures are their resources, counts come from their view), and what
//     concerns the server as a whole is for callers without limits;
//   - nothing in a note runs or loads anything: the content security policy
//     forbids inline scripts, inline styles and other hosts, and the contents of
//     notes are escaped or rendered without raw HTML;
//   - a GET changes nothing, and neither does a form from elsewhere;
//   - it works without scripts, with a keyboard and with a screen reader; the
//     scripts make it faster.
//
// Authentication is left to auth, the checks of Host and Origin to door, and the
// work itself to the tools.
package web

import (
	"cmp"
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

// Options configure the page.
type Options struct {
	Base   string                   // prefix of all paths as clients see them, without a final slash
	Secure func(*http.Request) bool // reports whether the browser connected over TLS; nil means never
	Guard  *auth.Guard
	Server Server
	Now    func() time.Time // time.Now if nil
	Log    *slog.Logger

	BacklinksTimeout time.Duration // how long a note waits for its backlinks; 5 seconds if 0
}

// Server is what the page needs from the server around it.
type Server struct {
	// Tools returns the tools that a caller may call.
	Tools func(*auth.Principal) (*tool.Registry, error)
	// Enter admits a call under the limits that apply to calls over MCP.
	Enter func(r *http.Request, writes bool) (leave func(), err error)
	// Observe records a call that a person made with a form.
	Observe func(tool, kind string, took time.Duration)
	// Status reports the state of the server, as far as the caller may know it.
	Status func(context.Context, *auth.Principal) Status
	// File reads an attachment that the caller may read.
	File func(ctx context.Context, who *auth.Principal, path string) ([]byte, error)
	// Connections describe how to set up each client.
	Connections func(*http.Request, *auth.Principal) []Connection
	// Access lists everybody who has access. Only callers without limits see it.
	Access func() []Access
	// TestLiveSync tries to reach a database. Only callers without limits may
	// ask for it.
	TestLiveSync func(context.Context, Database) []Check
	// NoHistory says that changes are not recorded.
	NoHistory bool
	// Vault is the name by which Obsidian knows the vault, which is its folder's
	// name; "" if the vault is in a database.
	Vault string
	// Database is the served database without its secrets; the zero value if the
	// vault is a folder.
	Database Database
	// CallTimeout limits how long a call may take.
	CallTimeout time.Duration
}

// Page is the handler of all pages.
type Page struct {
	options Options
	logins  *logins
	key     []byte // signs the tokens in forms
	mux     *http.ServeMux

	rendering chan struct{} // a slot for each note that is being rendered
	testing   sync.Mutex    // held while a database is tested, since its answers may be large
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
	options.BacklinksTimeout = cmp.Or(options.BacklinksTimeout, 5*time.Second)
	p := &Page{
		options: options, logins: newLogins(options.Now), key: make([]byte, 32), mux: http.NewServeMux(),
		rendering: make(chan struct{}, maxRendering),
	}
	_, _ = rand.Read(p.key) // never fails
	p.routes()
	return p
}

// routed maps patterns to views, except for the login and the assets.
var routed = map[string]view{
	"GET /{$}":                (*visit).overview,
	"GET /now":                (*visit).overviewNow,
	"GET /recent":             (*visit).overviewRecent,
	"GET /changes":            (*visit).changes,
	"GET /changes/{id}":       (*visit).change,
	"POST /changes/{id}/undo": (*visit).undo,
	"POST /changes/undo":      (*visit).undoSeveral,
	"GET /conflicts":          (*visit).conflicts,
	"GET /conflict":           (*visit).conflict,
	"POST /conflict":          (*visit).resolve,
	"GET /today":              (*visit).today,
	"POST /today":             (*visit).addToday,
	"GET /tasks":              (*visit).tasks,
	"POST /tasks/tick":        (*visit).tick,
	"GET /query":              (*visit).query,
	"GET /search":             (*visit).search,
	"GET /note":               (*visit).note,
	"GET /file":               (*visit).file,
	"GET /graph":              (*visit).graph,
	"GET /health":             (*visit).health,
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

// Paths returns the patterns of everything the page serves. The server handles
// all other paths.
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

// Has reports whether the page serves a path.
func (p *Page) Has(path string) bool {
	_, pattern := p.mux.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
	return pattern != "" && pattern != "GET /"
}

// policy lets a browser load and call this server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

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
