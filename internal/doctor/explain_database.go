package doctor

import (
	"errors"
	"net"
	"strings"
	"syscall"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// ExplainDatabase adds to an error of a database that cannot be reached which setting names it, and what to do. Other
// errors already say so.
func ExplainDatabase(err error) error {
	if err == nil {
		return nil
	}
	host, _, away := strings.Cut(err.Error(), " cannot be reached: ")
	lookup, unnamed := errors.AsType[*net.DNSError](err)
	message, hint := err.Error(), fault.HintOf(err)
	switch {
	case away && unnamed && lookup.IsNotFound:
		message, hint = host+" cannot be reached: there is no such host", "correct COUCHDB_BASE_URL"
	case away && unnamed:
		message = host + " cannot be reached: the name server does not answer for it"
		hint = "check that this machine is connected, and that COUCHDB_BASE_URL is right"
	case away && errors.Is(err, syscall.ECONNREFUSED):
		message = host + " cannot be reached: nothing listens there"
		hint = "start CouchDB, or correct the port in COUCHDB_BASE_URL"
	case isNotCouch(err) && hint != "":
		hint = "correct COUCHDB_BASE_URL: " + hint
	case isNotCouch(err):
		hint = "correct COUCHDB_BASE_URL"
	case hint == "" && (away || errors.Is(err, fault.Timeout)):
		hint = "check that CouchDB runs and this machine reaches it, and that COUCHDB_BASE_URL is right"
	default:
		return err
	}
	return &fault.Error{Kind: fault.KindOf(err), Message: message, Hint: hint, Err: err}
}

// isNotCouch reports whether some other server answered.
func isNotCouch(err error) bool { return errors.Is(err, couch.ErrNotCouchDB) }
