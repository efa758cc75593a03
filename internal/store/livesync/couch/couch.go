// Package couch is a small client of CouchDB: what a LiveSync vault needs of
// it, and no more.
//
// It promises that a call ends: every attempt has a time of silence after
// which it is given up, every call a total time, every answer a size, also
// after decompression, and every document a depth. It promises that nothing is
// written twice: what may be repeated is tried again with growing pauses, and
// a write whose answer was lost is reported as ErrLostAnswer, for the caller
// to look at what became of it. And it promises that the password goes to the
// configured address alone, over no redirect, into no error and no log.
//
// An answer that is cut, garbled or incomplete is an error, never an empty
// list or a missing document: what is reported as missing, CouchDB has said to
// be missing.
//
// What documents mean is left to the caller, who gets them as JSON.
package couch

import (
	"cmp"
	"context"
	"crypto/x509"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"obsidian-mcp/internal/fault"
)

// Options say which database to talk to, and how. Zero values are replaced by
// what each field names.
type Options struct {
	URL      string // of the server; may carry a path prefix
	Database string
	User     string // "" comes without a login
	Password Secret

	Roots     *x509.CertPool    // the authorities trusted; those of the system
	Transport http.RoundTripper // one made for CouchDB, which trusts Roots

	Timeout     time.Duration // of silence until an attempt is given up; 30 s
	Total       time.Duration // of a call with all its attempts; 2 min
	Retries     int           // attempts after the first; 4, and a negative number means none
	Concurrency int           // requests at a time, beside a feed; 8
	MaxAnswer   int64         // bytes of an answer, after decompression; 64 MB

	Sleep func(context.Context, time.Duration) error // between attempts; the time that passes
	Rand  func() float64                             // from 0 to 1, spreads the attempts of several servers; math/rand
	Log   *slog.Logger                               // nothing
}

// Client talks to one database. It is safe for use by several goroutines.
type Client struct {
	opt    Options
	server *url.URL // the server, with its prefix and without a slash at the end
	http   *http.Client
	slots  chan struct{} // taken by each request in flight
}

// New makes a client. It does not talk to the server yet.
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

// Close lets go of the connections that are kept for further requests.
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

// stay is the policy for redirects: none is followed, so that the password
// reaches nobody but the configured server.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func checkDatabase(name string) error {
	if name == "" {
		return fault.InvalidArgument.Errorf("the name of the CouchDB database is missing")
	}
	if name == "." || name == ".." || name[0] == '_' {
		return fault.InvalidArgument.Errorf("'%s' cannot be the name of a CouchDB database", name)
	}
	return nil
}
