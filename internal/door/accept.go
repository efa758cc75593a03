package door

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// How those are sent away for whom there is no room.
const (
	farewells    = 16                     // at a time; further ones are closed without a word
	farewellTime = 500 * time.Millisecond // for each
)

// gate accepts connections as long as there is room for them.
type gate struct {
	net.Listener
	door    *Door
	parting chan struct{} // holds a token for each farewell under way
	parted  sync.WaitGroup
}

func (d *Door) gate(listener net.Listener) *gate {
	return &gate{Listener: listener, door: d, parting: make(chan struct{}, farewells)}
}

// Accept gives the next connection that has a place.
func (g *gate) Accept() (net.Conn, error) {
	for {
		raw, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		guest, refused := g.door.lobby.admit(raw)
		if refused == "" {
			return guest, nil
		}
		g.door.options.Meter.Refused(refused)
		g.door.log.refused("connection", "reason", refused, "address", clean(raw.RemoteAddr().String()))
		g.sendAway(raw, refused)
	}
}

// sendAway says that there is no room, and never waits: who does not listen is
// not waited for here, and when many are being told, the rest is just closed.
func (g *gate) sendAway(raw net.Conn, why string) {
	select {
	case g.parting <- struct{}{}:
	default:
		raw.Close()
		return
	}
	g.parted.Go(func() {
		defer func() { <-g.parting }()
		defer raw.Close()
		raw.SetDeadline(time.Now().Add(farewellTime))
		if _, err := io.WriteString(raw, farewell(why)); err != nil || closeWrite(raw) != nil {
			return
		}
		// To close with unread bytes would take the answer back.
		io.CopyN(io.Discard, raw, 64<<10)
	})
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
