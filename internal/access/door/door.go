// Package door is the way in from the network: everything that has to be true
// of a request before any of our own handlers sees it.
//
// It promises that
//
//   - every route, known or not, is answered only to those who call the server
//     by a name of its own (Host) and who are no foreign web page (Origin,
//     Sec-Fetch-Site); all others get 403;
//   - no client holds what it does not use: headers, bodies, connections and
//     the time for each of them have limits, and half-open connections give way
//     to new ones;
//   - a handler's answer is never held up by a client that does not read, and a
//     stream may last as long as it likes;
//   - a handler that panics costs one answer, not the server;
//   - when the server ends, what was asked is answered, and streams are closed;
//   - one request is one line in the log, whatever is in it, and neither
//     credentials nor the values of a query are in it.
//
// It leaves to others who is calling and what is served: it knows nothing of
// tokens, of MCP or of notes.
package door

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"time"
)

// Options say who may come in and how much of it. Zero values have the defaults
// that are given with them.
type Options struct {
	// Host is what the server listens on, as Listen was given it.
	Host string
	// Hosts are the names by which clients and proxies reach the server, beside
	// the loopback names and Host: "nas.local", "192.168.1.5", "*.example.ts.net"
	// for every name below. A port counts only where one is given.
	Hosts []string
	// Origins are the web origins that may call, such as "https://claude.ai".
	// Where none is named no browser gets a CORS header.
	Origins []string
	// Visits tells the paths that links of other sites may lead a person to: pages
	// that a GET changes nothing of. Nil: none.
	Visits func(path string) bool
	// Proxies are those whose X-Forwarded-For and X-Forwarded-Proto count.
	Proxies []netip.Prefix

	MaxHeader     int           // bytes of a request's head; 16 KB
	MaxBody       int64         // bytes of a request's body; 4 MiB
	Connections   int           // in all; 256
	PerAddress    int           // of one address that is no proxy; 32
	HeaderTimeout time.Duration // for a request's head, and until its body begins; 5 s
	ReadTimeout   time.Duration // spent waiting for one request; 30 s
	IdleTimeout   time.Duration // between the requests of a connection; 60 s
	WriteTimeout  time.Duration // for each piece of an answer, not for the whole; 10 s
	Drain         time.Duration // how long the end waits for requests in flight; 35 s

	// Settle waits for work that outlives the request which began it, such as a
	// call whose answer goes out on another request's stream. The end of the
	// server waits for it, within Drain, before it closes streams. May be nil.
	Settle func(context.Context)

	Log   *slog.Logger // none: silent
	Meter Meter        // may be nil
}

// Meter counts what happens at the door.
type Meter interface {
	// Request is told of every request that was answered.
	Request(route, method string, status int)
	// Refused is told of every request and connection that was turned away.
	Refused(reason string)
}

// Why somebody was turned away, as Meter is told.
const (
	RefusedHost        = "host"        // called by a name that is not ours
	RefusedOrigin      = "origin"      // from a web page that may not call
	RefusedBody        = "body"        // its body is too large
	RefusedAddress     = "address"     // its address has too many connections
	RefusedConnections = "connections" // there are too many connections in all
)

// Door is the way in for one server.
type Door struct {
	options Options
	hosts   hostRules
	origins []origin
	lobby   *lobby
	log     *journal
}

// New makes a door, or says which of the names in its options is none.
func New(options Options) (*Door, error) {
	options = options.withDefaults()
	hosts, err := newHostRules(options.Host, options.Hosts)
	if err != nil {
		return nil, err
	}
	origins, err := parseOrigins(options.Origins)
	if err != nil {
		return nil, err
	}
	return &Door{
		options: options, hosts: hosts, origins: origins, log: &journal{Logger: options.Log},
		lobby: newLobby(options.Connections, options.PerAddress, options.Proxies),
	}, nil
}

// Connections is how many connections are open.
func (d *Door) Connections() int { return d.lobby.count() }

func (o Options) withDefaults() Options {
	o.Hosts, o.Origins, o.Proxies = slices.Clone(o.Hosts), slices.Clone(o.Origins), slices.Clone(o.Proxies)
	orDefault(&o.MaxHeader, 16<<10)
	orDefault(&o.MaxBody, 4<<20)
	orDefault(&o.Connections, 256)
	orDefault(&o.PerAddress, 32)
	orDefault(&o.HeaderTimeout, 5*time.Second)
	orDefault(&o.ReadTimeout, 30*time.Second)
	orDefault(&o.IdleTimeout, 60*time.Second)
	orDefault(&o.WriteTimeout, 10*time.Second)
	orDefault(&o.Drain, 35*time.Second)
	if o.Visits == nil {
		o.Visits = func(string) bool { return false }
	}
	if o.Settle == nil {
		o.Settle = func(context.Context) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Meter == nil {
		o.Meter = noMeter{}
	}
	return o
}

func orDefault[N int | int64 | time.Duration](value *N, standard N) {
	if *value <= 0 {
		*value = standard
	}
}

type noMeter struct{}

func (noMeter) Request(string, string, int) {}
func (noMeter) Refused(string)              {}
