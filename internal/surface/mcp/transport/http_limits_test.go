package transport_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/surface/mcp/transport"
	. "obsidian-mcp/internal/surface/mcp/transport/transporttest"
)

func TestCancellationFreesTheSlotAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), func(o *transport.HTTPOptions) { o.PerSession = 1 })
		session := c.Begin("2025-11-25")
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		go func() {
			answer, err := c.Try(ctx, "POST", "/mcp", Call(1, "waits", "{}"), "Mcp-Session-Id", session)
			if err == nil { // a cancelled call is not answered, but its stream ends
				answer.Body.Close()
			}
		}()
		synctest.Wait()
		if c.HTTP.InFlight() != 1 {
			t.Fatalf("%d calls are in flight", c.HTTP.InFlight())
		}
		begun := time.Now()
		c.Post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "Mcp-Session-Id", session)
		status, body := c.Post(Call(2, "echo", `{"text":"next"}`), "Mcp-Session-Id", session)
		if status != 200 || !strings.Contains(body, "next") {
			t.Errorf("%d %s", status, body)
		}
		if waited := time.Since(begun); waited != 0 {
			t.Errorf("the next call waited %v for the slot of the cancelled one", waited)
		}
	})
}

func TestDisconnectingCancelsSessionlessCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), nil)
		ctx, leave := context.WithCancel(t.Context())
		body, headers := Sessionless(1, "tools/call", `,"name":"waits","arguments":{}`)
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			if answer, err := c.Try(ctx, "POST", "/mcp", body, headers...); err == nil {
				answer.Body.Close()
			}
		}()
		synctest.Wait()
		if c.HTTP.InFlight() != 1 {
			t.Fatalf("%d calls are in flight", c.HTTP.InFlight())
		}
		leave()
		<-gone
		synctest.Wait()
		if c.HTTP.InFlight() != 0 {
			t.Error("the call goes on")
		}
	})
}

// A call that is cancelled while it waits for its turn is not made.
func TestCancellingWaitingCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := newStub()
		c := Serve(t, server, func(o *transport.HTTPOptions) { o.PerSession = 1 })
		id := c.Begin("2025-11-25")
		first := make(chan struct{})
		go func() {
			defer close(first)
			c.Post(Call(1, "waits", "{}"), "Mcp-Session-Id", id)
		}()
		synctest.Wait()
		type answer struct {
			status int
			body   string
		}
		second := make(chan answer)
		go func() {
			status, body := c.Post(Call(2, "echo", `{"text":"unwanted"}`), "Mcp-Session-Id", id, "Accept", "application/json")
			second <- answer{status, body}
		}()
		synctest.Wait()
		c.Post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, "Mcp-Session-Id", id)
		close(server.block)
		if got := <-second; got.status != 204 || got.body != "" {
			t.Errorf("%+v", got)
		}
		if status, _ := c.Post(Call(3, "echo", `{"text":"x"}`), "Mcp-Session-Id", id); status != 200 {
			t.Errorf("afterwards: %d", status)
		}
		<-first
	})
}

// A call that does not get its turn in time is refused, and leaves nothing occupied.
func TestCallsWaitForTheirTurnOnlySoLong(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := newStub()
		c := Serve(t, server, func(o *transport.HTTPOptions) { o.InFlight = 1 })
		first := make(chan struct{})
		go func() {
			defer close(first)
			body, headers := Sessionless(1, "tools/call", `,"name":"waits","arguments":{}`)
			c.Post(body, headers...)
		}()
		synctest.Wait()
		begun := time.Now()
		body, headers := Sessionless(2, "tools/call", `,"name":"echo","arguments":{"text":"x"}`)
		if status, answer := c.Post(body, append(headers, "Who", "b")...); status != 429 || !strings.Contains(answer, `"id":2`) {
			t.Errorf("%d %s", status, answer)
		}
		if waited := time.Since(begun); waited != transport.TurnPatience {
			t.Errorf("it waited %v", waited)
		}
		close(server.block)
		<-first
		if status, answer := c.Post(body, append(headers, "Who", "b")...); status != 200 {
			t.Errorf("afterwards: %d %s", status, answer)
		}
	})
}

func TestCallsPerMinuteAreLimited(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), func(o *transport.HTTPOptions) { o.Calls = 5 })
		id := c.Begin("2025-11-25", "Who", "a") // initialize is one
		refused := 0
		for i := range 6 {
			answer := c.Do("POST", "/mcp", Call(i+1, "echo", `{"text":"x"}`), "Mcp-Session-Id", id, "Who", "a")
			content, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if answer.StatusCode == 429 {
				refused++
				if answer.Header.Get("Retry-After") != "12" || !strings.Contains(string(content), fmt.Sprintf(`"id":%d`, i+1)) {
					t.Errorf("%v %s", answer.Header, content)
				}
			}
		}
		if refused != 2 {
			t.Errorf("%d of 6 calls were refused", refused)
		}
		c.Begin("2025-11-25", "Who", "b") // another client has its own share
		time.Sleep(12 * time.Second)
		if status, _ := c.Post(Call(9, "echo", `{"text":"x"}`), "Mcp-Session-Id", id, "Who", "a"); status != 200 {
			t.Errorf("after the time in Retry-After: %d", status)
		}
	})
}

func TestWritesPerMinuteAreLimited(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := newStub()
		close(server.block)
		var reasons []string
		c := Serve(t, server, func(o *transport.HTTPOptions) {
			o.Writes = 1
			o.Refused = func(reason string) { reasons = append(reasons, reason) }
		})
		id := c.Begin("2025-11-25")
		for _, test := range []struct {
			tool   string
			status int
		}{{"waits", 200}, {"waits", 429}, {"echo", 200}} {
			if status, body := c.Post(Call(1, test.tool, "{}"), "Mcp-Session-Id", id); status != test.status {
				t.Errorf("%s: %d %s", test.tool, status, body)
			}
		}
		if strings.Join(reasons, " ") != "rate_writes" {
			t.Errorf("refused for %q", reasons)
		}
	})
}

func TestWrittenBytesPerMinuteAreLimited(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := newStub()
		close(server.block)
		var reasons []string
		c := Serve(t, server, func(o *transport.HTTPOptions) {
			o.WriteBytes = 3000
			o.Refused = func(reason string) { reasons = append(reasons, reason) }
		})
		id := c.Begin("2025-11-25")
		large := `{"text":"` + strings.Repeat("x", 2000) + `"}`
		for _, test := range []struct {
			tool   string
			status int
		}{{"waits", 200}, {"waits", 429}, {"echo", 200}} {
			if status, body := c.Post(Call(1, test.tool, large), "Mcp-Session-Id", id); status != test.status {
				t.Errorf("%s: %d %s", test.tool, status, body)
			}
		}
		time.Sleep(time.Minute)
		if status, body := c.Post(Call(1, "waits", large+strings.Repeat(" ", 5000)), "Mcp-Session-Id", id); status != 200 {
			t.Errorf("a call beyond the whole share: %d %s", status, body)
		}
		if strings.Join(reasons, " ") != "rate_write_bytes" {
			t.Errorf("refused for %q", reasons)
		}
	})
}

func TestRefusedClientEvictsNoSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), func(o *transport.HTTPOptions) { o.Sessions, o.Calls = 3, 2 })
		first := c.Begin("2025-11-25", "Who", "a")
		for range 2 {
			c.Begin("2025-11-25", "Who", "b")
		}
		answer := c.Do("POST", "/mcp", Initialize("2025-11-25"), "Who", "b")
		answer.Body.Close()
		if answer.StatusCode != 429 || answer.Header.Get("Mcp-Session-Id") != "" || answer.Header.Get("Retry-After") == "" {
			t.Errorf("the call over the limit: %d %v", answer.StatusCode, answer.Header)
		}
		if status, body := c.Post(Call(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", first, "Who", "a"); status != 200 {
			t.Errorf("another client's session: %d %s", status, body)
		}
	})
}

func TestLongestIdleSessionGivesWay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), func(o *transport.HTTPOptions) { o.Sessions = 3 })
		first := c.Begin("2025-11-25")
		time.Sleep(time.Second)
		second := c.Begin("2025-11-25")
		time.Sleep(time.Second)
		c.Post(Call(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", first) // now the second has been idle for longer
		for range 2 {
			c.Begin("2025-11-25")
		}
		if c.HTTP.Sessions() != 3 {
			t.Errorf("%d sessions", c.HTTP.Sessions())
		}
		if status, _ := c.Post(Call(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", second); status != 404 {
			t.Errorf("the session idle for longest answers %d", status)
		}
		if status, _ := c.Post(Call(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", first); status != 200 {
			t.Errorf("the session in use answers %d", status)
		}
	})
}

func TestSessionsAreLimitedWhenManyBeginAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), func(o *transport.HTTPOptions) { o.Sessions = 5 })
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 20 {
					c.Post(Initialize("2025-11-25"))
				}
			})
		}
		all.Wait()
		if c.HTTP.Sessions() != 5 {
			t.Errorf("%d sessions", c.HTTP.Sessions())
		}
	})
}

func TestIdleSessionsEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), func(o *transport.HTTPOptions) { o.Idle = time.Minute })
		c.Begin("2025-11-25")
		reading := c.Begin("2025-11-25")
		stream := c.Do("GET", "/mcp", "", "Mcp-Session-Id", reading)
		defer stream.Body.Close()
		go io.Copy(io.Discard, stream.Body)
		time.Sleep(59 * time.Second)
		if c.HTTP.Sessions() != 2 {
			t.Fatalf("%d sessions before their time is over", c.HTTP.Sessions())
		}
		time.Sleep(time.Minute)
		if c.HTTP.Sessions() != 1 {
			t.Fatalf("%d sessions", c.HTTP.Sessions())
		}
		if status, _ := c.Post(Call(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", reading); status != 200 {
			t.Errorf("the session whose stream is read answers %d", status)
		}
	})
}

func TestAllSessionsInUse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), func(o *transport.HTTPOptions) { o.Sessions = 1 })
		id := c.Begin("2025-11-25")
		stream := c.Do("GET", "/mcp", "", "Mcp-Session-Id", id)
		defer stream.Body.Close()
		answer := c.Do("POST", "/mcp", Initialize("2025-11-25"))
		answer.Body.Close()
		if answer.StatusCode != 503 || answer.Header.Get("Retry-After") == "" {
			t.Errorf("%d %v", answer.StatusCode, answer.Header)
		}
		if status, _ := c.Post(Call(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", id); status != 200 {
			t.Errorf("the session in use: %d", status)
		}
	})
}

// A call that waits for a person does not keep others from working, and does not hold up the end.
func TestWaitingForPersonOccupiesNoSlot(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), func(o *transport.HTTPOptions) { o.InFlight = 1 })
		id := c.BeginWith(InitializeAsking("2025-11-25"))
		asking := c.Do("POST", "/mcp", Call(1, "asks", "{}"), "Mcp-Session-Id", id)
		defer asking.Body.Close()
		next := Events(asking.Body)
		Await(t, next, "elicitation/create")
		status, body := c.Post(Call(2, "echo", `{"text":"meanwhile"}`), "Mcp-Session-Id", c.Begin("2025-11-25"))
		if status != 200 || !strings.Contains(body, "meanwhile") {
			t.Errorf("%d %s", status, body)
		}
		c.HTTP.Stop()
		Await(t, next, `"id":1`)
	})
}

func TestQuestionsAreLimited(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), nil)
		id := c.BeginWith(InitializeAsking("2025-11-25"))
		for i := range transport.MaxAsked {
			asking := c.Do("POST", "/mcp", Call(i+1, "asks", "{}"), "Mcp-Session-Id", id)
			defer asking.Body.Close()
			Await(t, Events(asking.Body), "elicitation/create")
		}
		if _, body := c.Post(Call(9, "asks", "{}"), "Mcp-Session-Id", id); !strings.Contains(body, "nobody can be asked") {
			t.Errorf("a question over the limit: %s", body)
		}
		c.HTTP.Stop()
		if _, body := c.Post(Call(10, "asks", "{}"), "Mcp-Session-Id", id); !strings.Contains(body, "nobody can be asked") {
			t.Errorf("at the end: %s", body)
		}
	})
}

func TestBatchesAreLimited(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), nil)
		id := c.Begin("2025-03-26")
		large := make([]string, transport.MaxBatch+1)
		for i := range large {
			large[i] = `{"jsonrpc":"2.0","method":"notifications/x"}`
		}
		if status, _ := c.Post("["+strings.Join(large, ",")+"]", "Mcp-Session-Id", id); status != 400 {
			t.Errorf("too many messages: %d", status)
		}
	})
}

func TestDisconnectingCancelsCallsOfBatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), nil)
		id := c.Begin("2025-03-26")
		ctx, leave := context.WithCancel(t.Context())
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			answer, err := c.Try(ctx, "POST", "/mcp", "["+Call(1, "waits", "{}")+"]", "Mcp-Session-Id", id)
			if err == nil {
				answer.Body.Close()
			}
		}()
		synctest.Wait()
		if c.HTTP.InFlight() != 1 {
			t.Fatalf("%d calls are in flight", c.HTTP.InFlight())
		}
		leave()
		<-gone
		synctest.Wait()
		if c.HTTP.InFlight() != 0 {
			t.Error("the call of a batch goes on without its client")
		}
	})
}
