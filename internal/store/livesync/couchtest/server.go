// Package couchtest gives tests a CouchDB: a stand-in from npm that is started
// once for all tests of a package, or the server that COUCHDB_TEST_URL names,
// with a user and password in it. Each test gets a database of its own. A Proxy
// before it does what networks and servers do at their worst.
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

// Server is a running CouchDB, with its administrator.
type Server struct {
	URL            string
	User, Password string
	Real           bool // a CouchDB, and not the stand-in
}

// Start gives the server that the tests of this process share. Without one the
// test is skipped; where CI is set it fails.
func Start(t testing.TB) *Server {
	t.Helper()
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
	input  any // of the stand-in, which ends with it: when this process does
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
	if said, err := exec.CommandContext(ctx, filepath.Join(folder, "install")).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("tools/couchdb/install: %w\n%s", err, said)
	}
	return run(node, filepath.Join(folder, "server.mjs"))
}

// run starts the stand-in, which says where it is.
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

func parse(address string) (*Server, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.User == nil {
		return nil, fmt.Errorf("COUCHDB_TEST_URL must read http://user:password@host:5984")
	}
	server := &Server{User: parsed.User.Username(), Real: true}
	server.Password, _ = parsed.User.Password()
	parsed.User = nil
	server.URL = strings.TrimRight(parsed.String(), "/")
	return server, nil
}

// tools finds tools/couchdb from within any package of the module.
func tools() (string, error) {
	at, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return filepath.Join(at, "tools", "couchdb"), nil
		}
		if filepath.Dir(at) == at {
			return "", fmt.Errorf("the module of the tests was not found")
		}
		at = filepath.Dir(at)
	}
}
