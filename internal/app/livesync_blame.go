package app

import (
	"errors"
	"net"
	"strings"
	"syscall"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// blameDatabase says of a database that is not found which setting names it, and
// what to do. Other errors say so themselves.
func blameDatabase(err error) error {
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
		message, hint = host+" cannot be reached: the name server does not know now where it is", "see whether this machine is connected, and whether COUCHDB_BASE_URL is right"
	case away && errors.Is(err, syscall.ECONNREFUSED):
		message, hint = host+" cannot be reached: nothing listens there", "start CouchDB, or correct the port in COUCHDB_BASE_URL"
	case isNotCouchDB(err) && hint != "":
		hint = "correct COUCHDB_BASE_URL: " + hint
	case isNotCouchDB(err):
		hint = "correct COUCHDB_BASE_URL"
	case hint == "" && (away || errors.Is(err, fault.Timeout)):
		hint = "see whether CouchDB runs and this machine reaches it, and whether COUCHDB_BASE_URL is right"
	default:
		return err
	}
	return &fault.Error{Kind: fault.KindOf(err), Message: message, Hint: hint, Err: err}
}

// isNotCouchDB reports whether some other server answered.
func isNotCouchDB(err error) bool { return errors.Is(err, couch.ErrNotCouchDB) }
