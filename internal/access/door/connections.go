package door

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// stage says how far a connection is with its current request.
type stage int

const (
	arriving  stage = iota // at most a part of the first head has come
	receiving              // the head is here, the body is not yet
	working                // the request is complete and is being answered
	streaming              // the answer is a stream that ends with the server
	idle                   // between two requests
)

// connections keeps open connections within their limits.
//
// If there is no room for a new one, another gives way: first one that has never made a complete request, oldest first;
// then the one idle for longest; then one whose request is slow to arrive. A connection that is being served never gives
// way, nor does one that was opened or served a moment ago: its request is on the way.
type connections struct {
	total, perAddress int
	proxies           []netip.Prefix
	changed           chan struct{} // gets a signal when a connection changes its stage

	mu     sync.Mutex // guards what follows, and the stages of the connections
	open   map[*conn]struct{}
	groups map[netip.Addr]int // open connections by group
	turn   uint64             // grows with every connection and every request
}

// conn is an open connection that counts against the limits until it is closed.
type conn struct {
	net.Conn
	table *connections
	group netip.Addr // connections that share a limit; invalid: no limit

	stage  stage
	proven bool      // it has made a complete request before
	since  uint64    // the turn at which it was opened, or became idle
	active time.Time // when it was opened, or its stage last changed
}

// How long a connection has for its next request before it may have to give way: to others of its address, which may be
// the same client in a hurry, and to anybody.
const (
	graceForOwn = 200 * time.Millisecond
	grace       = 30 * time.Millisecond
)

func newConnections(total, perAddress int, proxies []netip.Prefix) *connections {
	return &connections{
		total: total, perAddress: perAddress, proxies: proxies, changed: make(chan struct{}, 1),
		open: map[*conn]struct{}{}, groups: map[netip.Addr]int{},
	}
}

func (t *connections) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// admit takes a connection in, or returns why it is refused.
func (t *connections) admit(raw net.Conn) (c *conn, refused string) {
	c = &conn{Conn: raw, table: t, group: t.groupOf(raw.RemoteAddr())}
	t.mu.Lock()
	evicted, refused := t.makeRoom(c.group)
	if refused == "" {
		t.turn++
		c.since, c.active = t.turn, time.Now()
		t.open[c] = struct{}{}
		t.groups[c.group]++
	}
	t.mu.Unlock()
	if evicted != nil {
		evicted.Conn.Close()
	}
	return c, refused
}

// groupOf returns the address whose limit applies to a connection. A proxy stands for many clients and has no limit.
// A client with a public IPv6 address can use any address of its network, so the network counts as one.
func (t *connections) groupOf(remote net.Addr) netip.Addr {
	address, ok := addressOf(remote)
	if !ok || contains(t.proxies, address) {
		return netip.Addr{}
	}
	if address.Is6() && address.IsGlobalUnicast() && !address.IsPrivate() {
		return netip.PrefixFrom(address, 64).Masked().Addr()
	}
	return address
}

// makeRoom makes room for one more connection, if need be by evicting another, which the caller has to close. The
// caller holds the lock.
func (t *connections) makeRoom(group netip.Addr) (evicted *conn, refused string) {
	switch {
	case group.IsValid() && t.groups[group] >= t.perAddress:
		evicted = t.dispensable(graceForOwn, func(c *conn) bool { return c.group == group })
		refused = RefusedAddress
	case len(t.open) >= t.total:
		evicted = t.dispensable(grace, func(*conn) bool { return true })
		refused = RefusedConnections
	default:
		return nil, ""
	}
	if evicted == nil {
		return nil, refused
	}
	t.remove(evicted)
	return evicted, ""
}

// dispensable returns the connection that gives way first among some, or nil. The caller holds the lock.
func (t *connections) dispensable(grace time.Duration, among func(*conn) bool) *conn {
	var first *conn
	for c := range t.open {
		if c.rank() < served && among(c) && (first == nil || c.before(first)) {
			first = c
		}
	}
	if first == nil || time.Since(first.active) < grace {
		return nil
	}
	return first
}

// unproven reports whether a connection has yet to make a complete request.
func (c *conn) unproven() bool { return !c.proven && c.stage <= receiving }

// The ranks of connections, in the order in which they give way.
const (
	newcomer = iota
	resting
	slow
	served
)

func (c *conn) rank() int {
	switch {
	case c.unproven():
		return newcomer
	case c.stage == idle:
		return resting
	case c.stage == receiving:
		return slow
	}
	return served
}

func (c *conn) before(other *conn) bool {
	if c.rank() != other.rank() {
		return c.rank() < other.rank()
	}
	return c.since < other.since
}

// remove stops counting a connection, once. The caller holds the lock.
func (t *connections) remove(c *conn) {
	if _, here := t.open[c]; !here {
		return
	}
	delete(t.open, c)
	if t.groups[c.group]--; t.groups[c.group] == 0 {
		delete(t.groups, c.group)
	}
}

// follow is called by net/http when the state of a connection changes.
func (t *connections) follow(raw net.Conn, state http.ConnState) {
	c := raw.(*conn)
	switch state {
	case http.StateActive:
		c.enter(receiving)
	case http.StateIdle:
		c.enter(idle)
	}
}

// enter notes that a connection has reached a stage.
func (c *conn) enter(next stage) {
	t := c.table
	t.mu.Lock()
	if next == idle || next == receiving && c.proven {
		t.turn++
		c.proven, c.since, c.active = true, t.turn, time.Now()
	}
	c.stage = next
	t.mu.Unlock()
	t.signal()
}

// Close stops counting the connection, and closes it.
func (c *conn) Close() error {
	c.table.mu.Lock()
	c.table.remove(c)
	c.table.mu.Unlock()
	c.table.signal()
	return c.Conn.Close()
}

// CloseWrite lets net/http finish an answer to a client that is still sending.
func (c *conn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(raw net.Conn) error {
	if half, ok := raw.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (t *connections) signal() {
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// allServed reports whether every request that has begun is answered, except for streams.
func (t *connections) allServed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.open {
		if c.stage == receiving || c.stage == working {
			return false
		}
	}
	return true
}

// closeUnused closes the connections on which no request has begun.
func (t *connections) closeUnused() {
	t.mu.Lock()
	var closed []*conn
	for c := range t.open {
		if c.stage == arriving {
			closed = append(closed, c)
			t.remove(c)
		}
	}
	t.mu.Unlock()
	for _, c := range closed {
		c.Conn.Close()
	}
}
