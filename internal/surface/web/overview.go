package web

import (
	"net/http"
	"time"

	"obsidian-mcp/internal/observe/pulse"
)

// Status is how a server is, as far as a caller may know. What is for callers
// without limits alone is in Whole.
type Status struct {
	Vault    string // its id
	ReadOnly bool   // for this caller

	Ready   bool // the index is built
	Problem string
	Seen    int // files that were indexed so far, while it is not
	Files   int
	Notes   int
	Tags    int
	Changed time.Time // when the index last changed; zero: not known to the caller

	Whole *Whole
}

// Whole is how the server as a whole is.
type Whole struct {
	Version  string
	Started  time.Time
	Store    string // "folder", "LiveSync"
	Place    string
	Sessions int
	InFlight int
	Minutes  []pulse.Minute
	History  string // how much of it there is; "" where none is kept
}

// overview is the first page.
type overview struct {
	Now     time.Time
	Status  Status
	Calls   *plot
	Latency *plot
	Changes []changeRow
	Undoes  bool
	History bool
	Seen    string // of the changes, when the page was made: another one means that there are others
}

func (v *visit) overview() error {
	body := v.look()
	if err := v.addChanges(&body); err != nil {
		return err
	}
	v.show("overview", "Overview", body)
	return nil
}

// overviewNow is the overview as it is now, for a page that is open already. It
// is asked for every few seconds, and so tells only whether there are other
// changes: to list them is a call that is accounted for.
func (v *visit) overviewNow() error {
	if !v.partial() {
		return v.toOverview()
	}
	body := v.look()
	if body.Seen != v.r.URL.Query().Get("seen") {
		v.w.Header().Set("HX-Trigger", "history-changed")
	}
	v.part("overview", "now", body)
	return nil
}

// overviewRecent is the list of recent changes.
func (v *visit) overviewRecent() error {
	if !v.partial() {
		return v.toOverview()
	}
	body := v.look()
	if err := v.addChanges(&body); err != nil {
		return err
	}
	v.part("overview", "recent", body)
	return nil
}

// toOverview leads who has come to a part to the whole.
func (v *visit) toOverview() error {
	http.Redirect(v.w, v.r, v.page.options.Base+"/", http.StatusSeeOther)
	return nil
}

func (v *visit) look() overview {
	body := overview{Now: v.page.options.Now(), Status: v.page.options.Server.Status(v.r.Context(), v.who), History: v.offers("list_changes"), Undoes: v.offers("undo_change")}
	if body.Status.Ready {
		body.Seen = "ready"
	}
	if whole := body.Status.Whole; whole != nil {
		body.Seen += " " + whole.History
		body.Calls, body.Latency = callsPlot(whole.Minutes), latencyPlot(whole.Minutes)
	}
	return body
}

func (v *visit) addChanges(to *overview) (err error) {
	if to.History && to.Status.Ready {
		to.Changes, err = v.listChanges(recentChanges)
	}
	return err
}
