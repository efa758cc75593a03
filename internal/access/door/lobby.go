package door

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// stage says how far a connection is with its present request.
type stage int

const (
	arriving  stage = iota // nothing, or a part of the first head, has come
	receiving              // the head is here, the body is not yet
	working                // the request is whole and is being answered
	streaming              // the answer is a stream that ends with the server
	idle                   // between two requests
)

// lobby keeps connections within their limits. Where there is no room for a
// new one, one that has never made a whole request gives way, the oldest first,
// then the one that has been idle for longest, then one whose request takes
// long to come; a connection that is being served never does, nor one that
// came, or was served, just now: its request is on the way.
type lobby struct {
	total, perAddress int
	proxies           []netip.Prefix
	changed           chan struct{} // gets a signal when a connection has been served

	mu     sync.Mutex // guards what follows, and the stages of the guests
	guests map[*conn]struct{}
	crowds map[netip.Addr]int // guests by crowd
	turn   uint64             // grows with every guest and every request
}

// conn is a connection that has a place in the lobby, until it is closed.
type conn struct {
	net.Conn
	lobby *lobby
	crowd netip.Addr // those that share a limit; invalid: none

	stage  stage
	proven bool      // it has made a whole request before
	since  uint64    // the turn at which it came, or became idle
	rested time.Time // when it was last heard of
}

// How long a connection has for its next request before it may have to give
// way: to others of its address, who may be the same client in a hurry, and to
// anybody.
const (
	graceForOwn = 200 * time.Millisecond
	grace       = 30 * time.Millisecond
)

func newLobby(total, perAddress int, proxies []netip.Prefix) *lobby {
	return &lobby{
		total: total, perAddress: perAddress, proxies: proxies, changed: make(chan struct{}, 1),
		guests: map[*conn]struct{}{}, crowds: map[netip.Addr]int{},
	}
}

func (l *lobby) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.guests)
}

// admit gives a connection a place, or says why there is none.
func (l *lobby) admit(raw net.Conn) (guest *conn, refused string) {
	guest = &conn{Conn: raw, lobby: l, crowd: l.crowdOf(raw.RemoteAddr())}
	l.mu.Lock()
	evicted, refused := l.makeRoom(guest.crowd)
	if refused == "" {
		l.turn++
		guest.since, guest.rested = l.turn, time.Now()
		l.guests[guest] = struct{}{}
		l.crowds[guest.crowd]++
	}
	l.mu.Unlock()
	if evicted != nil {
		evicted.Conn.Close()
	}
	return guest, refused
}

// crowdOf is the address whose limit counts for a connection. A proxy stands
// for many clients and has none. Whoever has a public IPv6 address has as many
// of them as they like, all in one network.
func (l *lobby) crowdOf(remote net.Addr) netip.Addr {
	address, ok := addressOf(remote)
	if !ok || contains(l.proxies, address) {
		return netip.Addr{}
	}
	if address.Is6() && address.IsGlobalUnicast() && !address.IsPrivate() {
		return netip.PrefixFrom(address, 64).Masked().Addr()
	}
	return address
}

// makeRoom finds a place for one more, if need be by sending a guest away, whom
// the caller has to close. The caller holds the lock.
func (l *lobby) makeRoom(crowd netip.Addr) (evicted *conn, refused string) {
	switch {
	case crowd.IsValid() && l.crowds[crowd] >= l.perAddress:
		evicted = l.dispensable(graceForOwn, func(c *conn) bool { return c.crowd == crowd })
		refused = RefusedAddress
	case len(l.guests) >= l.total:
		evicted = l.dispensable(grace, func(*conn) bool { return true })
		refused = RefusedConnections
	default:
		return nil, ""
	}
	if evicted == nil {
		return nil, refused
	}
	l.remove(evicted)
	return evicted, ""
}

// dispensable is the guest that gives way first among some, or nil. The caller
// holds the lock.
func (l *lobby) dispensable(grace time.Duration, among func(*conn) bool) *conn {
	var first *conn
	for c := range l.guests {
		if c.rank() < served && among(c) && (first == nil || c.before(first)) {
			first = c
		}
	}
	if first == nil || time.Since(first.rested) < grace {
		return nil
	}
	return first
}

// unproven reports whether a connection has yet to make a whole request.
func (c *conn) unproven() bool { return !c.proven && c.stage <= receiving }

// The ranks of connections, in the order in which they give way.
const (
	stranger = iota
	resting
	slow
	served
)

func (c *conn) rank() int {
	switch {
	case c.unproven():
		return stranger
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

// remove frees a guest's place, once. The caller holds the lock.
func (l *lobby) remove(c *conn) {
	if _, here := l.guests[c]; !here {
		return
	}
	delete(l.guests, c)
	if l.crowds[c.crowd]--; l.crowds[c.crowd] == 0 {
		delete(l.crowds, c.crowd)
	}
}

// follow is told by net/http how connections fare.
func (l *lobby) follow(raw net.Conn, state http.ConnState) {
	c := raw.(*conn)
	switch state {
	case http.StateActive:
		c.enter(receiving)
	case http.StateIdle:
		c.enter(idle)
	}
}

// enter notes that a connection has come to a stage.
func (c *conn) enter(next stage) {
	l := c.lobby
	l.mu.Lock()
	if next == idle || next == receiving && c.proven {
		l.turn++
		c.proven, c.since, c.rested = true, l.turn, time.Now()
	}
	c.stage = next
	l.mu.Unlock()
	l.tell()
}

// Close frees the place, and closes.
func (c *conn) Close() error {
	c.lobby.mu.Lock()
	c.lobby.remove(c)
	c.lobby.mu.Unlock()
	c.lobby.tell()
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

func (l *lobby) tell() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// allServed reports whether every request that has begun is answered, streams
// aside.
func (l *lobby) allServed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.guests {
		if c.stage == receiving || c.stage == working {
			return false
		}
	}
	return true
}

// clear closes the connections on which no request has begun.
func (l *lobby) clear() {
	l.mu.Lock()
	var closed []*conn
	for c := range l.guests {
		if c.stage == arriving {
			closed = append(closed, c)
			l.remove(c)
		}
	}
	l.mu.Unlock()
	for _, c := range closed {
		c.Conn.Close()
	}
}
