package couch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/testkit/mode"
)

// namedFault is a fault that networks and servers cause.
type namedFault struct {
	name  string
	fault couchtest.Fault
}

// allFaults returns every kind of fault. Each call must survive each of them.
func allFaults(random *rand.Rand) []namedFault {
	n := random.Int64N(200)
	return []namedFault{
		{"delay", couchtest.Delay(time.Duration(random.IntN(20)) * time.Millisecond)},
		{"cut", couchtest.CutAfter(n)},
		{"truncate", couchtest.TruncateAfter(n / 10)},
		{"reset", couchtest.Reset()},
		{"lose", couchtest.LoseAnswer()},
		{"500", couchtest.Status(500, "internal_server_error")},
		{"502", couchtest.Status(502, "bad_gateway")},
		{"503", couchtest.Status(503, "service_unavailable")},
		{"429", couchtest.Status(429, "too_many_requests")},
		{"401", couchtest.Status(401, "unauthorized")},
		{"403", couchtest.Status(403, "forbidden")},
		{"413", couchtest.Status(413, "too_large")},
		{"conflicts", couchtest.Conflicts()},
		{"garbage", couchtest.Garbage()},
		{"hang", couchtest.Hang()},
		{"endless", couchtest.Endless()},
		{"bomb", couchtest.Bomb()},
		{"redirect", couchtest.Redirect("http://127.0.0.1:1/")},
	}
}

// TestFaults makes every call with every fault. Each call must end with a correct result or an error. The full form
// injects every fault several times.
func TestFaults(t *testing.T) {
	t.Parallel()
	deadline(t, 5*time.Minute)
	database := couchtest.New(t)
	direct := connect(t, database, nil)
	write(t, direct, `{"_id":"a.md","n":1}`, `{"_id":"b.md"}`, `{"_id":"h:1"}`)
	proxy := couchtest.NewProxy(t, database.URL, "")
	client := connect(t, database, func(o *couch.Options) {
		o.URL, o.Timeout, o.Retries, o.MaxAnswer, o.Sleep = proxy.URL, 200*time.Millisecond, mode.Pick(1, 2, 2), 512<<10, soon
		o.Logins = couch.NewLogins(0) // every fault is met, also after a refused login
	})
	checks := calls(t, client, direct)
	random := mode.Rand(1)
	for range mode.Pick(1, 2, 2) {
		for _, injected := range allFaults(random) {
			for _, call := range slices.Sorted(maps.Keys(checks)) {
				check := checks[call]
				proxy.Inject(injected.fault) // once, so that reading succeeds at the second attempt
				if err := check(); err != nil {
					t.Errorf("%s with the fault %q: %v", call, injected.name, err)
				}
				proxy.Always(injected.fault)
				if err := check(); err != nil {
					t.Errorf("%s with the fault %q in every response: %v", call, injected.name, err)
				}
			}
		}
	}
	requests, faults := proxy.Counts()
	t.Logf("%d faults in %d requests", faults, requests)
	if least := mode.Pick(200, 500, 500); faults < least {
		t.Errorf("only %d faults were injected, want %d", faults, least)
	}
	proxy.Always(nil)
	for range 100 { // the first requests may find connections that faults have broken
		if _, err := client.Info(t.Context()); err == nil {
			return
		}
	}
	t.Error("the client does not recover when the faults end")
}

// calls returns a function for each call of a client, which checks its result.
func calls(t *testing.T, client, direct *couch.Client) map[string]func() error {
	known := func(err error) error {
		if kind := fault.KindOf(err); err != nil && (kind == fault.Internal || kind == fault.NotFound) {
			return fmt.Errorf("a wrong or useless error: %w", err)
		}
		return nil
	}
	written := 0
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
		"write": func() error {
			written++
			return writeNew(t, client, direct, fmt.Sprintf("new-%d.md", written))
		},
	}
}

// writeNew writes a new document, and checks that the client's report is true.
func writeNew(t *testing.T, client, direct *couch.Client, id string) error {
	outcomes, err := client.BulkDocs(t.Context(), []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"_id":%q}`, id))}, couch.BulkOptions{})
	rows, lookErr := direct.Fetch(t.Context(), []string{id})
	if lookErr != nil {
		return lookErr
	}
	written := rows[0].Doc != nil
	switch {
	case err == nil && outcomes[0].Err == nil && (!written || rows[0].Rev != outcomes[0].Rev):
		return errors.New("reported as written, but was not")
	case err == nil && outcomes[0].Err != nil && written:
		return fmt.Errorf("written, but reported as failed: %w", outcomes[0].Err)
	case err != nil && written && !errors.Is(err, couch.ErrLostAnswer):
		return fmt.Errorf("written, but reported as not sent: %w", err)
	}
	return nil
}

// TestFeedMissesNothingDespiteFaults follows changes over a bad network.
func TestFeedMissesNothingDespiteFaults(t *testing.T) {
	t.Parallel()
	deadline(t, 5*time.Minute)
	database := couchtest.New(t)
	direct := connect(t, database, nil)
	proxy := couchtest.NewProxy(t, database.URL, "")
	client := connect(t, database, func(o *couch.Options) {
		o.URL, o.Timeout, o.Retries, o.MaxAnswer, o.Sleep = proxy.URL, 150*time.Millisecond, 1, 2<<20, soon
	})
	f := follow(t, client, couch.FollowOptions{Heartbeat: 50 * time.Millisecond, Poll: 200 * time.Millisecond})
	f.next(t)
	random := mode.Rand(2)
	proxy.Script(func(r *http.Request) couchtest.Fault {
		if random.IntN(3) == 0 {
			return nil
		}
		faults := allFaults(random)
		chosen := faults[random.IntN(len(faults))]
		if strings.HasSuffix(r.URL.Path, "/_changes") && chosen.name == "conflicts" {
			return nil // a feed gets no conflicts
		}
		return chosen.fault
	})
	notes := mode.Pick(20, 60, 60)
	for i := range notes {
		write(t, direct, fmt.Sprintf(`{"_id":"h:%d"}`, i), fmt.Sprintf(`{"_id":"n%d.md"}`, i))
	}
	seen := map[string]bool{}
	for len(seen) < notes {
		batch := f.next(t)
		if batch.Reset {
			t.Fatal("a reset although the database is the same")
		}
		for _, change := range batch.Changes {
			if change.Deleted || change.Err != nil {
				t.Fatalf("%+v", change)
			}
			seen[change.ID] = true
		}
	}
	_, faults := proxy.Counts()
	t.Logf("%d faults, %d troubles reported", faults, len(f.troubles))
}
