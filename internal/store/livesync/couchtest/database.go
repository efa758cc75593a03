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

// Database is a test's own database. It is deleted after the test.
type Database struct {
	Name           string
	URL            string // of the server
	User, Password string // of the server's administrator
	Real           bool   // on CouchDB itself, not on the stand-in

	nodes   []string // the addresses of other nodes of a real cluster
	options string   // for creating the database
	copies  int      // that a real cluster keeps
	created time.Time
}

// New makes an empty database on a server of the test's own, or on CouchDB.
func New(t testing.TB) *Database {
	t.Helper()
	return Start(t).New(t)
}

// New makes an empty database.
func (s *Server) New(t testing.TB) *Database {
	t.Helper()
	return s.create(t, "")
}

func (s *Server) create(t testing.TB, options string) *Database {
	t.Helper()
	database := &Database{
		Name: "test-" + strings.ToLower(rand.Text()), URL: s.URL, User: s.User, Password: s.Password, Real: s.Real, nodes: s.Nodes, options: options,
	}
	database.Create(t)
	t.Cleanup(func() { database.Do(t, http.MethodDelete, "", nil) })
	return database
}

// Create creates the database, and waits until all nodes of a cluster know it. CouchDB deletes an earlier one in the background, and
// names its files by the second, so that one made within the same second would get the files of the earlier one.
func (d *Database) Create(t testing.TB) {
	t.Helper()
	if !d.Real {
		d.want(t, http.StatusCreated, http.MethodPut, "", nil)
		return
	}
	await(t, "a second has passed", func() bool { return time.Now().Unix() != d.created.Unix() })
	await(t, "the earlier database is deleted", func() bool {
		status, answer := d.Do(t, http.MethodPut, d.options, nil)
		if status != http.StatusCreated && status != http.StatusAccepted && status != http.StatusPreconditionFailed {
			t.Fatalf("creating %s: status %d: %s", d.Name, status, answer)
		}
		return status != http.StatusPreconditionFailed
	})
	d.created = time.Now()
	d.awaitEverywhere(t, http.StatusOK)
	d.copies = d.Copies(t)
}

// awaitEverywhere waits until every node responds with a status.
func (d *Database) awaitEverywhere(t testing.TB, want int) {
	t.Helper()
	for _, node := range d.nodes {
		await(t, "all nodes know what became of "+d.Name, func() bool {
			status, _ := d.send(t, http.MethodGet, node+"/"+d.Name, nil)
			return status == want
		})
	}
}

// Copies returns how many copies of the database the server keeps.
func (d *Database) Copies(t testing.TB) int {
	t.Helper()
	var info struct{ Cluster struct{ N int } }
	if status, answer := d.Do(t, http.MethodGet, "", nil); status != http.StatusOK || json.Unmarshal(answer, &info) != nil {
		t.Fatalf("status %d: %s", status, answer)
	}
	return info.Cluster.N
}

// Delete deletes the database, and waits until no node of a cluster serves it any more.
func (d *Database) Delete(t testing.TB) {
	t.Helper()
	d.want(t, http.StatusOK, http.MethodDelete, "", nil)
	d.awaitEverywhere(t, http.StatusNotFound)
}

// Put writes a document. To replace one, it must contain the current _rev.
func (d *Database) Put(t testing.TB, id string, document any) {
	t.Helper()
	d.want(t, http.StatusCreated, http.MethodPut, "/"+Escape(id), document)
}

// Escape makes an id fit for a path. A plus sign, with which the ids of encrypted chunks begin, would be a blank to CouchDB.
func Escape(id string) string { return strings.ReplaceAll(url.PathEscape(id), "+", "%2B") }

// Branches writes revisions of documents unchanged, as replication does, which may create conflicts.
func (d *Database) Branches(t testing.TB, documents ...any) {
	t.Helper()
	d.want(t, http.StatusCreated, http.MethodPost, "/_bulk_docs", map[string]any{"new_edits": false, "docs": documents})
}

// Member creates an account that may read and write.
func (d *Database) Member(t testing.TB) (user, password string) {
	t.Helper()
	user, password = d.Account(t)
	d.want(t, http.StatusOK, http.MethodPut, "/_security", map[string]any{
		"admins":  map[string]any{"names": []string{}, "roles": []string{"_admin"}},
		"members": map[string]any{"names": []string{user}, "roles": []string{}},
	})
	return user, password
}

// Account creates an account without rights in any database.
func (d *Database) Account(t testing.TB) (user, password string) {
	t.Helper()
	user, password = "user-"+strings.ToLower(rand.Text()), rand.Text()
	id := "/_users/" + Escape("org.couchdb.user:"+user)
	account := map[string]any{"name": user, "password": password, "roles": []string{}, "type": "user"}
	if status, answer := d.send(t, http.MethodPut, d.URL+id, account); status != http.StatusCreated {
		t.Fatalf("creating an account: status %d: %s", status, answer)
	}
	return user, password
}

// RefuseWrites lets only administrators write.
func (d *Database) RefuseWrites(t testing.TB) {
	t.Helper()
	const notEvenByAdministrators = "refused"
	d.Put(t, "_design/readers", map[string]string{"validate_doc_update": `function (doc, old, user) {
		if (user.roles.indexOf("_admin") < 0 || doc._id === "` + notEvenByAdministrators + `" && !doc._deleted) { throw({forbidden: "readers only"}); }
	}`})
	if d.copies < 2 {
		return
	}
	await(t, "the nodes know the validator", func() bool {
		status, answer := d.Do(t, http.MethodPut, "/"+notEvenByAdministrators, map[string]any{})
		if status == http.StatusForbidden {
			return true
		}
		var written struct{ Rev string }
		if json.Unmarshal(answer, &written) == nil && written.Rev != "" {
			d.want(t, http.StatusOK, http.MethodDelete, "/"+notEvenByAdministrators+"?rev="+written.Rev, nil)
		}
		return false
	})
}

// Do sends a request to the database as its administrator. path is relative to the database.
func (d *Database) Do(t testing.TB, method, path string, body any) (status int, answer []byte) {
	t.Helper()
	path = strings.Replace(path, "/_design%2F", "/_design/", 1)
	if d.copies > 1 {
		if isList(method, path) {
			return d.settledList(t, path)
		}
		path, body = d.inAllCopies(t, method, path, body)
	}
	return d.send(t, method, d.URL+"/"+d.Name+path, body)
}

func (d *Database) want(t testing.TB, status int, method, path string, body any) {
	t.Helper()
	if got, answer := d.Do(t, method, path, body); got != status && got != http.StatusAccepted {
		t.Fatalf("%s %s%s: status %d: %s", method, d.Name, path, got, answer)
	}
}

// client is separate from the clients under test, whose connections tests count.
var client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

func (d *Database) send(t testing.TB, method, address string, body any) (int, []byte) {
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
	request.SetBasicAuth(d.User, d.Password)
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
