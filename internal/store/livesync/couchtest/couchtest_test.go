package couchtest_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"obsidian-mcp/internal/store/livesync/couchtest"
)

func TestDatabasesAreSeparate(t *testing.T) {
	t.Parallel()
	first, second := couchtest.New(t), couchtest.New(t)
	first.Put(t, "a b/c.md", map[string]any{"n": 1})
	if status, _ := first.Do(t, http.MethodGet, "/a%20b%2Fc.md", nil); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	if status, _ := second.Do(t, http.MethodGet, "/a%20b%2Fc.md", nil); status != http.StatusNotFound {
		t.Errorf("status %d", status)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"all_docs.json":   `{"rows":[{"id":"a","doc":{"_id":"a","_rev":"1-aa"}},{"id":"c","doc":{"_id":"c","_rev":"2-bb","_conflicts":["2-aa"]}}]}`,
		"open_revs.json":  `{"c":[{"_id":"c","_rev":"2-bb","_revisions":{"start":2,"ids":["bb","00"]}},{"_id":"c","_rev":"2-aa","_revisions":{"start":2,"ids":["aa","00"]}}]}`,
		"local_docs.json": `{"_local/x":{"_id":"_local/x","_rev":"0-7","n":1}}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	database := couchtest.New(t)
	database.Load(t, folder)
	for path, want := range map[string]string{"/a": `1-aa`, "/c": `2-bb`, "/c?rev=2-aa": `2-aa`, "/_local/x": `0-1`} {
		var got struct {
			Rev string `json:"_rev"`
		}
		status, body := database.Do(t, http.MethodGet, path, nil)
		if err := json.Unmarshal(body, &got); err != nil || status != http.StatusOK || got.Rev != want {
			t.Errorf("GET %s: status %d: %s", path, status, body)
		}
	}
}

// TestProxyForwardsAndCounts injects a fault into the first of three requests.
func TestProxyForwardsAndCounts(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	proxy := couchtest.NewProxy(t, database.URL, "/prefix")
	proxy.Inject(couchtest.Status(http.StatusTeapot, "tea"))
	for _, want := range []int{http.StatusTeapot, http.StatusOK, http.StatusOK} {
		request, err := http.NewRequest(http.MethodGet, proxy.URL+"/"+database.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth(database.User, database.Password)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("status %d, want %d", response.StatusCode, want)
		}
	}
	if requests, faults := proxy.Counts(); requests != 3 || faults != 1 {
		t.Errorf("counted %d requests and %d faults, want 3 and 1", requests, faults)
	}
}
