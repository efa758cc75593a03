// Package couch is a small CouchDB client with just the operations that a LiveSync vault needs.
//
// It promises that
//
//   - every call ends: there is a limit on the silence within an attempt, the total time of a call, the size of a
//     response, also after decompression, and the depth of a document;
//   - nothing is written twice: requests that may be repeated are retried with growing pauses, and a write whose
//     response was lost returns ErrLostAnswer, so that the caller can check what happened;
//   - the password goes to the configured address only: not along a redirect, not into an error or a log;
//   - a truncated, garbled or incomplete response is an error, never an empty list or a missing document. A document
//     is reported as missing only if CouchDB said so.
//
// The caller gets documents as JSON and interprets them.
package couch

import (
	"cmp"
	"context"
	"crypto/x509"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"obsidian-mcp/internal/fault"
)

// Options configure a Client. Zero values mean the default that each comment names.
type Options struct {
	URL      string // of the server; may have a path prefix
	Database string
	User     string // "" for no login
	Password Secret

	Logins *Logins // shared by the clients of one account; default its own

	Roots     *x509.CertPool    // trusted certificate authorities; default the system's
	Transport http.RoundTripper // default one with our limits, which trusts Roots

	Timeout     time.Duration // silence after which an attempt fails; default 30 s
	Total       time.Duration // limit for a call with all its attempts; default 2 min
	Retries     int           // attempts after the first; default 4; negative for none
	Concurrency int           // concurrent requests, not counting Follow's; default 8
	MaxAnswer   int64         // bytes of a response after decompression; default 64 MB

	Sleep func(context.Context, time.Duration) error // waits between attempts; default real time
	Rand  func() float64                             // 0 to 1, spreads the retries of several servers; default math/rand
	Log   *slog.Logger                               // default none
}

// Client talks to one database. It is safe for use by several goroutines.
type Client struct {
	opt    Options
	server *url.URL // with its path prefix, without a trailing slash
	http   *http.Client
	slots  chan struct{} // holds an item for each request in flight

	clustered    atomic.Bool // the database has several copies
	noLocalLists atomic.Bool // local documents can only be read one by one
}

// New makes a client. It does not contact the server.
func New(o Options) (*Client, error) {
	server, err := parseServer(o.URL)
	if err != nil {
		return nil, err
	}
	if err := checkDatabase(o.Database); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	return &Client{
		opt:    o,
		server: server,
		http:   &http.Client{Transport: o.Transport, CheckRedirect: stay},
		slots:  make(chan struct{}, o.Concurrency),
	}, nil
}

// Logins returns what other clients of the same account should share.
func (c *Client) Logins() *Logins { return c.opt.Logins }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func (o Options) withDefaults() Options {
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.Total = cmp.Or(o.Total, 2*time.Minute)
	o.Retries = max(cmp.Or(o.Retries, 4), 0)
	o.Concurrency = cmp.Or(o.Concurrency, 8)
	o.MaxAnswer = cmp.Or(o.MaxAnswer, 64<<20)
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Logins == nil {
		o.Logins = NewLogins(firstLoginPause)
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Transport == nil {
		o.Transport = newTransport(o)
	}
	return o
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stay follows no redirect, so that only the configured server gets the password.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func checkDatabase(name string) error {
	if name == "" {
		return fault.InvalidArgument.Errorf("the name of the CouchDB database is missing")
	}
	if name == "." || name == ".." || name[0] == '_' {
		return fault.InvalidArgument.Errorf("'%s' is not a valid name for a CouchDB database", name)
	}
	return nil
}
