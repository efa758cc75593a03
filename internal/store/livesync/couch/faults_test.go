package couch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
)

// harms are what networks and servers do. Each call must survive each.
func harms(random *rand.Rand) map[string]couchtest.Fault {
	n := random.Int64N(200)
	return map[string]couchtest.Fault{
		"delay":     couchtest.Delay(time.Duration(random.IntN(20)) * time.Millisecond),
		"cut":       couchtest.CutAfter(n),
		"truncate":  couchtest.TruncateAfter(n / 10),
		"reset":     couchtest.Reset(),
		"lose":      couchtest.LoseAnswer(),
		"500":       couchtest.Status(500, "internal_server_error"),
		"502":       couchtest.Status(502, "bad_gateway"),
		"503":       couchtest.Status(503, "service_unavailable"),
		"429":       couchtest.Status(429, "too_many_requests"),
		"401":       couchtest.Status(401, "unauthorized"),
		"403":       couchtest.Status(403, "forbidden"),
		"413":       couchtest.Status(413, "too_large"),
		"conflicts": couchtest.Conflicts(),
		"garbage":   couchtest.Garbage(),
		"hang":      couchtest.Hang(),
		"endless":   couchtest.Endless(),
		"bomb":      couchtest.Bomb(),
		"redirect":  couchtest.Redirect("http://127.0.0.1:1/"),
	}
}

// TestFaults: every call meets every fault, several times, and each call ends
// in time, with the truth or with an error, and leaves nothing behind.
func TestFaults(t *testing.T) {
	deadline(t, 3*time.Minute)
	database := couchtest.New(t)
	direct := connect(t, database, nil)
	write(t, direct, `{"_id":"a.md","n":1}`, `{"_id":"b.md"}`, `{"_id":"h:1"}`)
	proxy := couchtest.NewProxy(t, database.URL, "")
	client := connect(t, database, func(o *couch.Options) {
		o.URL, o.Timeout, o.Retries, o.MaxAnswer, o.Sleep = proxy.URL, 200*time.Millisecond, 2, 512<<10, soon
	})
	before := runtime.NumGoroutine()
	random := rand.New(rand.NewPCG(1, 2))
	for range 2 {
		for name, harm := range harms(random) {
			for call, check := range calls(t, client, direct) {
				// Once, so that reading gets through; then always, so that nothing does.
				for _, always := range []bool{false, true} {
					if proxy.Inject(harm); always {
						proxy.Always(harm)
					}
					begun := time.Now()
					if err := check(); err != nil {
						t.Errorf("%s, %s (always %v): %v", call, name, always, err)
					}
					if took := time.Since(begun); took > 5*time.Second {
						t.Errorf("%s, %s (always %v) took %v", call, name, always, took)
					}
				}
			}
		}
	}
	requests, harmed := proxy.Counts()
	t.Logf("%d requests, %d of them harmed", requests, harmed)
	if harmed < 500 {
		t.Error("too few faults to tell")
	}
	proxy.Always(nil)
	if _, err := client.Info(t.Context()); err != nil {
		t.Errorf("it does not recover: %v", err)
	}
	client.Close()
	noneLeft(t, before)
}

// calls are the client's, each with a check of what it may say.
func calls(t *testing.T, client, direct *couch.Client) map[string]func() error {
	known := func(err error) error {
		if kind := fault.KindOf(err); err != nil && (kind == fault.Internal || kind == fault.NotFound) {
			return fmt.Errorf("not the truth, or no use: %w", err)
		}
		return nil
	}
	return map[string]func() error{
		"get": func() error {
			got, err := client.Get(t.Context(), "a.md", couch.GetOptions{})
			if err == nil && got.ID != "a.md" {
				return fmt.Errorf("%+v", got)
			}
			return known(err)
		},
		"fetch": func() error {
			rows, err := client.Fetch(t.Context(), []string{"a.md", "b.md", "none.md"})
			for i, row := range rows {
				if row.Err == nil && (row.Missing != (i == 2) || row.Deleted || (row.Doc != nil) != (i < 2)) {
					return fmt.Errorf("%+v", rows)
				}
			}
			return known(err)
		},
		"list": func() error {
			n := 0
			for _, err := range client.AllDocs(t.Context(), couch.Query{Docs: true, Page: 2, Start: "a.md", Before: "i"}) {
				if err != nil {
					return known(err)
				}
				n++
			}
			if n != 3 {
				return fmt.Errorf("%d listed", n)
			}
			return nil
		},
		"access": func() error {
			_, err := client.Access(t.Context())
			return known(err)
		},
		"write": func() error { return writeOne(t, client, direct) },
	}
}

// writeOne writes a new document and checks that what the client says of it is
// true.
func writeOne(t *testing.T, client, direct *couch.Client) error {
	id := fmt.Sprintf("new-%x.md", rand.Uint64())
	outcomes, err := client.BulkDocs(t.Context(), []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"_id":%q}`, id))}, couch.BulkOptions{})
	rows, lookErr := direct.Fetch(t.Context(), []string{id})
	if lookErr != nil {
		return lookErr
	}
	written := rows[0].Doc != nil
	switch {
	case err == nil && outcomes[0].Err == nil && (!written || rows[0].Rev != outcomes[0].Rev):
		return errors.New("written, it said")
	case err == nil && outcomes[0].Err != nil && written:
		return fmt.Errorf("not written, it said: %w", outcomes[0].Err)
	case err != nil && written && !errors.Is(err, couch.ErrLostAnswer):
		return fmt.Errorf("nothing was written, it said: %w", err)
	}
	return nil
}

// TestFeedThroughFaults: a feed over a bad network misses nothing.
func TestFeedThroughFaults(t *testing.T) {
	deadline(t, 2*time.Minute)
	database := couchtest.New(t)
	direct := connect(t, database, nil)
	proxy := couchtest.NewProxy(t, database.URL, "")
	client := connect(t, database, func(o *couch.Options) {
		o.URL, o.Timeout, o.Retries, o.MaxAnswer, o.Sleep = proxy.URL, 150*time.Millisecond, 1, 2<<20, soon
	})
	before := runtime.NumGoroutine()
	f := follow(t, client, couch.FollowOptions{Heartbeat: 50 * time.Millisecond, Poll: 200 * time.Millisecond})
	f.next(t)
	random := rand.New(rand.NewPCG(3, 4))
	proxy.Script(func(r *http.Request) couchtest.Fault {
		if random.IntN(3) == 0 {
			return nil
		}
		for name, harm := range harms(random) {
			if !strings.HasSuffix(r.URL.Path, "/_changes") || name != "conflicts" { // which a feed cannot meet
				return harm
			}
		}
		return nil
	})
	const notes = 60
	for i := range notes {
		write(t, direct, fmt.Sprintf(`{"_id":"h:%d"}`, i), fmt.Sprintf(`{"_id":"n%d.md"}`, i))
		time.Sleep(5 * time.Millisecond)
	}
	seen := map[string]bool{}
	for len(seen) < notes {
		batch := f.next(t)
		if batch.Reset {
			t.Fatal("a reset, though the database is the same")
		}
		for _, change := range batch.Changes {
			if change.Deleted || change.Err != nil {
				t.Fatalf("%+v", change)
			}
			seen[change.ID] = true
		}
	}
	_, harmed := proxy.Counts()
	t.Logf("%d faults, %d troubles told", harmed, len(f.troubles))
	f.stop()
	client.Close()
	noneLeft(t, before)
}

// noneLeft waits until no more goroutines run than before.
func noneLeft(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before+2 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}
