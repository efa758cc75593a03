// Package door is the way in from the network: it checks and limits every request before any of our handlers sees it.
//
// It promises that
//
//   - every route, known or not, serves only clients that call the server by one of its own names (Host), and no web
//     pages of other sites (Origin, Sec-Fetch-Site); all others get 403;
//   - no client can hold what it does not use: headers, bodies, connections and the time for each are limited, and
//     half-open connections give way to new ones;
//   - a client that does not read never holds up a handler, while a stream may last as long as it likes;
//   - a handler that panics costs one answer, not the server;
//   - when the server ends, it answers the requests that have begun, and then closes streams;
//   - one request is one line in the log, whatever it contains, without credentials and without the values of a query.
//
// It leaves to others who is calling and what is served: it knows nothing of tokens, MCP or notes.
package door

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"time"
)

// Options say who may call, and how much. Zero values mean the defaults given in the comments.
type Options struct {
	// Host is what the server listens on, as Listen was given it.
	Host string
	// Hosts are the names by which clients and proxies reach the server, besides the loopback names and Host:
	// "nas.local", "192.168.1.5", "*.example.ts.net" for every name below. A port is compared only if one is given.
	Hosts []string
	// Origins are the web origins that may call, such as "https://claude.ai". Without any, no answer has CORS headers.
	Origins []string
	// Visits reports whether links on other sites may lead a person to a path: a page on which a GET changes nothing.
	// Nil: no path.
	Visits func(path string) bool
	// Proxies are the proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted.
	Proxies []netip.Prefix

	MaxHeader     int           // bytes of a request's head; 16 KB
	MaxBody       int64         // bytes of a request's body; 4 MiB
	Connections   int           // in total; 256
	PerAddress    int           // of one address that is not a proxy's; 32
	HeaderTimeout time.Duration // for a request's head, and until its body begins; 5 s
	ReadTimeout   time.Duration // spent waiting for one request; 30 s
	IdleTimeout   time.Duration // between the requests of a connection; 60 s
	WriteTimeout  time.Duration // for each piece of an answer, not for all of it; 10 s
	Drain         time.Duration // how long requests in flight may take when the server ends; 35 s

	// Settle waits for work that outlives the request that started it, such as a call whose answer goes out on another
	// request's stream. When the server ends it calls Settle, within Drain, before it closes streams. May be nil.
	Settle func(context.Context)

	Log   *slog.Logger // nil: no log
	Meter Meter        // may be nil
}

// Meter counts what happens at the door.
type Meter interface {
	// Request is called for every request that was answered.
	Request(route, method string, status int)
	// Refused is called for every request and connection that was refused.
	Refused(reason string)
}

// The reasons that Meter.Refused is called with.
const (
	RefusedHost        = "host"        // called by a name that is not the server's
	RefusedOrigin      = "origin"      // from a web page that may not call
	RefusedBody        = "body"        // the body is too large
	RefusedAddress     = "address"     // the address has too many connections
	RefusedConnections = "connections" // there are too many connections in total
)

// Door is the way in for one server.
type Door struct {
	options     Options
	hosts       hostRules
	origins     []origin
	connections *connections
	log         *journal
}

// New makes a door. It returns an error if a name in the options is malformed.
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
		options: options, hosts: hosts, origins: origins, log: &journal{log: options.Log},
		connections: newConnections(options.Connections, options.PerAddress, options.Proxies),
	}, nil
}

// Connections returns how many connections are open.
func (d *Door) Connections() int { return d.connections.count() }

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
