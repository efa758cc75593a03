package door

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"
)

// lastWords is how long streams have to end once they have been told.
const lastWords = 2 * time.Second

type connKey struct{}

// Serve serves until ctx ends. Then it takes no more connections, answers the
// requests that have begun, waits for what Settle waits for, and last ends the
// streams by ending the contexts of their requests: a stream may have to carry
// the answer of a call that is in flight. A stream is an answer of type
// text/event-stream to a GET; a handler that streams otherwise has to watch for
// the end itself, or is ended when Drain is over. It returns nil then.
func (d *Door) Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	requests, endRequests := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), doorKey{}, d))
	defer endRequests()
	gate := d.gate(listener)
	defer gate.parted.Wait()
	defer gate.Close()
	defer d.log.close()
	server := d.server(requests, handler)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(gate) }()
	select {
	case err := <-failed:
		server.Close()
		return fmt.Errorf("serve on %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	d.end(server, endRequests)
	<-failed
	return nil
}

// slop is what net/http lets through beyond the limit on headers that it is
// given.
const slop = 4096

// server is net/http's, with its limits. It has no WriteTimeout, which would be
// for a whole answer: the answers themselves see to that. It speaks HTTP/1.1
// alone; versions above are for the proxy.
func (d *Door) server(requests context.Context, handler http.Handler) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:                      d.guard(handler),
		DisableGeneralOptionsHandler: true, // every route is checked
		ReadHeaderTimeout:            d.options.HeaderTimeout,
		ReadTimeout:                  d.options.ReadTimeout,
		IdleTimeout:                  d.options.IdleTimeout,
		MaxHeaderBytes:               max(1, d.options.MaxHeader-slop),
		Protocols:                    protocols,
		ErrorLog:                     log.New(d.log, "", 0),
		ConnState:                    d.lobby.follow,
		BaseContext:                  func(net.Listener) context.Context { return requests },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
	}
}

// end brings a server to its end.
func (d *Door) end(server *http.Server, endRequests func()) {
	ctx, cancel := context.WithTimeout(context.Background(), d.options.Drain)
	defer cancel()
	stopping, stopped := make(chan struct{}), make(chan error, 1)
	server.RegisterOnShutdown(func() { close(stopping) })
	go func() { stopped <- server.Shutdown(context.Background()) }()
	// From here on net/http begins no request that we do not know of.
	<-stopping
	d.lobby.clear()
	d.settle(ctx)
	endRequests()
	select {
	case err := <-stopped:
		if err != nil && !errors.Is(err, net.ErrClosed) {
			d.log.Warn("the listener was not closed", "err", err)
		}
	case <-time.After(lastWords):
		d.log.Warn("requests were cut off at the end", "connections", d.lobby.count())
		server.Close()
		<-stopped
	}
}

// settle waits until requests and the work they left behind are done, or ctx
// ends.
func (d *Door) settle(ctx context.Context) {
	for !d.lobby.allServed() {
		select {
		case <-d.lobby.changed:
		case <-ctx.Done():
			return
		}
	}
	d.options.Settle(ctx)
}
