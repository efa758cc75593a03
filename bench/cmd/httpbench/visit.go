package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"obsidian-mcp/bench/internal/rawmcp"
)

// visitor is a client that comes repeatedly, each time in another way: with a session, without one, or by the old
// transport.
type visitor struct {
	addr   string
	number int
	random *rand.Rand
	tally  *tally
	end    time.Time
	left   time.Time // when it last abandoned a session
	called time.Time // when it last made a call
}

func newVisitor(addr string, number int, tally *tally) *visitor {
	return &visitor{addr: addr, number: number, random: rand.New(rand.NewPCG(uint64(number), 1)), tally: tally}
}

func (v *visitor) visitUntil(end time.Time) {
	v.end = end
	for v.goesOn() {
		kind, visit := "session", v.visitSession
		switch n := v.random.IntN(10); {
		case n < 3:
			kind, visit = "without session", v.visitSessionless
		case n < 5:
			kind, visit = "old transport", v.visitOld
		}
		v.tally.did("visit: " + kind)
		if err := visit(); err != nil {
			v.tally.failed(fmt.Errorf("%s: %w", kind, err))
			time.Sleep(100 * time.Millisecond) // a server that refuses everything would fill the log
		}
	}
}

func (v *visitor) goesOn() bool { return time.Now().Before(v.end) }

// calls is how many calls a visit makes.
func (v *visitor) calls() int { return 5 + v.random.IntN(40) }

// pace limits how often a visitor calls: what a server keeps for a while depends on how often it is called, and
// must not depend on what else the machine does.
func (v *visitor) pace() {
	time.Sleep(time.Until(v.called.Add(callEvery)))
	v.called = time.Now()
}

// callEvery is the shortest time between two calls of a visitor.
const callEvery = 80 * time.Millisecond

// chance is true once in so many times, at random.
func (v *visitor) chance(in int) bool { return v.random.IntN(in) == 0 }

// visitSession opens a session, works in it, sometimes listens, and ends it or just leaves.
func (v *visitor) visitSession() error {
	client, err := rawmcp.Connect(v.addr, "/mcp", rawmcp.Sessions)
	if err != nil {
		return err
	}
	defer func() { client.Conn.Close() }()
	if v.chance(3) {
		if err := v.listen(client); err != nil {
			return err
		}
	}
	if err := v.work(client); err != nil {
		return err
	}
	if time.Since(v.left) > abandonEvery {
		v.left = time.Now()
		v.tally.did("session abandoned")
		return nil
	}
	return client.End()
}

// visitSessionless works without a session.
func (v *visitor) visitSessionless() error {
	client, err := rawmcp.Connect(v.addr, "/mcp", rawmcp.Sessionless)
	if err != nil {
		return err
	}
	defer func() { client.Conn.Close() }()
	return v.work(client)
}

// visitOld works by the old transport.
func (v *visitor) visitOld() error {
	client, err := rawmcp.ConnectOld(v.addr, "/sse")
	if err != nil {
		return err
	}
	defer client.Close()
	for n := v.calls(); n > 0 && v.goesOn(); n-- {
		v.pace()
		if _, err := client.Call(v.anyCall()); err != nil {
			return err
		}
		v.tally.calls.Add(1)
	}
	return nil
}

// work makes calls; now and then one is cancelled, or dropped with its connection.
func (v *visitor) work(client *rawmcp.Client) error {
	for n := v.calls(); n > 0 && v.goesOn(); n-- {
		v.pace()
		var err error
		switch v.random.IntN(25) {
		case 0:
			err = v.drop(client)
		case 1:
			if client.Era == rawmcp.Sessions {
				err = v.cancel(client)
			}
		default:
			_, err = client.Call(v.anyCall())
			v.tally.calls.Add(1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drop closes the connection in the middle of a call, and continues with a new connection.
func (v *visitor) drop(client *rawmcp.Client) error {
	if err := client.Start(v.slowCall()); err != nil {
		return err
	}
	time.Sleep(time.Duration(v.random.IntN(3000)) * time.Microsecond)
	client.Conn.Close()
	v.tally.did("connection dropped in a call")
	conn, err := rawmcp.Dial(v.addr)
	if err == nil {
		client.Conn = conn
	}
	return err
}

// cancel cancels a call while it runs. The server may still answer, but the exchange must end.
func (v *visitor) cancel(client *rawmcp.Client) error {
	if err := client.Start(v.slowCall()); err != nil {
		return err
	}
	conn, err := rawmcp.Dial(v.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	beside := &rawmcp.Client{Conn: conn, Path: client.Path, Era: client.Era, Session: client.Session}
	if err := beside.Notify(rawmcp.Message{Method: "notifications/cancelled", Params: fmt.Sprintf(`"requestId":%d,"reason":"enough"`, client.Last())}); err != nil {
		return err
	}
	v.tally.did("call cancelled")
	_, err = client.Conn.Receive()
	return err
}

// listen subscribes to a note, receives a change, loses the stream, misses a change, and reconnects to receive it.
func (v *visitor) listen(client *rawmcp.Client) error {
	stream, err := client.Listen("")
	if err != nil {
		return err
	}
	note := v.scratch()
	if _, err := client.Call(v.write(note)); err != nil {
		stream.Close()
		return err
	}
	if _, err := client.Call(rawmcp.Message{Method: "resources/subscribe", Name: noteURI(note), Params: `"uri":"` + noteURI(note) + `"`}); err != nil {
		stream.Close()
		return err
	}
	_, err = client.Call(v.write(note))
	event, heard := v.hear(stream)
	stream.Close()
	if err != nil || !heard {
		return err
	}
	v.tally.did("change heard on a stream")
	if _, err := client.Call(v.write(note)); err != nil {
		return err
	}
	again, err := v.resume(client, event.ID)
	if err != nil {
		return err
	}
	defer again.Close()
	v.tally.did("stream resumed")
	if _, heard := v.hear(again); heard {
		v.tally.did("missed change heard after that")
	}
	return nil
}

// resume opens a stream again. The server may not have noticed yet that the old stream is gone, and refuse.
func (v *visitor) resume(client *rawmcp.Client, lastID string) (*rawmcp.Stream, error) {
	for attempt := 0; ; attempt++ {
		stream, err := client.Listen(lastID)
		refused, ok := errors.AsType[*rawmcp.StatusError](err)
		if !ok || refused.Status != http.StatusConflict || attempt == 10 {
			return stream, err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// hear waits a little for an event, because changes are reported with a delay.
func (v *visitor) hear(stream *rawmcp.Stream) (rawmcp.Event, bool) {
	event, err := stream.Next(2 * time.Second)
	if err != nil && !ended(err) {
		v.tally.failed(err)
	}
	return event, err == nil
}
