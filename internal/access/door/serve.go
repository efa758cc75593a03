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

// streamEndTime is how long streams may take to end when their requests are cancelled.
const streamEndTime = 2 * time.Second

type connKey struct{}

// Serve serves until ctx ends, and then returns nil. At the end it accepts no more connections, answers the requests that
// have begun, waits for Settle, and last ends the streams by cancelling the contexts of their requests: a stream may have
// to carry the answer to a call in flight. A stream is an answer of type text/event-stream to a GET; a handler that streams
// in another way has to watch for the end itself, or is cut off when Drain is over.
func (d *Door) Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	requests, endRequests := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), doorKey{}, d))
	defer endRequests()
	limited := d.limit(listener)
	defer limited.running.Wait()
	defer limited.Close()
	defer d.log.close()
	server := d.server(requests, handler)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(limited) }()
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

// slop is how much net/http allows beyond the limit for headers that it is given.
const slop = 4096

// server returns net/http's server with limits. It has no WriteTimeout, which would apply to a whole answer: type answer
// limits each piece instead. It speaks only HTTP/1.1; later versions are a proxy's business.
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
		ConnState:                    d.connections.follow,
		BaseContext:                  func(net.Listener) context.Context { return requests },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
	}
}

// end shuts a server down.
func (d *Door) end(server *http.Server, endRequests func()) {
	ctx, cancel := context.WithTimeout(context.Background(), d.options.Drain)
	defer cancel()
	stopping, stopped := make(chan struct{}), make(chan error, 1)
	server.RegisterOnShutdown(func() { close(stopping) })
	go func() { stopped <- server.Shutdown(context.Background()) }()
	// From here on net/http starts no request that we do not know of.
	<-stopping
	d.connections.closeUnused()
	d.settle(ctx)
	endRequests()
	select {
	case err := <-stopped:
		if err != nil && !errors.Is(err, net.ErrClosed) {
			d.log.log.Warn("cannot close the listener", "err", err)
		}
	case <-time.After(streamEndTime):
		d.log.log.Warn("requests were cut off at the end", "connections", d.connections.count())
		server.Close()
		<-stopped
	}
}

// settle waits until all requests, and the work that outlives them, are done, or ctx ends.
func (d *Door) settle(ctx context.Context) {
	for !d.connections.allServed() {
		select {
		case <-d.connections.changed:
		case <-ctx.Done():
			return
		}
	}
	d.options.Settle(ctx)
}
