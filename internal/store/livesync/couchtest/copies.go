package couchtest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A cluster confirms a write as soon as most copies have it, and answers many questions from a single copy. What a test itself
// writes is in all copies before the test goes on, so that no server under test meets an older database than the test made.

// inAllCopies makes a request wait until all copies have written a document, or have been read.
func (d *Database) inAllCopies(t testing.TB, method, path string, body any) (string, any) {
	t.Helper()
	number := strconv.Itoa(d.copies)
	isDocument := !strings.HasPrefix(path, "/_") || strings.HasPrefix(path, "/_local/") || strings.HasPrefix(path, "/_design/")
	switch {
	case path == "/_bulk_docs":
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]json.RawMessage
		if err := json.Unmarshal(encoded, &all); err != nil {
			t.Fatal(err)
		}
		all["w"] = json.RawMessage(number)
		return path, all
	case !isDocument || path == "":
		return path, body
	case method == http.MethodGet:
		return withQuery(path, "r="+number), body
	}
	return withQuery(path, "w="+number), body
}

func withQuery(path, parameter string) string {
	if strings.Contains(path, "?") {
		return path + "&" + parameter
	}
	return path + "?" + parameter
}

// isList reports whether a request lists documents, which a cluster does from single copies.
func isList(method, path string) bool {
	return method == http.MethodGet && (path == "/_all_docs" || strings.HasPrefix(path, "/_all_docs?"))
}

// settledList repeats a list until it stays the same.
func (d *Database) settledList(t testing.TB, path string) (status int, answer []byte) {
	t.Helper()
	for same := 0; same < 2; {
		before := string(answer)
		if status, answer = d.send(t, http.MethodGet, d.URL+"/"+d.Name+path, nil); string(answer) == before {
			same++
		} else {
			same = 0
		}
	}
	return status, answer
}

// await repeats what a real server does in the background until it is done.
func await(t testing.TB, what string, done func() bool) {
	t.Helper()
	for begun := time.Now(); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
