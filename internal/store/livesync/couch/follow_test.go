package couch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/testkit/mode"
)

// feed is a Follow in another goroutine.
type feed struct {
	batches  chan couch.Batch
	troubles chan error
	stop     func() error // returns the result of Follow
}

func follow(t testing.TB, client *couch.Client, o couch.FollowOptions) *feed {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := &feed{batches: make(chan couch.Batch, 100), troubles: make(chan error, 1000)}
	ended := make(chan error, 1)
	o.Trouble = func(err error) { f.troubles <- err }
	go func() {
		ended <- client.Follow(ctx, o, func(batch couch.Batch) error { f.batches <- batch; return nil })
	}()
	f.stop = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() { f.stop() })
	return f
}

// patience is how long tests wait for something that happens in another goroutine.
const patience = mode.Patience

func (f *feed) next(t testing.TB) couch.Batch {
	t.Helper()
	select {
	case batch := <-f.batches:
		return batch
	case <-time.After(patience):
		t.Fatal("no batch arrived")
		return couch.Batch{}
	}
}

// until reads batches until a change of the document arrives, and reports whether one of them was a reset.
func (f *feed) until(t testing.TB, id string) (change couch.Change, reset bool) {
	t.Helper()
	for {
		batch := f.next(t)
		reset = reset || batch.Reset
		for _, change := range batch.Changes {
			if change.ID == id {
				return change, reset
			}
		}
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	client := connect(t, database, nil)
	write(t, client, `{"_id":"before.md"}`)
	f := follow(t, client, couch.FollowOptions{Poll: time.Hour}) // a change must end the poll
	if first := f.next(t); !first.Reset || len(first.Changes) != 0 || first.At.Seq == "" {
		t.Fatalf("%+v", first)
	}
	rev := write(t, client, `{"_id":"h:1","type":"leaf"}`, `{"_id":"a.md","n":1}`)[1]
	got := f.next(t)
	if len(got.Changes) != 1 || got.Changes[0].ID != "a.md" || got.Changes[0].Doc == nil || got.Changes[0].Doc.Rev != rev {
		t.Errorf("%+v", got)
	}
	write(t, client, fmt.Sprintf(`{"_id":"a.md","_rev":%q,"_deleted":true}`, rev))
	if change, _ := f.until(t, "a.md"); !change.Deleted || change.Err != nil {
		t.Errorf("%+v", change)
	}
	database.Branches(t, map[string]any{"_id": "c.md", "_rev": "1-bb"})
	f.until(t, "c.md")
	database.Branches(t, map[string]any{"_id": "c.md", "_rev": "1-aa"})
	if change, _ := f.until(t, "c.md"); len(change.Revs) != 2 || len(change.Doc.Conflicts) != 1 {
		t.Errorf("%+v", change)
	}
	if err := f.stop(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFollowContinuesFromAPosition(t *testing.T) {
	t.Parallel()
	client := connect(t, couchtest.New(t), nil)
	f := follow(t, client, couch.FollowOptions{})
	at := f.next(t).At
	f.stop()
	for i := range 25 {
		write(t, client, fmt.Sprintf(`{"_id":"n%02d.md"}`, i), fmt.Sprintf(`{"_id":"h:%d"}`, i))
	}
	f = follow(t, client, couch.FollowOptions{From: at, Limit: 7})
	seen := map[string]bool{}
	for len(seen) < 25 {
		batch := f.next(t)
		if batch.Reset {
			t.Fatal("a reset although the position is valid")
		}
		for _, change := range batch.Changes {
			if seen[change.ID] || change.Doc == nil || strings.HasPrefix(change.ID, "h:") {
				t.Errorf("%+v", change)
			}
			seen[change.ID] = true
		}
	}
}

func TestFollowEndsWithItsHandler(t *testing.T) {
	t.Parallel()
	client := connect(t, couchtest.New(t), nil)
	full := errors.New("full")
	if err := client.Follow(t.Context(), couch.FollowOptions{}, func(couch.Batch) error { return full }); err != full {
		t.Error(err)
	}
}

func TestFollowNoticesANewDatabase(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	client := connect(t, database, func(o *couch.Options) { o.Sleep = soon })
	write(t, client, `{"_id":"a.md"}`, `{"_id":"b.md"}`, `{"_id":"c.md"}`)
	f := follow(t, client, couch.FollowOptions{Poll: 300 * time.Millisecond, Heartbeat: 100 * time.Millisecond})
	f.next(t)
	database.Delete(t)
	for err := error(nil); !errors.Is(err, fault.VaultNotFound); {
		select {
		case err = <-f.troubles:
		case <-time.After(patience):
			t.Fatal("Follow did not report that the database is gone")
		}
	}
	database.Create(t)
	if batch := f.next(t); !batch.Reset {
		t.Errorf("%+v", batch)
	}
	write(t, client, `{"_id":"new.md"}`)
	if change, _ := f.until(t, "new.md"); change.Doc == nil {
		t.Errorf("%+v", change)
	}
}

// TestFollowNoticesAReplacedDatabase replaces the database so fast that Follow never finds it missing.
func TestFollowNoticesAReplacedDatabase(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	client := connect(t, database, func(o *couch.Options) { o.Sleep = soon })
	var mu sync.Mutex
	identity := "first"
	write(t, client, `{"_id":"a.md"}`)
	f := follow(t, client, couch.FollowOptions{
		Poll: 200 * time.Millisecond, Heartbeat: 100 * time.Millisecond,
		Identify: func(context.Context) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			return identity, nil
		},
	})
	f.next(t)
	mu.Lock()
	database.Delete(t)
	database.Create(t)
	write(t, client, `{"_id":"a.md"}`, `{"_id":"b.md"}`) // as many changes as before, and more
	identity = "second"
	mu.Unlock()
	for !f.next(t).Reset {
	}
}

// TestFollowSelectsByID lets the server leave out chunks, and starts over when the server rejects the position.
func TestFollowSelectsByID(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		changes := 0
		var asked []string
		server := &script{steps: steps(func(r *http.Request) (*http.Response, error) {
			query := r.URL.Query()
			if !strings.HasSuffix(r.URL.Path, "/_changes") {
				return says(200, infoAnswer)(r)
			}
			asked = append(asked, r.Method+" "+query.Get("filter")+" "+query.Get("include_docs")+" "+query.Get("since"))
			switch changes++; changes {
			case 1:
				return says(200, "\n\n"+`{"results":[{"id":"a.md","seq":"6-y","changes":[{"rev":"1-x"}],"doc":{"_id":"a.md","_rev":"1-x"}},{"id":"d.md","deleted":true,"changes":[{"rev":"2-x"}],"doc":{"_id":"d.md","_rev":"2-x","_deleted":true}}],"last_seq":"7-z","pending":0}`)(r)
			case 2, 3:
				return says(400, `{"error":"bad_request","reason":"malformed sequence"}`)(r)
			}
			return hangs(r)
		})}
		client, err := couch.New(couch.Options{URL: "http://couch.example", Database: "db", Transport: server})
		if err != nil {
			t.Fatal(err)
		}
		f := follow(t, client, couch.FollowOptions{From: couch.Position{Seq: "4-w"}})
		batch := f.next(t)
		if batch.Reset || len(batch.Changes) != 2 || batch.Changes[0].Doc == nil || !batch.Changes[1].Deleted || batch.At.Seq != "7-z" {
			t.Errorf("%+v", batch)
		}
		if batch := f.next(t); !batch.Reset || batch.At.Seq != "5-x" {
			t.Errorf("%+v", batch)
		}
		synctest.Wait()
		f.stop()
		for i, want := range []string{"POST _selector true 4-w", "POST _selector true 7-z"} {
			if asked[i] != want {
				t.Errorf("%q, want %q", asked[i], want)
			}
		}
	})
}

// TestFollowNeverHangs: a server that accepts a poll and goes silent is noticed after three heartbeats; a poll without
// changes is repeated after a while.
func TestFollowNeverHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var polls atomic.Int64
		server := &script{steps: steps(func(r *http.Request) (*http.Response, error) {
			if !strings.HasSuffix(r.URL.Path, "/_changes") {
				return says(200, infoAnswer)(r)
			}
			if polls.Add(1) < 3 {
				return hangs(r)
			}
			return drips(r) // like heartbeats
		})}
		client, err := couch.New(couch.Options{URL: "http://couch.example", Database: "db", Transport: server})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		f := follow(t, client, couch.FollowOptions{From: couch.Position{Seq: "5-x"}, Heartbeat: 5 * time.Second, Poll: time.Minute})
		for i, want := range []struct {
			err   bool
			after time.Duration
		}{{true, 15 * time.Second}, {false, 16 * time.Second}, {true, 31 * time.Second}, {false, 32 * time.Second}} {
			err := <-f.troubles
			if (err != nil) != want.err || time.Since(begun) > want.after {
				t.Errorf("%d: %v after %v", i, err, time.Since(begun))
			}
		}
		time.Sleep(10 * time.Minute)
		if n := polls.Load(); n < 11 || n > 13 || len(f.troubles) > 0 {
			t.Errorf("%d polls, %d troubles", n, len(f.troubles))
		}
		f.stop()
	})
}

// TestFollowBacksOff counts the requests to a server that refuses or fails.
func TestFollowBacksOff(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer      func(*http.Request) (*http.Response, error)
		least, most int64
	}{
		"a wrong password": {says(401, `{"error":"unauthorized"}`), 4, 6}, // CouchDB locks an account after five in five minutes
		"no database":      {says(404, `{"error":"not_found"}`), 40, 60},
		"a failing server": {says(503, ""), 100, 250}, // with five attempts each
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, server := scripted(t, test.answer)
				f := follow(t, client, couch.FollowOptions{})
				time.Sleep(10 * time.Minute)
				f.stop()
				if n := server.asked.Load(); n < test.least || n > test.most {
					t.Errorf("%d requests in ten minutes, want %d to %d", n, test.least, test.most)
				}
			})
		})
	}
}

// TestFollowLimitsRequestsToOddServers: one server ends polls at once without changes, the changes of another one go
// back in time.
func TestFollowLimitsRequestsToOddServers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer string
		resets int
	}{
		"nothing":  {`{"results":[],"last_seq":"5-x"}`, 1},
		"the past": {`{"results":[{"id":"a.md","changes":[]}],"last_seq":"2-x"}`, 12},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, server := scripted(t, func(r *http.Request) (*http.Response, error) {
					if strings.HasSuffix(r.URL.Path, "/_changes") {
						return says(200, test.answer)(r)
					}
					return says(200, infoAnswer)(r)
				})
				f := follow(t, client, couch.FollowOptions{})
				time.Sleep(time.Minute)
				f.stop()
				if n := server.asked.Load(); n > 250 {
					t.Errorf("%d requests in a minute", n)
				}
				if n := len(f.batches); n == 0 || n > test.resets {
					t.Errorf("%d batches", n)
				}
			})
		})
	}
}

// soon shortens pauses to 5 ms.
func soon(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(min(d, 5*time.Millisecond)):
		return nil
	}
}

// never fails a test in which no request may be retried.
func never(t testing.TB) func(context.Context, time.Duration) error {
	return func(context.Context, time.Duration) error {
		t.Error("a request was retried")
		return nil
	}
}

// TestFeedIsNotCompressed: compression would delay the heartbeats of a feed. All other responses may be compressed.
func TestFeedIsNotCompressed(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	proxy := couchtest.NewProxy(t, database.URL, "")
	asked := make(chan string, 100)
	proxy.Script(func(r *http.Request) couchtest.Fault {
		asked <- path.Base(r.URL.Path) + " " + r.Header.Get("Accept-Encoding")
		return nil
	})
	f := follow(t, connect(t, database, func(o *couch.Options) { o.URL = proxy.URL }), couch.FollowOptions{})
	f.next(t)
	database.Put(t, "a.md", map[string]any{"_id": "a.md"})
	f.next(t)
	feeds := 0
	for len(asked) > 0 {
		switch name, encoding, _ := strings.Cut(<-asked, " "); {
		case name == "_changes" && encoding == "gzip", name != "_changes" && encoding != "gzip":
			t.Errorf("%s is requested with the encoding %q", name, encoding)
		case name == "_changes":
			feeds++
		}
	}
	if feeds == 0 {
		t.Error("no feed was requested")
	}
}
