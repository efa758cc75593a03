package couchtest

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Database is one test's own, gone after it.
type Database struct {
	*Server
	Name string
}

// New makes an empty database on the shared server.
func New(t testing.TB) *Database {
	t.Helper()
	database := &Database{Server: Start(t), Name: "test-" + strings.ToLower(rand.Text())}
	database.Create(t)
	t.Cleanup(func() { database.Do(t, http.MethodDelete, "", nil) })
	return database
}

// Create makes the database.
func (d *Database) Create(t testing.TB) {
	t.Helper()
	d.want(t, http.StatusCreated, http.MethodPut, "", nil)
}

// Delete removes the database and everything in it. A request that meets the
// stand-in at that moment makes the database anew, so it is removed until it
// stays away.
func (d *Database) Delete(t testing.TB) {
	t.Helper()
	d.want(t, http.StatusOK, http.MethodDelete, "", nil)
	for range 50 {
		time.Sleep(20 * time.Millisecond)
		if status, _ := d.Do(t, http.MethodGet, "", nil); status == http.StatusNotFound {
			return
		}
		d.Do(t, http.MethodDelete, "", nil)
	}
	t.Fatal("the database does not go away")
}

// Put writes a document, with the _rev in it if it has one.
func (d *Database) Put(t testing.TB, id string, document any) {
	t.Helper()
	d.want(t, http.StatusCreated, http.MethodPut, "/"+url.PathEscape(id), document)
}

// Branches writes revisions of documents as they are, conflicts and all.
func (d *Database) Branches(t testing.TB, documents ...any) {
	t.Helper()
	d.want(t, http.StatusCreated, http.MethodPost, "/_bulk_docs", map[string]any{"new_edits": false, "docs": documents})
}

// Member makes an account that may read and write.
func (d *Database) Member(t testing.TB) (user, password string) {
	t.Helper()
	user, password = d.Account(t)
	d.want(t, http.StatusOK, http.MethodPut, "/_security", map[string]any{
		"admins":  map[string]any{"names": []string{}, "roles": []string{"_admin"}},
		"members": map[string]any{"names": []string{user}, "roles": []string{}},
	})
	return user, password
}

// Account makes an account that has no rights in any database.
func (d *Database) Account(t testing.TB) (user, password string) {
	t.Helper()
	user, password = "user-"+strings.ToLower(rand.Text()), rand.Text()
	id := "/_users/" + url.PathEscape("org.couchdb.user:"+user)
	status, said := d.send(t, http.MethodPut, d.URL+id, map[string]any{"name": user, "password": password, "roles": []string{}, "type": "user"})
	if status != http.StatusCreated {
		t.Fatalf("an account: %d %s", status, said)
	}
	return user, password
}

// RefuseWrites lets nobody but administrators write.
func (d *Database) RefuseWrites(t testing.TB) {
	t.Helper()
	d.Put(t, "_design/readers", map[string]string{
		"validate_doc_update": `function (doc, old, user) { if (user.roles.indexOf("_admin") < 0) { throw({forbidden: "readers only"}); } }`,
	})
}

// Do sends a request about the database as its administrator. The path is what
// follows the database's own.
func (d *Database) Do(t testing.TB, method, path string, body any) (status int, answer []byte) {
	t.Helper()
	return d.send(t, method, d.URL+"/"+d.Name+strings.Replace(path, "/_design%2F", "/_design/", 1), body)
}

func (d *Database) want(t testing.TB, status int, method, path string, body any) {
	t.Helper()
	if got, said := d.Do(t, method, path, body); got != status && got != http.StatusAccepted {
		t.Fatalf("%s %s%s: %d %s", method, d.Name, path, got, said)
	}
}

// client is apart from that of the tests, so that its connections are no part
// of what they count.
var client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

func (s *Server) send(t testing.TB, method, address string, body any) (int, []byte) {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if body == nil {
		encoded = nil
	}
	request, err := http.NewRequest(method, address, bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(s.User, s.Password)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer
}
