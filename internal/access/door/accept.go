package door

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// How those are treated for whom there is no room.
const (
	waiting      = 256                    // at a time; further ones are closed without a word
	waitingTime  = time.Second            // for a place
	askAgain     = 20 * time.Millisecond  // whether there is one
	farewellTime = 500 * time.Millisecond // to be told that there is none
)

// gate accepts connections as long as there is room for them.
type gate struct {
	net.Listener
	door   *Door
	guests chan net.Conn
	failed chan error    // why no more come; holds one
	ended  chan struct{} // closed when nobody accepts any more
	end    sync.Once
	queue  chan struct{} // holds a token for each that waits or is told to go
	parted sync.WaitGroup
}

func (d *Door) gate(listener net.Listener) *gate {
	g := &gate{
		Listener: listener, door: d, guests: make(chan net.Conn), failed: make(chan error, 1),
		ended: make(chan struct{}), queue: make(chan struct{}, waiting),
	}
	g.parted.Go(g.welcome)
	return g
}

// Accept gives the next connection that has a place.
func (g *gate) Accept() (net.Conn, error) {
	select {
	case guest := <-g.guests:
		return guest, nil
	case err := <-g.failed:
		g.failed <- err // for whoever asks again
		return nil, err
	}
}

// Close takes no more connections.
func (g *gate) Close() error {
	g.end.Do(func() { close(g.ended) })
	return g.Listener.Close()
}

// welcome takes connections in until the listener fails or is closed.
func (g *gate) welcome() {
	for {
		raw, err := g.Listener.Accept()
		if err != nil {
			g.failed <- err
			return
		}
		bound(raw)
		if guest, refused := g.door.lobby.admit(raw); refused == "" {
			g.hand(guest)
		} else {
			g.hold(raw, refused)
		}
	}
}

// unsent is how much of an answer the system takes off our hands.
const unsent = 4 * piece

// bound keeps the system from taking megabytes of an answer at once: it would
// have us wait until a third of them is read, for which a slow reader, who does
// read, may need longer than a WriteTimeout.
func bound(raw net.Conn) {
	if tcp, ok := raw.(interface{ SetWriteBuffer(int) error }); ok {
		_ = tcp.SetWriteBuffer(unsent) // else it is the system's to choose
	}
}

// hand gives a guest to the server.
func (g *gate) hand(guest net.Conn) {
	select {
	case g.guests <- guest:
	case <-g.ended:
		guest.Close()
	}
}

// hold has a connection wait for a place, and never waits itself: when many
// wait already, one more is just closed.
func (g *gate) hold(raw net.Conn, refused string) {
	select {
	case g.queue <- struct{}{}:
	default:
		g.note(raw, refused)
		raw.Close()
		return
	}
	g.parted.Go(func() {
		defer func() { <-g.queue }()
		guest, refused := g.await(raw, refused)
		if refused == "" {
			g.hand(guest)
			return
		}
		g.note(raw, refused)
		sendAway(raw, refused)
	})
}

// await asks for a place again and again, for a while.
func (g *gate) await(raw net.Conn, refused string) (guest *conn, still string) {
	again := time.NewTicker(askAgain)
	defer again.Stop()
	for until := time.Now().Add(waitingTime); refused != "" && time.Now().Before(until); {
		select {
		case <-again.C:
			guest, refused = g.door.lobby.admit(raw)
		case <-g.ended:
			return nil, refused
		}
	}
	return guest, refused
}

// note tells of a connection that got no place.
func (g *gate) note(raw net.Conn, refused string) {
	g.door.options.Meter.Refused(refused)
	g.door.log.refused("connection", "reason", refused, "address", clean(raw.RemoteAddr().String()))
}

// sendAway says that there is no room.
func sendAway(raw net.Conn, why string) {
	defer raw.Close()
	raw.SetDeadline(time.Now().Add(farewellTime))
	if _, err := io.WriteString(raw, farewell(why)); err != nil || closeWrite(raw) != nil {
		return
	}
	// To close with unread bytes would take the answer back.
	io.CopyN(io.Discard, raw, 64<<10)
}

func farewell(why string) string {
	status, text := http.StatusServiceUnavailable, "too many connections"
	if why == RefusedAddress {
		status, text = http.StatusTooManyRequests, "too many connections from your address"
	}
	body := errorBody(errorCode(status), text)
	return fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nRetry-After: 1\r\n"+
		"Cache-Control: no-store\r\nConnection: close\r\n\r\n%s", status, http.StatusText(status), len(body), body)
}
