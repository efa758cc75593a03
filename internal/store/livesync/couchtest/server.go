// Package couchtest provides tests with a CouchDB: the server that COUCHDB_TEST_URL names, with a user and password in
// it, or else a stand-in of the test's own. Each test gets its own database. A Proxy in front of the server injects
// faults. COUCHDB_TEST_URL may name several nodes of one cluster, separated by commas; without that, a Cluster makes one
// of three databases.
//
// Tests that need the server are skipped with -short: they take long.
package couchtest

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"obsidian-mcp/internal/testkit/couchdb"
)

// Server is a running CouchDB and its administrator's account.
type Server struct {
	URL            string
	Nodes          []string // the addresses of all nodes of a real cluster
	User, Password string
	Real           bool // CouchDB itself, not the stand-in
}

// Start returns CouchDB, or starts a stand-in until the test ends. It skips the test with -short.
func Start(t testing.TB) *Server {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a database server, whose tests take too long for -short")
	}
	if addresses := os.Getenv("COUCHDB_TEST_URL"); addresses != "" {
		server, err := parse(addresses)
		if err != nil {
			t.Fatal(err)
		}
		return server
	}
	standIn := httptest.NewServer(couchdb.New())
	t.Cleanup(func() {
		standIn.CloseClientConnections()
		standIn.Close()
	})
	return &Server{URL: standIn.URL, User: couchdb.User, Password: couchdb.Password}
}

func parse(addresses string) (*Server, error) {
	server := &Server{Real: true}
	for address := range strings.SplitSeq(addresses, ",") {
		parsed, err := url.Parse(strings.TrimSpace(address))
		if err != nil || parsed.User == nil {
			return nil, fmt.Errorf("COUCHDB_TEST_URL must have the form http://user:password@host:5984")
		}
		server.User = parsed.User.Username()
		server.Password, _ = parsed.User.Password()
		parsed.User = nil
		server.Nodes = append(server.Nodes, strings.TrimRight(parsed.String(), "/"))
	}
	server.URL = server.Nodes[0]
	return server, nil
}
