package couch_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// TestRefusedLogins: after a refused login nothing is sent for a while, so that CouchDB does not lock the account. A locked account
// is reported as such.
func TestRefusedLogins(t *testing.T) {
	for name, test := range map[string]struct {
		status        int
		body, message string
	}{
		"a wrong password": {401, `{"error":"unauthorized","reason":"Name or password is incorrect."}`, "wrong user or password"},
		"a locked account": {403, `{"error":"forbidden","reason":"Account is temporarily locked due to multiple authentication failures"}`, "has locked the account 'ada'"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, server := scripted(t, says(test.status, test.body), says(200, infoAnswer))
				for range 3 {
					_, err := client.Info(t.Context())
					if !errors.Is(err, couch.ErrLogin) || !errors.Is(err, fault.PermissionDenied) || !strings.Contains(err.Error(), test.message) {
						t.Errorf("got %v", err)
					}
				}
				if n := server.asked.Load(); n != 1 {
					t.Errorf("%d requests were sent, want 1", n)
				}
				time.Sleep(11 * time.Second)
				if _, err := client.Info(t.Context()); err != nil {
					t.Errorf("the next login: %v", err)
				}
			})
		})
	}
}
