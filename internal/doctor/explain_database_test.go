package doctor

import (
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// Whatever keeps a database from being found, the setting to check is named.
func TestExplainDatabaseNamesTheSetting(t *testing.T) {
	dial := func(err error) error {
		return fault.StoreUnavailable.Errorf("CouchDB at x:1 cannot be reached: %w", &net.OpError{Op: "dial", Net: "tcp", Err: err})
	}
	hinted := fault.StoreUnavailable.Errorf("the certificate of x is not trusted").WithHint("renew it")
	for name, c := range map[string]struct {
		err           error
		message, hint string
	}{
		"no host":       {dial(&net.DNSError{Err: "no such host", IsNotFound: true}), "CouchDB at x:1 cannot be reached: there is no such host", "correct COUCHDB_BASE_URL"},
		"no names":      {dial(&net.DNSError{Err: "server misbehaving", IsTemporary: true}), "CouchDB at x:1 cannot be reached: the name server", "COUCHDB_BASE_URL is right"},
		"refused":       {dial(syscall.ECONNREFUSED), "CouchDB at x:1 cannot be reached: nothing listens there", "start CouchDB"},
		"no way":        {dial(syscall.EHOSTUNREACH), "CouchDB at x:1 cannot be reached: ", "this machine reaches it"},
		"silence":       {fault.Timeout.Errorf("CouchDB has not answered"), "CouchDB has not answered", "COUCHDB_BASE_URL"},
		"no CouchDB":    {fault.StoreUnavailable.Errorf("x: %w", couch.ErrNotCouchDB), "is not CouchDB", "correct COUCHDB_BASE_URL"},
		"has its hint":  {hinted, hinted.Message, "renew it"},
		"another error": {fault.PermissionDenied.Errorf("wrong password"), "wrong password", ""},
	} {
		got := ExplainDatabase(c.err)
		if fault.KindOf(got) != fault.KindOf(c.err) || !errors.Is(got, c.err) || !strings.Contains(got.Error(), c.message) || !strings.Contains(fault.HintOf(got), c.hint) {
			t.Errorf("%s: %v; %s", name, got, fault.HintOf(got))
		}
	}
	if err := ExplainDatabase(nil); err != nil {
		t.Error(err)
	}
}
