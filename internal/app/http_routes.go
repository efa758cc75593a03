package app

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/observe/metrics"
	"obsidian-mcp/internal/surface/mcp"
	"obsidian-mcp/internal/surface/web"
)

// routes are the paths that the metrics count requests by.
var routes = []string{"/mcp", "/sse", "/messages", "/healthz", "/readyz", "/metrics"}

// handler serves all paths. The door checks every request before it gets here; the guard checks those for paths that
// show something of the vault.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.guard.Wrap(s.mcp))
	mux.Handle("/sse", s.guard.Wrap(http.HandlerFunc(s.mcp.EventStream)))
	mux.Handle("/messages", s.guard.Wrap(http.HandlerFunc(s.mcp.Messages)))
	mux.HandleFunc("/healthz", onlyGet(s.alive))
	mux.HandleFunc("/readyz", onlyGet(s.ready))
	if s.metrics != nil {
		s.watch()
		mux.Handle("/metrics", s.guard.Wrap(forUnlimited(s.metrics.Handler())))
	}
	for _, path := range s.guard.MetadataPaths() {
		mux.Handle(path, s.guard.Metadata())
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if s.page != nil && r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
			s.page.ServeHTTP(w, r) // a person has mistyped something
			return
		}
		say(w, http.StatusNotFound, `{"error":"not_found","error_description":"the server is at /mcp"}`)
	})
	if s.page != nil {
		for _, path := range web.Paths() {
			mux.Handle(path, s.page)
		}
	}
	return mux
}

// isPage reports whether a path belongs to the web page, so that links on other sites may lead to it.
func (s *service) isPage(path string) bool { return s.page != nil && s.page.Has(path) }

// alive answers that the process is running.
func (s *service) alive(w http.ResponseWriter, _ *http.Request) {
	say(w, http.StatusOK, `{"status":"ok"}`)
}

// ready answers whether calls can be served: the index is built, and the vault can be reached.
func (s *service) ready(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.app.vault.Ready() == nil:
		say(w, http.StatusServiceUnavailable, `{"status":"indexing"}`)
	case !s.reachable(r.Context()):
		say(w, http.StatusServiceUnavailable, `{"status":"vault unreachable"}`)
	default:
		say(w, http.StatusOK, `{"status":"ready"}`)
	}
}

func (s *service) reachable(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return s.app.vault.Ping(ctx) == nil
}

// watch adds the gauges, which are read whenever the metrics are asked for.
func (s *service) watch() {
	s.metrics.Watch(metrics.Gauges{
		Sessions:    func() float64 { return float64(s.mcp.Sessions()) },
		InFlight:    func() float64 { return float64(s.mcp.InFlight()) },
		Connections: func() float64 { return float64(s.door.Connections()) },
		IndexFiles: func() float64 {
			if now := s.app.vault.Ready(); now != nil {
				return float64(now.Len())
			}
			return 0
		},
		Ready: func() float64 {
			if s.app.vault.Ready() == nil || !s.reachable(context.Background()) {
				return 0
			}
			return 1
		},
	})
}

// toolNames are the names that the metrics count calls by, in both styles.
func toolNames() []string {
	var names []string
	for _, style := range []mcp.Style{mcp.Plain, mcp.Contract} {
		for _, named := range mcp.Named(Tools(), style).All() {
			names = append(names, named.Name)
		}
	}
	return names
}

// forUnlimited refuses callers who may not see everything.
func forUnlimited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !auth.Of(r.Context()).Grant.Unlimited() {
			say(w, http.StatusForbidden, `{"error":"forbidden","error_description":"this path is for callers without limits"}`)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func onlyGet(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			say(w, http.StatusMethodNotAllowed, `{"error":"method_not_allowed","error_description":"use GET"}`)
			return
		}
		next(w, r)
	}
}

func say(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body+"\n")
}
