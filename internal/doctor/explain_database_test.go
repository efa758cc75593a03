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

// Whatever the reason why a database cannot be reached, the error names the setting to check.
func TestExplainDatabaseNamesTheSetting(t *testing.T) {
	dial := func(err error) error {
		return fault.StoreUnavailable.Errorf("CouchDB at x:1 cannot be reached: %w", &net.OpError{Op: "dial", Net: "tcp", Err: err})
	}
	hinted := fault.StoreUnavailable.Errorf("the certificate of x is not trusted").WithHint("renew it")
	for name, c := range map[string]struct {
		err           error
		message, hint string
	}{
		"no host":        {dial(&net.DNSError{Err: "no such host", IsNotFound: true}), "CouchDB at x:1 cannot be reached: there is no such host", "correct COUCHDB_BASE_URL"},
		"no name server": {dial(&net.DNSError{Err: "server misbehaving", IsTemporary: true}), "CouchDB at x:1 cannot be reached: the name server", "COUCHDB_BASE_URL is right"},
		"refused":        {dial(syscall.ECONNREFUSED), "CouchDB at x:1 cannot be reached: nothing listens there", "start CouchDB"},
		"no route":       {dial(syscall.EHOSTUNREACH), "CouchDB at x:1 cannot be reached: ", "this machine reaches it"},
		"no answer":      {fault.Timeout.Errorf("CouchDB has not answered"), "CouchDB has not answered", "COUCHDB_BASE_URL"},
		"not CouchDB":    {fault.StoreUnavailable.Errorf("x: %w", couch.ErrNotCouchDB), "is not CouchDB", "correct COUCHDB_BASE_URL"},
		"has its hint":   {hinted, hinted.Message, "renew it"},
		"another error":  {fault.PermissionDenied.Errorf("wrong password"), "wrong password", ""},
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
