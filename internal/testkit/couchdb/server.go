// Package couchdb answers as CouchDB 3.5 does, from memory, so that tests need no database server. It has what a
// Self-hosted LiveSync vault and its tests use: databases, documents with all their revisions, local documents, changes,
// accounts and their rights. The tests of the LiveSync store pass on it and on CouchDB itself.
//
// What it does differently: nothing is written to a disk; there are no attachments, views and replications; and it runs
// no JavaScript: a validation function that throws "forbidden" refuses everybody but administrators, any other allows
// everything.
package couchdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// The administrator of a new server.
const (
	User     = "admin"
	Password = "of no importance"
)

// Server is an http.Handler.
type Server struct {
	mu        sync.Mutex // guards all that follows, and all databases
	databases map[string]*database
	accounts  accounts
}

// New returns a server with an administrator and no databases but the one of the accounts.
func New() *Server {
	return &Server{databases: map[string]*database{usersName: newDatabase()}, accounts: accounts{failed: map[string]int{}}}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body) // before anything is locked: some clients are slow
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	status, value, err := s.serve(w, r, body)
	var failed failure
	switch {
	case errors.As(err, &failed):
		send(w, failed.status, failed)
	case err != nil:
		panic(err)
	case status != 0:
		send(w, status, value)
	}
}

// call is a request that is being answered.
type call struct {
	*http.Request

	writer http.ResponseWriter
	body   []byte
	server *Server
	who    user
	name   string // of the database
	rest   string // of the path, inside of the database
	query  url.Values
}

// serve answers a request, unless it returns what to answer.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, body []byte) (status int, value any, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &call{Request: r, writer: w, body: body, server: s, query: r.URL.Query()}
	if c.who, err = s.login(r); err != nil {
		return 0, nil, err
	}
	escaped, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	if c.name, err = unescape(escaped); err != nil {
		return 0, nil, err
	}
	if c.rest, err = unescape(rest); err != nil {
		return 0, nil, err
	}
	switch {
	case c.name == "":
		return http.StatusOK, welcome, nil
	case c.name == "_session":
		return http.StatusOK, c.who.session(), nil
	case c.name == "_up":
		return http.StatusOK, map[string]string{"status": "ok"}, nil
	case c.rest == "" && (r.Method == http.MethodPut || r.Method == http.MethodDelete):
		return c.createOrDelete()
	}
	d := s.databases[c.name]
	if d == nil {
		return 0, nil, errNoDatabase
	}
	if err := d.admits(c.who); err != nil {
		return 0, nil, err
	}
	return c.inDatabase(d)
}

// unescape decodes a part of a path, in which a plus sign is a blank.
func unescape(part string) (string, error) {
	text, err := url.PathUnescape(strings.ReplaceAll(part, "+", " "))
	if err != nil {
		return "", badRequest("invalid path")
	}
	return text, nil
}

var welcome = map[string]any{
	"couchdb": "Welcome", "version": "3.5.0", "git_sha": "stand-in", "uuid": "5e1f0a11",
	"features": []string{"access-ready", "partitioned", "pluggable-storage-engines", "reshard", "scheduler"}, "vendor": map[string]string{"name": "stand-in"},
}

var databaseName = regexp.MustCompile(`^[a-z][a-z0-9_$()+/-]*$`)

// createOrDelete creates or deletes a database.
func (c *call) createOrDelete() (status int, value any, err error) {
	known := c.server.databases[c.name]
	switch {
	case !c.who.isAdmin():
		return 0, nil, errNotAdmin
	case c.Method == http.MethodDelete && known == nil:
		return 0, nil, errNoDatabase
	case c.Method == http.MethodDelete:
		delete(c.server.databases, c.name)
		known.change()
		return http.StatusOK, map[string]bool{"ok": true}, nil
	case known != nil:
		return 0, nil, errFileExists
	case c.name != usersName && !databaseName.MatchString(c.name):
		return 0, nil, errDatabaseName
	}
	c.server.databases[c.name] = newDatabase()
	return http.StatusCreated, map[string]bool{"ok": true}, nil
}

// inDatabase answers a request for a part of a database.
func (c *call) inDatabase(d *database) (status int, value any, err error) {
	isRead := c.Method == http.MethodGet || c.Method == http.MethodHead
	isPost := c.Method == http.MethodPost
	local, isLocal := strings.CutPrefix(c.rest, "_local/")
	switch {
	case c.rest == "" && isRead:
		return http.StatusOK, d.info(c.name), nil
	case c.rest == "" && isPost:
		return c.create(d)
	case c.rest == "_all_docs" && (isRead || isPost):
		return c.list(d)
	case c.rest == "_local_docs" && isPost:
		return c.listLocals(d)
	case c.rest == "_bulk_docs" && isPost:
		return c.bulkDocs(d)
	case c.rest == "_bulk_get" && isPost:
		return c.bulkGet(d)
	case c.rest == "_changes" && (isRead || isPost):
		return c.changes(d)
	case c.rest == "_security":
		return c.security(d)
	case c.rest == "_compact" && isPost:
		for _, document := range d.documents {
			document.compact()
		}
		return http.StatusAccepted, map[string]bool{"ok": true}, nil
	case isLocal && local != "":
		return c.local(d, "_local/"+local)
	case strings.HasPrefix(c.rest, "_") && !strings.HasPrefix(c.rest, "_design/"):
		return 0, nil, errMissing
	case isRead:
		return c.read(d, c.rest)
	case c.Method == http.MethodPut:
		return c.put(d, c.rest)
	case c.Method == http.MethodDelete:
		return c.remove(d, c.rest)
	}
	return 0, nil, errMethod
}

// decode reads the body of a request.
func (c *call) decode(into any) error {
	if err := json.Unmarshal(c.body, into); err != nil {
		return errNotJSON
	}
	return nil
}

// flag reads a parameter that is true or false.
func (c *call) flag(name string, otherwise bool) bool {
	switch c.query.Get(name) {
	case "true":
		return true
	case "false":
		return false
	}
	return otherwise
}

// number reads a parameter that is a number.
func (c *call) number(name string, otherwise int) (int, error) {
	text := c.query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	var n int
	if err := json.Unmarshal([]byte(text), &n); err != nil || n < 0 {
		return 0, failure{http.StatusBadRequest, "query_parse_error", fmt.Sprintf("Invalid value for %s: %q", name, text)}
	}
	return n, nil
}

// text reads a parameter that is a JSON text.
func (c *call) text(name string) (text string, isGiven bool, err error) {
	value := c.query.Get(name)
	if value == "" {
		return "", false, nil
	}
	if err := json.Unmarshal([]byte(value), &text); err != nil {
		return "", false, badRequest("invalid JSON in " + name)
	}
	return text, true, nil
}
