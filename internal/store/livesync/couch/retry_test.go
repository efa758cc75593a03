package couch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// script is a server with a step for each request; the last one repeats.
type script struct {
	steps []func(*http.Request) (*http.Response, error)
	asked atomic.Int64
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
	}
	n := int(s.asked.Add(1)) - 1
	return s.steps[min(n, len(s.steps)-1)](r)
}

func says(status int, body string, headers ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		response := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
		for i := 0; i+1 < len(headers); i += 2 {
			response.Header.Set(headers[i], headers[i+1])
		}
		return response, nil
	}
}

func breaks(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// hangs until the request is cancelled.
func hangs(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// stalls in the middle of a response.
func stalls(r *http.Request) (*http.Response, error) {
	answer, _ := says(200, "")(r)
	answer.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"db_name":"db",`), until{r.Context()}))
	return answer, nil
}

type until struct{ ctx context.Context }

func (u until) Read([]byte) (int, error) {
	<-u.ctx.Done()
	return 0, u.ctx.Err()
}

// drips a byte every few seconds, without end.
func drips(r *http.Request) (*http.Response, error) {
	answer, _ := says(200, "")(r)
	answer.Body = io.NopCloser(drip{r.Context()})
	return answer, nil
}

type drip struct{ ctx context.Context }

func (d drip) Read(p []byte) (int, error) {
	select {
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	case <-time.After(5 * time.Second):
		p[0] = ' '
		return 1, nil
	}
}

const infoAnswer = `{"db_name":"db","doc_count":1,"update_seq":"5-x","instance_start_time":"0"}`

var (
	refusedConnection = &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	brokenConnection  = &net.OpError{Op: "read", Err: errors.New("connection reset by peer")}
)

// scripted makes a client of a scripted server. Its pauses are not random.
func scripted(t testing.TB, steps ...func(*http.Request) (*http.Response, error)) (*couch.Client, *script) {
	t.Helper()
	server := &script{steps: steps}
	client, err := couch.New(couch.Options{URL: "http://couch.example", Database: "db", User: "ada", Password: "hunter2", Transport: server, Rand: func() float64 { return 1 }})
	if err != nil {
		t.Fatal(err)
	}
	return client, server
}

func TestReadsAreRetried(t *testing.T) {
	t.Parallel()
	ok := says(200, infoAnswer)
	for _, test := range []struct {
		name  string
		steps []func(*http.Request) (*http.Response, error)
		asked int64
		took  time.Duration
		kind  fault.Kind // Internal: success
	}{
		{"at once", steps(ok), 1, 0, 0},
		{"broken connections", steps(breaks(brokenConnection), breaks(refusedConnection), ok), 3, 600 * time.Millisecond, 0},
		{"gateway errors", steps(says(502, ""), says(503, ""), says(504, "<html>"), says(500, `{"error":"x"}`), ok), 5, 3 * time.Second, 0},
		{"a pause that is asked for", steps(says(503, "", "Retry-After", "3"), ok), 2, 3 * time.Second, 0},
		{"too long a pause", steps(says(429, "", "Retry-After", "99999"), ok), 2, 15 * time.Second, 0},
		{"a broken answer", steps(says(200, infoAnswer[:20]), ok), 2, 200 * time.Millisecond, 0},
		{"silence", steps(hangs, ok), 2, 30*time.Second + 200*time.Millisecond, 0},
		{"silence in the middle", steps(stalls, ok), 2, 30*time.Second + 200*time.Millisecond, 0},
		{"never", steps(says(503, "")), 5, 3 * time.Second, fault.StoreUnavailable},
		{"silence for ever", steps(hangs), 4, 2 * time.Minute, fault.StoreUnavailable},
		{"single bytes for ever", steps(drips), 1, 2 * time.Minute, fault.StoreUnavailable},
		{"a wrong password", steps(says(401, `{"error":"unauthorized"}`)), 1, 0, fault.PermissionDenied},
		{"no right", steps(says(403, `{"error":"forbidden"}`)), 1, 0, fault.PermissionDenied},
		{"no database", steps(says(404, `{"error":"not_found"}`)), 1, 0, fault.VaultNotFound},
		{"no CouchDB", steps(says(404, `<html>`)), 1, 0, fault.VaultNotFound},
		{"a guest network", steps(says(200, `{"db":1}`)), 1, 0, fault.StoreUnavailable},
		{"a redirect", steps(says(301, ``, "Location", "https://evil.example/?x=y")), 1, 0, fault.StoreUnavailable},
		{"an unknown compression", steps(says(200, infoAnswer, "Content-Encoding", "br")), 1, 0, fault.StoreUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, server := scripted(t, test.steps...)
				begun := time.Now()
				info, err := client.Info(t.Context())
				if took := time.Since(begun).Round(time.Millisecond); server.asked.Load() != test.asked || took != test.took {
					t.Errorf("%d requests in %v, want %d in %v (%v)", server.asked.Load(), took, test.asked, test.took, err)
				}
				if test.kind == fault.Internal && (err != nil || info.UpdateSeq != "5-x" || info.Started != "") {
					t.Errorf("%+v %v", info, err)
				}
				if test.kind != fault.Internal {
					want(t, err, test.kind)
				}
				if err != nil && strings.Contains(err.Error(), "hunter2") {
					t.Errorf("the error contains the password: %v", err)
				}
			})
		})
	}
}

func steps(all ...func(*http.Request) (*http.Response, error)) []func(*http.Request) (*http.Response, error) {
	return all
}

// TestWritesHappenOnce: a write is repeated only if the first attempt certainly had no effect; otherwise the caller gets
// ErrLostAnswer.
func TestWritesHappenOnce(t *testing.T) {
	t.Parallel()
	ok := says(201, `[{"ok":true,"id":"a","rev":"1-x"}]`)
	for _, test := range []struct {
		name       string
		first      func(*http.Request) (*http.Response, error)
		again      bool // even if it must not be written twice
		lost       bool
		kind       fault.Kind
		repeatable bool // succeeds at the second attempt if it may be repeated
	}{
		{"no connection", breaks(refusedConnection), true, false, 0, true},
		{"too many requests", says(429, ""), true, false, 0, true},
		{"a broken connection", breaks(brokenConnection), false, true, fault.StoreUnavailable, true},
		{"end of file", breaks(io.EOF), false, true, fault.StoreUnavailable, true},
		{"unavailable", says(503, ""), false, true, fault.StoreUnavailable, true},
		{"a gateway's timeout", says(504, ""), false, true, fault.StoreUnavailable, true},
		{"a cut answer", says(201, `[{"ok":tr`), false, true, fault.StoreUnavailable, true},
		{"silence", hangs, false, true, fault.StoreUnavailable, true},
		{"an answer for nothing", says(201, `[]`), false, true, fault.StoreUnavailable, false},
		{"an answer for another", says(201, `[{"id":"b","rev":"1-x"}]`), false, true, fault.StoreUnavailable, false},
		{"an answer that says nothing", says(201, `[{"id":"a"}]`), false, true, fault.StoreUnavailable, false},
		{"too large", says(413, `{"error":"too_large"}`), false, false, fault.InvalidArgument, false},
		{"too large for a proxy", says(413, `<html>`), false, false, fault.InvalidArgument, false},
		{"no right", says(403, `{"error":"forbidden","reason":"hunter2"}`), false, false, fault.PermissionDenied, false},
		{"bad", says(400, `{"error":"bad_request","reason":"hunter2\nnext line YWRhOmh1bnRlcjI="}`), false, false, fault.InvalidArgument, false},
		{"a conflict", says(409, `{"error":"conflict"}`), false, false, fault.Conflict, false},
		{"a redirect", says(307, ``, "Location", "http://evil.example"), false, false, fault.StoreUnavailable, false},
		{"no CouchDB", says(418, `teapot`), false, false, fault.StoreUnavailable, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, repeatable := range []bool{false, true} {
					client, _ := scripted(t, test.first, ok)
					outcomes, err := client.BulkDocs(t.Context(), documents(`{"_id":"a"}`), couch.BulkOptions{Repeatable: repeatable})
					if test.again || repeatable && test.repeatable {
						if err != nil || outcomes[0].Rev != "1-x" {
							t.Errorf("repeatable %v: %+v %v", repeatable, outcomes, err)
						}
						continue
					}
					want(t, err, test.kind)
					if lost := errors.Is(err, couch.ErrLostAnswer); lost != test.lost {
						t.Errorf("repeatable %v: lost %v, want %v: %v", repeatable, lost, test.lost, err)
					}
					if err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "YWRhOm") || strings.Contains(err.Error(), "\n")) {
						t.Errorf("the error contains the password or a line break: %v", err)
					}
				}
			})
		})
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	client, _ := scripted(t, says(201, `[{"id":"a","error":"conflict"},{"id":"b","error":"forbidden","reason":"x"},{"id":"c","error":"unauthorized"},{"id":"d","error":"document_too_large"},{"id":"e","error":"internal_server_error"},{"id":"f","rev":"1-x"}]`))
	outcomes, err := client.BulkDocs(t.Context(), documents(`{"_id":"a"}`, `{"_id":"b"}`, `{"_id":"c"}`, `{"_id":"d"}`, `{"_id":"e"}`, `{"_id":"f"}`), couch.BulkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, kind := range []fault.Kind{fault.Conflict, fault.PermissionDenied, fault.PermissionDenied, fault.InvalidArgument, fault.StoreUnavailable} {
		want(t, outcomes[i].Err, kind)
	}
	if outcomes[5].Err != nil {
		t.Error(outcomes[5])
	}
}

func TestCancelledCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, _ := scripted(t, hangs)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := client.Info(ctx)
		want(t, err, fault.Timeout)
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, stop)
		if _, err := client.Info(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		ctx, stop = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, stop)
		if _, err := client.PutLocal(ctx, "a", json.RawMessage(`{}`)); !errors.Is(err, context.Canceled) || !errors.Is(err, couch.ErrLostAnswer) {
			t.Error(err)
		}
	})
}

// TestConcurrencyIsLimited: no more requests are in flight than allowed, and a waiting call ends when it is cancelled.
func TestConcurrencyIsLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var flying, most atomic.Int64
		server := &script{steps: steps(func(r *http.Request) (*http.Response, error) {
			most.Store(max(most.Load(), flying.Add(1)))
			defer flying.Add(-1)
			time.Sleep(time.Second)
			return says(200, infoAnswer)(r)
		})}
		client, err := couch.New(couch.Options{URL: "http://couch.example", Database: "db", Transport: server, Concurrency: 3})
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			go client.Info(t.Context())
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := client.PutLocal(ctx, "a", json.RawMessage(`{}`)); err == nil || errors.Is(err, couch.ErrLostAnswer) {
			t.Errorf("a write that was never sent: %v", err)
		}
		time.Sleep(10 * time.Second)
		if most.Load() != 3 || server.asked.Load() != 12 {
			t.Errorf("%d concurrent requests, %d in total, want 3 and 12", most.Load(), server.asked.Load())
		}
	})
}

func TestOnlyCouchDBCanReportMissingDocuments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, onlyCouchDBCanReportMissingDocuments)
}

func onlyCouchDBCanReportMissingDocuments(t *testing.T) {
	for name, answer := range map[string]string{
		"no rows": `{}`, "null": `null`, "null as rows": `{"rows":null}`, "a row, cut": `{"rows":[{"id":"a","key":"a","value":{"rev":"1-x"},"doc":{"_id":"a"}}`,
		"more than an answer": `{"rows":[{"id":"a","key":"a","value":{"rev":"1-x"},"doc":{"_id":"a"}}]}{}`, "rows that are no list": `{"rows":{"id":"a"}}`, "too few": `{"rows":[]}`, "another": `{"rows":[{"id":"b","key":"b","value":{"rev":"1-x"},"doc":{"_id":"b"}}]}`, "a list": `[]`,
	} {
		client, _ := scripted(t, says(200, answer))
		if rows, err := client.Fetch(t.Context(), []string{"a"}); err == nil {
			t.Errorf("%s: %+v", name, rows)
		}
		if exist, err := client.Exists(t.Context(), []string{"a"}); err == nil {
			t.Errorf("%s: %v", name, exist)
		}
	}
	for _, row := range []string{`{"key":"a","error":"timeout"}`, `{"key":"a"}`, `{"id":"a","key":"a","value":null}`} {
		client, _ := scripted(t, says(200, `{"rows":[`+row+`]}`))
		exist, err := client.Exists(t.Context(), []string{"a"})
		if want(t, err, fault.StoreUnavailable); exist != nil {
			t.Errorf("%s: %v", row, exist)
		}
	}
	deep := strings.Repeat("[", 80) + strings.Repeat("]", 80)
	for name, row := range map[string]string{
		"an error": `{"key":"a","error":"timeout"}`, "no document": `{"id":"a","key":"a","value":{"rev":"1-x"},"doc":null}`,
		"too deep": `{"id":"a","key":"a","value":{"rev":"1-x"},"doc":{"_id":"a","x":` + deep + `}}`, "no object": `{"id":"a","key":"a","value":{"rev":"1-x"},"doc":7}`,
	} {
		client, _ := scripted(t, says(200, `{"rows":[`+row+`,{"id":"b","key":"b","value":{"rev":"1-x"},"doc":{"_id":"b"}}]}`))
		rows, err := client.Fetch(t.Context(), []string{"a", "b"})
		if err != nil || rows[0].Err == nil || rows[0].Missing || rows[1].Doc == nil {
			t.Errorf("%s: %+v %v", name, rows, err)
		}
	}
	const row = `{"id":"a","key":"a","value":{"rev":"1-x"},"doc":{"_id":"a"}}`
	again, _ := scripted(t, says(200, `{"rows":[`+row+`,`), says(200, `{"offset":{"x":[1]},"rows":[`+row+`],"more":null}`))
	if rows, err := again.Fetch(t.Context(), []string{"a"}); err != nil || len(rows) != 1 || rows[0].Doc == nil {
		t.Errorf("after a truncated response: %+v %v", rows, err)
	}
	client, _ := scripted(t, says(404, `<html>not found</html>`))
	_, err := client.Get(t.Context(), "a", couch.GetOptions{})
	want(t, err, fault.VaultNotFound)
}

// TestAccessBehindAProxy: a proxy may hide everything but the database.
func TestAccessBehindAProxy(t *testing.T) {
	t.Parallel()
	const none, me = `{"rows":[]}`, `{"ok":true,"userCtx":{"name":"ada","roles":["editors"]}}`
	for _, test := range []struct {
		name, session, security string
		want                    couch.Writing
	}{
		{"open to all", me, `{}`, couch.Allowed},
		{"by role", me, `{"members":{"names":[],"roles":["editors"]}}`, couch.Allowed},
		{"as administrator", me, `{"admins":{"names":["ada"]},"members":{"roles":["_admin"]}}`, couch.Allowed},
		{"not named", me, `{"admins":{"roles":["_admin"]},"members":{"names":["bob"]}}`, couch.Refused},
		{"no session", "", `{}`, couch.Unknown},
		{"no rules", me, "", couch.Unknown},
	} {
		client, _ := scripted(t, func(r *http.Request) (*http.Response, error) {
			answer := map[string]string{"/db": infoAnswer, "/_session": test.session, "/db/_security": test.security, "/db/_all_docs": none}[r.URL.Path]
			if answer == "" {
				return says(404, "<html>")(r)
			}
			return says(200, answer)(r)
		})
		if got, err := client.Access(t.Context()); err != nil || got.Writing() != test.want {
			t.Errorf("%s: %+v %v", test.name, got, err)
		}
	}
}

// FuzzAnswers: whatever a server responds, no call panics, and no document is reported missing unless the response says
// so.
func FuzzAnswers(f *testing.F) {
	for _, answer := range []string{infoAnswer, `{"rows":[{"key":"a","error":"not_found"}]}`, `{"results":[],"last_seq":1}`, `[{"ok":{"_id":"a"}}]`, `[{"id":"a","rev":"1-x"}]`, "\x1f\x8b\x08"} {
		f.Add([]byte(answer), false)
		f.Add([]byte(answer), true)
	}
	f.Fuzz(func(t *testing.T, answer []byte, packed bool) {
		step := says(200, string(answer))
		if packed {
			step = says(200, string(answer), "Content-Encoding", "gzip")
		}
		client, err := couch.New(couch.Options{URL: "http://couch.example", Database: "db", Transport: &script{steps: steps(step)}, Retries: -1})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = client.Info(t.Context())
		_, _ = client.Get(t.Context(), "a", couch.GetOptions{})
		_, _ = client.BulkDocs(t.Context(), documents(`{"_id":"a"}`), couch.BulkOptions{})
		_, _ = client.Access(t.Context())
		rows, err := client.Fetch(t.Context(), []string{"a"})
		if err == nil && rows[0].Missing && !packed && !bytes.Contains(answer, []byte(`not_found`)) && !bytes.Contains(answer, []byte(`\u`)) {
			t.Errorf("missing after %q", answer)
		}
		_, _ = client.Exists(t.Context(), []string{"a"})
	})
}
