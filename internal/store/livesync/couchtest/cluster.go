package couchtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Cluster is a database with a copy on each of three nodes: on a real cluster if COUCHDB_TEST_URL names its nodes, else three
// databases that a proxy for each node makes look like one. The proxies write to all copies that they reach, confirm what two of
// them took and only accept what one took; they read documents from two copies, lists and changes from the first one; copies
// become equal when Settle is called.
type Cluster struct {
	Database *Database
	Nodes    []string // their addresses

	copies []*Database
	client *http.Client

	mu      sync.Mutex // guards the fields below
	reaches func(node, number int) bool
	before  func(node, number int, written []string)
	lists   func(node int) (number int) // the copy that lists come from; nil for the first one that the node reaches
}

// NewCluster makes an empty database.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	if server := Start(t); len(server.Nodes) > 1 {
		return &Cluster{Database: server.New(t), Nodes: server.Nodes}
	}
	return NewSimulated(t)
}

// NewSimulated makes an empty database in three copies whose network the test controls.
func NewSimulated(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}}
	server := Start(t)
	for range 3 {
		c.copies = append(c.copies, server.create(t, "?n=1"))
	}
	for node := range c.copies {
		front := httptest.NewServer(&clusterNode{cluster: c, node: node})
		c.Nodes = append(c.Nodes, front.URL)
		t.Cleanup(func() {
			front.CloseClientConnections()
			front.Close()
		})
	}
	database := *c.copies[0]
	database.URL = c.Nodes[0]
	c.Database = &database
	return c
}

// Reach sets which copies a node reaches; nil for all.
func (c *Cluster) Reach(reaches func(node, number int) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reaches = reaches
}

// ListFrom sets which copy the lists of a node come from; nil for the first one that it reaches.
func (c *Cluster) ListFrom(lists func(node int) (number int)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lists = lists
}

// DropLocal deletes a local document from one copy.
func (c *Cluster) DropLocal(t testing.TB, number int, id string) {
	t.Helper()
	status, answer := c.send(c.credentials(), number, http.MethodGet, "/"+id, nil)
	var document struct {
		Rev string `json:"_rev"`
	}
	if status != http.StatusOK || json.Unmarshal(answer, &document) != nil {
		t.Fatalf("%s: status %d: %s", id, status, answer)
	}
	if status, answer := c.send(c.credentials(), number, http.MethodDelete, "/"+id+"?rev="+document.Rev, nil); status != http.StatusOK {
		t.Fatalf("%s: status %d: %s", id, status, answer)
	}
}

// Before sets a function that is called before a node writes documents to a copy. Each node begins with its own copy.
func (c *Cluster) Before(before func(node, number int, written []string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.before = before
}

// Settle makes all copies equal.
func (c *Cluster) Settle(t testing.TB) {
	t.Helper()
	if c.copies == nil {
		time.Sleep(2 * time.Second) // CouchDB does it in the background
		return
	}
	ids := map[string]bool{}
	for _, database := range c.copies {
		var changes struct{ Results []struct{ ID string } }
		status, answer := database.Do(t, http.MethodGet, "/_changes?style=all_docs", nil)
		if status != http.StatusOK || json.Unmarshal(answer, &changes) != nil {
			t.Fatalf("the changes of a copy: status %d: %s", status, answer)
		}
		for _, row := range changes.Results {
			ids[row.ID] = true
		}
	}
	for id := range ids {
		var all []any
		for _, leaf := range c.leaves(c.credentials(), id, []int{0, 1, 2}) {
			all = append(all, leaf.body)
		}
		for _, database := range c.copies {
			database.Branches(t, all...)
		}
	}
}

func (c *Cluster) credentials() http.Header {
	request := &http.Request{Header: http.Header{}}
	request.SetBasicAuth(c.copies[0].User, c.copies[0].Password)
	return request.Header
}

// listed returns the copy that the lists of a node come from.
func (c *Cluster) listed(node, first int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists == nil {
		return first
	}
	return c.lists(node)
}

// reachable lists the copies that a node reaches, its own first.
func (c *Cluster) reachable(node int) (copies []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.copies {
		if number := (node + i) % len(c.copies); c.reaches == nil || c.reaches(node, number) {
			copies = append(copies, number)
		}
	}
	return copies
}

func (c *Cluster) about(node, number int, written []string) {
	c.mu.Lock()
	before := c.before
	c.mu.Unlock()
	if before != nil {
		before(node, number, written)
	}
}

// send sends a request to a copy. path is relative to the database.
func (c *Cluster) send(header http.Header, number int, method, path string, body any) (status int, answer []byte) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return http.StatusInternalServerError, nil
	}
	if body == nil {
		encoded = nil
	}
	request, err := http.NewRequest(method, c.copies[number].URL+"/"+c.copies[number].Name+path, bytes.NewReader(encoded))
	if err != nil {
		return http.StatusInternalServerError, nil
	}
	request.Header.Set("Authorization", header.Get("Authorization"))
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		return http.StatusInternalServerError, nil
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	if err != nil {
		return http.StatusInternalServerError, nil
	}
	return response.StatusCode, answer
}

// leaf is a revision that has no successor in any of the copies asked.
type leaf struct {
	rev       string
	deleted   bool
	ancestors []string
	body      map[string]any
}

// leaves merges the leaves of a document in some copies, the winner first.
func (c *Cluster) leaves(header http.Header, id string, copies []int) (all []leaf) {
	found := map[string]leaf{}
	for _, number := range copies {
		status, answer := c.send(header, number, http.MethodGet, "/"+Escape(id)+"?open_revs=all&revs=true", nil)
		var rows []struct{ OK map[string]any }
		if status != http.StatusOK || json.Unmarshal(answer, &rows) != nil {
			continue
		}
		for _, row := range rows {
			if row.OK != nil {
				next := newLeaf(row.OK)
				found[next.rev] = next
			}
		}
	}
	for _, revision := range found {
		hasSuccessor := func(other leaf) bool { return slices.Contains(other.ancestors, revision.rev) }
		if !slices.ContainsFunc(slices.Collect(maps.Values(found)), hasSuccessor) {
			all = append(all, revision)
		}
	}
	slices.SortFunc(all, func(a, b leaf) int {
		if a.deleted != b.deleted {
			if a.deleted {
				return 1
			}
			return -1
		}
		return -compareRevs(a.rev, b.rev)
	})
	return all
}

func newLeaf(body map[string]any) leaf {
	revision := leaf{body: body}
	revision.rev, _ = body["_rev"].(string)
	revision.deleted, _ = body["_deleted"].(bool)
	revisions, _ := body["_revisions"].(map[string]any)
	start, _ := revisions["start"].(float64)
	ids, _ := revisions["ids"].([]any)
	for i, id := range ids {
		if hash, ok := id.(string); ok && i > 0 {
			revision.ancestors = append(revision.ancestors, strconv.Itoa(int(start)-i)+"-"+hash)
		}
	}
	return revision
}

func compareRevs(a, b string) int {
	number := func(rev string) int {
		digits, _, _ := strings.Cut(rev, "-")
		n, _ := strconv.Atoi(digits)
		return n
	}
	return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b))
}
