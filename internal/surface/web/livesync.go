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

	Problem *problem // why nothing was tested
}

func (v *visit) liveSync() error {
	if err := v.mayTest(); err != nil {
		return err
	}
	v.show("livesync", "LiveSync", v.liveSyncForm(liveSyncPage{Given: v.page.options.Server.Database}))
	return nil
}

// liveSyncAnew shows a form that could not be taken, with what was entered but
// the secrets.
func (v *visit) liveSyncAnew(why problem) error {
	if err := v.mayTest(); err != nil {
		return err
	}
	why.Hint = "nothing was tested: enter the secrets again, and press the button once more"
	v.show("livesync", "LiveSync", v.liveSyncForm(liveSyncPage{Given: v.database(), Problem: &why}))
	return nil
}

// database is the one that a form names.
func (v *visit) database() Database {
	return Database{
		URL: v.r.PostFormValue("url"), Name: v.r.PostFormValue("database"), User: v.r.PostFormValue("user"),
		Password: v.r.PostFormValue("password"), Passphrase: v.r.PostFormValue("passphrase"),
	}
}

// liveSyncForm is a page as it is shown: without secrets.
func (v *visit) liveSyncForm(body liveSyncPage) liveSyncPage {
	body.Served = v.page.options.Server.Database.URL != ""
	body.Given.Password, body.Given.Passphrase = "", ""
	return body
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
	given := v.database()
	body := v.liveSyncForm(liveSyncPage{Given: given, Tested: true, Checks: v.page.options.Server.TestLiveSync(v.r.Context(), given)})
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
