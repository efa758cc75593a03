// Package couchtest provides tests with a CouchDB: the server that COUCHDB_TEST_URL names, with a user and password in
// it, or else a stand-in from npm, started once per test process. Each test gets its own database. A Proxy in front of
// the server injects faults. COUCHDB_TEST_URL may name several nodes of one cluster, separated by commas; without that, a
// Cluster makes one of three databases.
//
// Tests that need the server are skipped with -short: the stand-in takes a second to start.
package couchtest

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server is a running CouchDB and its administrator's account.
type Server struct {
	URL            string
	Nodes          []string // the addresses of all nodes of a real cluster
	User, Password string
	Real           bool // CouchDB itself, not the stand-in
}

// Start returns the server that all tests of this process share. It skips the test with -short, or if no server can be
// started; if the variable CI is set, a missing server fails the test.
func Start(t testing.TB) *Server {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a CouchDB server, which -short does not start")
	}
	shared.once.Do(func() { shared.server, shared.err = start() })
	if shared.err != nil && os.Getenv("CI") != "" {
		t.Fatal(shared.err)
	}
	if shared.err != nil {
		t.Skip(shared.err)
	}
	return shared.server
}

var shared struct {
	once   sync.Once
	server *Server
	err    error
	input  any // standard input of the stand-in, which ends when this process closes it by exiting
}

func start() (*Server, error) {
	if address := os.Getenv("COUCHDB_TEST_URL"); address != "" {
		return parse(address)
	}
	folder, err := tools()
	if err != nil {
		return nil, err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("the stand-in for CouchDB: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	if output, err := exec.CommandContext(ctx, filepath.Join(folder, "install")).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("tools/couchdb/install: %w\n%s", err, output)
	}
	return run(node, filepath.Join(folder, "server.mjs"))
}

// run starts the stand-in, which prints its address.
func run(node, script string) (*Server, error) {
	command := exec.Command(node, script)
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	shared.input = input
	lines := bufio.NewScanner(output)
	if !lines.Scan() {
		return nil, fmt.Errorf("the stand-in for CouchDB did not start")
	}
	return &Server{URL: lines.Text(), User: "admin", Password: "of no importance"}, nil
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

// tools finds tools/couchdb from within any package of the module.
func tools() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return filepath.Join(folder, "tools", "couchdb"), nil
		}
		if filepath.Dir(folder) == folder {
			return "", fmt.Errorf("no go.mod above the working directory")
		}
		folder = filepath.Dir(folder)
	}
}
