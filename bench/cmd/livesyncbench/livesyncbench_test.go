package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestChunksIn(t *testing.T) {
	count, size := chunksIn([]byte(`{"docs":[{"_id":"h:1","data":"x"},{"_id":"f:abc"},{"_id":"h:+2"}]}`))
	if count != 2 || size != int64(len(`{"_id":"h:1","data":"x"}{"_id":"h:+2"}`)) {
		t.Errorf("%d chunks of %d bytes", count, size)
	}
}

// The proxy counts what passes, and answers a repeated request for a list from memory.
func TestProxy(t *testing.T) {
	asked := 0
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		_, _ = io.WriteString(w, "twelve bytes")
	}))
	defer behind.Close()
	p, err := startProxy(behind.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	post := func(path, body string) {
		t.Helper()
		answer, err := http.Post(p.url+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "twelve bytes" {
			t.Fatalf("%q %v", text, err)
		}
	}
	post("/db/_all_docs", "keys")
	post("/db/_all_docs", "keys")
	if passed := p.take(); asked != 2 || passed != (traffic{requests: 2, up: 8, down: 24}) {
		t.Errorf("%d arrived of %+v", asked, passed)
	}
	p.remember(true)
	post("/db/_all_docs", "keys")
	post("/db/_all_docs", "keys")
	post("/db/_all_docs", "others")
	post("/db/_changes", "keys")
	if passed := p.take(); asked != 5 || passed.requests != 4 || passed.down != 48 {
		t.Errorf("%d arrived of %+v", asked, passed)
	}
}

func TestRank(t *testing.T) {
	var all []time.Duration
	for i := range 100 {
		all = append(all, time.Duration(99-i))
	}
	if got := rank(all, 0.5); got != 50 {
		t.Errorf("p50 is %d", got)
	}
	if got := rank(all, 0.99); got != 99 {
		t.Errorf("p99 is %d", got)
	}
}
