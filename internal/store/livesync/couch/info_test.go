package couch_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"obsidian-mcp/internal/store/livesync/couch"
)

// The version is that of the server, which may be below a path. A proxy may keep it to itself.
func TestVersion(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"": "3.5.0", "/couch": "3.4.2", "/couch/": "3.4.2", "/closed": ""} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/":
				fmt.Fprint(w, `{"couchdb":"Welcome","version":"3.5.0"}`)
			case "/couch/":
				fmt.Fprint(w, `{"couchdb":"Welcome","version":"3.4.2"}`)
			default:
				w.WriteHeader(http.StatusForbidden)
			}
		}))
		t.Cleanup(server.Close)
		client, err := couch.New(couch.Options{URL: server.URL + path, Database: "notes"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		if got, err := client.Version(t.Context()); got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", path, got, err)
		}
	}
}
