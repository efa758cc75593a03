package web

import (
	"obsidian-mcp/internal/fault"
)

// Database is where a LiveSync vault is.
type Database struct {
	URL, Name, User      string
	Password, Passphrase string
}

// Check is what was found out about one thing.
type Check struct {
	Mark string // ok, look or failed
	Text string
}

// liveSyncPage is the form, and what came of it.
type liveSyncPage struct {
	Served bool // the vault is in a database
	Given  Database
	Checks []Check
	Tested bool
}

func (v *visit) liveSync() error {
	if err := v.mayTest(); err != nil {
		return err
	}
	served := v.page.options.Server.Database
	v.show("livesync", "LiveSync", liveSyncPage{Served: served.URL != "", Given: served})
	return nil
}

// liveSyncTest tries to reach a database. Nothing of it is kept, and nothing is
// written there.
func (v *visit) liveSyncTest() error {
	if err := v.mayTest(); err != nil {
		return err
	}
	leave, err := v.page.options.Server.Enter(v.r, false)
	if err != nil {
		return err
	}
	defer leave()
	if !v.page.testing.TryLock() {
		return fault.RateLimited.Errorf("another test is under way").WithHint("wait until it is over")
	}
	defer v.page.testing.Unlock()
	served := v.page.options.Server.Database
	given := Database{
		URL: v.r.PostFormValue("url"), Name: v.r.PostFormValue("database"), User: v.r.PostFormValue("user"),
		Password: v.r.PostFormValue("password"), Passphrase: v.r.PostFormValue("passphrase"),
	}
	body := liveSyncPage{Served: served.URL != "", Given: given, Tested: true, Checks: v.page.options.Server.TestLiveSync(v.r.Context(), given)}
	body.Given.Password, body.Given.Passphrase = "", ""
	if v.partial() {
		v.part("livesync", "checks", body)
		return nil
	}
	v.show("livesync", "LiveSync", body)
	return nil
}

// mayTest refuses those who have limits: a test reaches other servers from this
// one.
func (v *visit) mayTest() error {
	if v.owner() {
		return nil
	}
	return fault.PermissionDenied.Errorf("this page is for callers without limits")
}
