package couch_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/testkit/mode"
)

func packed(text []byte) string {
	var out bytes.Buffer
	writer, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		panic(err)
	}
	_, _ = writer.Write(text)
	writer.Close()
	return out.String()
}

// blanks returns white space that does not compress well.
func blanks(n int) []byte {
	random := mode.Rand(3)
	out := make([]byte, n)
	for i := range out {
		out[i] = " \t\r\n"[random.IntN(4)]
	}
	return out
}

func TestCompressedResponses(t *testing.T) {
	t.Parallel()
	emptyMembers := strings.Repeat(packed(nil), 4<<10) // each 23 bytes that decompress to none
	padded := func(n int) []byte { return []byte(infoAnswer + strings.Repeat(" ", n)) }
	for _, test := range []struct {
		name, body string
		fine       bool
		limit      int64
	}{
		{"small", packed([]byte(infoAnswer)), true, 0},
		{"well compressed, but small", packed(padded(900 << 10)), true, 0},
		{"beyond the ratio", packed(padded(3 << 19)), false, 0},
		{"beyond the size", packed(append(padded(0), blanks(5<<19)...)), false, 0},
		{"large", packed(append(padded(0), blanks(3<<19)...)), true, 0},
		{"cut", packed(blanks(100 << 10))[:5000], false, 0},
		{"not gzip", infoAnswer, false, 0},
		{"nothing", "", false, 0},
		{"two members", packed([]byte(infoAnswer[:10])) + packed([]byte(infoAnswer[10:])), true, 0},
		{"members without end", emptyMembers, false, 64 << 10},
	} {
		client, err := couch.New(couch.Options{URL: "http://couch.example", Database: "db", Transport: &script{steps: steps(says(200, test.body, "Content-Encoding", "gzip"))}, Retries: -1, MaxAnswer: cmp.Or(test.limit, 2<<20)})
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Info(t.Context())
		if fine := err == nil; fine != test.fine {
			t.Errorf("%s: %v", test.name, err)
		}
		if !test.fine {
			want(t, err, fault.StoreUnavailable)
		}
	}
}

// TestLargeResponsesUseLittleMemory: a response beyond the limits is not read into memory first.
func TestLargeResponsesUseLittleMemory(t *testing.T) { // not parallel: it counts allocated bytes
	endless := func(pack bool) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			var out io.Writer = w
			if pack {
				w.Header().Set("Content-Encoding", "gzip")
				out = gzip.NewWriter(w)
			}
			piece := make([]byte, 1<<20)
			for range 1 << 12 {
				if _, err := out.Write(piece); err != nil {
					return
				}
			}
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"plain": endless(false), "packed": endless(true),
		"an error": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(400); endless(false)(w, r) },
		"headers": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
			_, _ = io.WriteString(w, infoAnswer)
		},
	} {
		server := httptest.NewServer(handler)
		client, err := couch.New(couch.Options{URL: server.URL, Database: "db", Retries: -1, MaxAnswer: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = client.Info(t.Context())
		runtime.ReadMemStats(&after)
		want(t, err, fault.StoreUnavailable)
		if used := after.TotalAlloc - before.TotalAlloc; used > 80<<20 {
			t.Errorf("%s: allocated %d MB", name, used>>20)
		}
		client.Close()
		server.Close()
	}
}

func TestLargeResponsesAreSplit(t *testing.T) {
	t.Parallel()
	const documents, size = 40, 8 << 10
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serveRows(w, r, documents, size) }))
	defer server.Close()
	client, err := couch.New(couch.Options{URL: server.URL, Database: "db", MaxAnswer: 40 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	listed, tooLarge := 0, 0
	for row, err := range client.AllDocs(t.Context(), couch.Query{Docs: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if row.ID != fmt.Sprintf("%03d", listed) {
			t.Errorf("%s after %d", row.ID, listed)
		}
		listed++
		if row.Err != nil {
			tooLarge++
		}
	}
	if listed != documents || tooLarge != 1 {
		t.Errorf("%d listed, %d too large", listed, tooLarge)
	}
	var ids []string
	for i := range documents {
		ids = append(ids, fmt.Sprintf("%03d", i))
	}
	rows, err := client.Fetch(t.Context(), ids)
	if err != nil || len(rows) != documents {
		t.Fatal(len(rows), err)
	}
	for i, row := range rows {
		if row.ID != ids[i] || (row.Err != nil) != (i == 7) {
			t.Errorf("%d: %s %v", i, row.ID, row.Err)
		}
	}
}

// TestResponsesAreInMemoryOnce: a list uses memory for its documents, but not also for the text of the response.
func TestResponsesAreInMemoryOnce(t *testing.T) { // not parallel: it counts allocated bytes
	const size = 20 << 10
	ids := manyIDs(500)
	rows := make([]string, len(ids))
	for i, id := range ids {
		rows[i] = fmt.Sprintf(`{"id":%[1]q,"key":%[1]q,"value":{"rev":"1-x"},"doc":{"_id":%[1]q,"_rev":"1-x","data":%[2]q}}`, id, strings.Repeat("x", size))
	}
	client, _ := scripted(t, says(200, `{"total_rows":9,"rows":[`+strings.Join(rows, ",")+`]}`))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found, err := client.Fetch(t.Context(), ids)
	runtime.ReadMemStats(&after)
	if err != nil || len(found) != len(ids) || found[499].Doc == nil {
		t.Fatal(len(found), err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 2*size*uint64(len(ids)) {
		t.Errorf("%d KB for documents of %d KB", used>>10, size*len(ids)>>10)
	}
}

// serveRows serves documents of one size, except number seven, which is too large for any response.
func serveRows(w http.ResponseWriter, r *http.Request, documents, size int) {
	var wanted struct{ Keys []string }
	first, limit := 0, documents
	if r.Method == http.MethodPost {
		body, _ := io.ReadAll(r.Body)
		wanted.Keys = strings.Split(strings.Trim(strings.TrimPrefix(string(body), `{"keys":`), `[]"}`), `","`)
	} else {
		if last, _, after := strings.Cut(r.URL.Query().Get("startkey"), `\u0000`); after {
			fmt.Sscanf(last, `"%d`, &first)
			first++
		}
		fmt.Sscanf(r.URL.Query().Get("limit"), "%d", &limit)
		for i := first; i < min(first+limit, documents); i++ {
			wanted.Keys = append(wanted.Keys, fmt.Sprintf("%03d", i))
		}
	}
	var rows []string
	for _, id := range wanted.Keys {
		text := strings.Repeat("x", size)
		if id == "007" {
			text = strings.Repeat("x", 10*size)
		}
		row := fmt.Sprintf(`{"id":%q,"key":%q,"value":{"rev":"1-x"}`, id, id)
		if r.URL.Query().Get("include_docs") == "true" {
			row += fmt.Sprintf(`,"doc":{"_id":%q,"data":%q}`, id, text)
		}
		rows = append(rows, row+"}")
	}
	_, _ = io.WriteString(w, `{"rows":[`+strings.Join(rows, ",")+`]}`)
}

func TestRepeatedPageIsAnError(t *testing.T) {
	t.Parallel()
	client, _ := scripted(t, says(200, `{"rows":[{"id":"a","key":"a","value":{"rev":"1-x"}},{"id":"b","key":"b","value":{"rev":"1-x"}}]}`))
	n := 0
	for _, err := range client.AllDocs(t.Context(), couch.Query{Page: 1}) {
		if err != nil {
			want(t, err, fault.StoreUnavailable)
			return
		}
		if n++; n > 10 {
			t.Fatal("the list does not end")
		}
	}
	t.Error("the list ended as if it were complete")
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, infoAnswer) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	other := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	for _, test := range []struct {
		name, address string
		roots         *x509.CertPool
		said          string // "": it works
		certificate   bool
	}{
		{"trusted", server.URL, roots, "", false},
		{"unknown authority", server.URL, x509.NewCertPool(), "its authority is unknown", true},
		{"another name", other, roots, "it is for another name", true},
		{"no TLS wanted", strings.Replace(server.URL, "https", "http", 1), roots, "", false},
	} {
		client, err := couch.New(couch.Options{URL: test.address, Database: "db", Roots: test.roots, Retries: 3, Sleep: never(t)})
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Info(t.Context())
		client.Close()
		switch {
		case test.name == "no TLS wanted":
			want(t, err, fault.StoreUnavailable)
		case test.said == "" && err != nil, test.said != "" && (err == nil || !strings.Contains(err.Error(), test.said)), errors.Is(err, couch.ErrCertificate) != test.certificate:
			t.Errorf("%s: %v", test.name, err)
		}
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	client, err := couch.New(couch.Options{URL: strings.Replace(plain.URL, "http", "https", 1), Database: "db", Sleep: never(t)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = client.Info(t.Context()); err == nil || !strings.Contains(err.Error(), "does not speak TLS") {
		t.Error(err)
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	server.StartTLS()
	defer server.Close()
	client, err := couch.New(couch.Options{URL: server.URL, Database: "db", Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Info(t.Context())
	want(t, err, fault.StoreUnavailable)
}

// TestRedirectDoesNotGetThePassword: no redirect is followed.
func TestRedirectDoesNotGetThePassword(t *testing.T) {
	t.Parallel()
	visited := false
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visited = true }))
	defer evil.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ada" || password != "hunter2" || r.Header.Get("Accept") != "application/json" {
			t.Errorf("%s %s %s", user, password, r.Header.Get("Accept"))
		}
		http.Redirect(w, r, strings.Replace(evil.URL, "http://", "http://ada:hunter2@", 1)+"/hunter2", http.StatusPermanentRedirect)
	}))
	defer server.Close()
	client, err := couch.New(couch.Options{URL: server.URL, Database: "db", User: "ada", Password: "hunter2", Sleep: never(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Info(t.Context())
	want(t, err, fault.StoreUnavailable)
	if visited || strings.Contains(err.Error()+fault.HintOf(err), "hunter2") {
		t.Error(visited, err)
	}
}

// deadline panics if a test hangs.
func deadline(t testing.TB, d time.Duration) {
	t.Helper()
	timer := time.AfterFunc(d, func() { panic(t.Name() + " hangs") })
	t.Cleanup(func() { timer.Stop() })
}
