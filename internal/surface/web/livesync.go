package web

import (
	"strings"

	"obsidian-mcp/internal/fault"
)

// Database says where a LiveSync vault is: a link of the plugin with its passphrase, or else the other fields.
type Database struct {
	URL, Name, User      string
	Password, Passphrase string

	Link, LinkPassphrase string
}

// Check is the outcome of one check.
type Check struct {
	Mark string // ok, look or failed
	Text string
}

// liveSyncPage is the form and its result.
type liveSyncPage struct {
	Served bool // the served vault is in a database
	Given  Database
	Checks []Check
	Tested bool

	Problem *problem // why nothing was tested
}

func (v *visit) liveSync() error {
	if err := v.mayTest(); err != nil {
		return err
	}
	v.show("LiveSync", v.liveSyncForm(liveSyncPage{Given: v.page.options.Server.Database}).view)
	return nil
}

// liveSyncAgain shows a form that was refused with what was entered, except the secrets.
func (v *visit) liveSyncAgain(why problem) error {
	if err := v.mayTest(); err != nil {
		return err
	}
	why.Hint = "nothing was tested; enter the secrets again and press the button"
	v.show("LiveSync", v.liveSyncForm(liveSyncPage{Given: v.database(), Problem: &why}).view)
	return nil
}

// database reads the database from the form.
func (v *visit) database() Database {
	return Database{
		URL: v.r.PostFormValue("url"), Name: v.r.PostFormValue("database"), User: v.r.PostFormValue("user"),
		Password: v.r.PostFormValue("password"), Passphrase: v.r.PostFormValue("passphrase"),
		Link: strings.TrimSpace(v.r.PostFormValue("link")), LinkPassphrase: v.r.PostFormValue("link_passphrase"),
	}
}

// named reports whether the form says which database to test.
func (d Database) named() bool { return d.Link != "" || d.URL != "" && d.Name != "" }

// liveSyncForm removes the secrets before a page is shown.
func (v *visit) liveSyncForm(body liveSyncPage) liveSyncPage {
	body.Served = v.page.options.Server.Database.URL != ""
	given := &body.Given
	given.Password, given.Passphrase, given.Link, given.LinkPassphrase = "", "", "", ""
	return body
}

// liveSyncTest tries to reach a database. It keeps nothing and writes nothing there.
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
		return fault.RateLimited.Errorf("another test is running").WithHint("wait until it has finished")
	}
	defer v.page.testing.Unlock()
	database := v.database()
	checks := []Check{{"failed", "vault: nothing to test; enter a setup link, or the address of CouchDB and the name of the database"}}
	if database.named() {
		checks = v.page.options.Server.TestLiveSync(v.r.Context(), database)
	}
	body := v.liveSyncForm(liveSyncPage{Given: database, Tested: true, Checks: checks})
	if v.partial() {
		v.part(body.checks)
		return nil
	}
	v.show("LiveSync", body.view)
	return nil
}

// mayTest refuses callers with limits, because a test reaches other servers from this one.
func (v *visit) mayTest() error {
	if v.owner() {
		return nil
	}
	return fault.PermissionDenied.Errorf("this page is for callers without limits")
}
