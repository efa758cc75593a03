package web

import (
	"net/http"
	"slices"
	"time"

	"obsidian-mcp/internal/observe/pulse"
)

// Status is the state of a server, as far as a caller may know it. Whole holds what
// only callers without limits see.
type Status struct {
	Vault    string // its id
	ReadOnly bool   // for this caller

	Ready   bool // the index is built
	Problem string
	Seen    int // files indexed so far, while the index is being built
	Files   int
	Notes   int
	Tags    int
	Changed time.Time // when the index last changed; zero if hidden from the caller

	Whole *Whole
}

// Whole is the state of the server as a whole.
type Whole struct {
	Version  string
	Started  time.Time
	Store    string // "folder", "LiveSync"
	Place    string
	Sessions int
	InFlight int
	Minutes  []pulse.Minute
	History  string // its size; "" if changes are not recorded
	Sync     *Sync  // nil if none is configured
	Meaning  *Meaning
}

// Meaning is the model for search by meaning, unless it is part of the program.
type Meaning struct {
	Model   string
	Leaves  bool   // the texts of notes are sent to another machine
	Problem string // why it cannot be used; "" if it can
}

// Sync is the last sync with other devices.
type Sync struct {
	Time    time.Time // zero if there was none yet
	Problem string    // why it failed, or where it left conflicts; "" if all is well
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
	Seen    string // the state of the history when the page was made; if it differs, there are new changes
	NoCalls bool   // nobody has called yet: say what to do next
}

func (v *visit) overview() error {
	body := v.look()
	if err := v.addChanges(&body); err != nil {
		return err
	}
	v.show("Overview", body.view)
	return nil
}

// overviewNow refreshes an overview that is already open. Browsers ask for it every
// few seconds, so it only says whether there are new changes: listing them is a
// call that is audited.
func (v *visit) overviewNow() error {
	if !v.partial() {
		return v.toOverview()
	}
	body := v.look()
	if body.Seen != v.r.URL.Query().Get("seen") {
		v.w.Header().Set("HX-Trigger", "history-changed")
	}
	v.part(body.now)
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
	v.part(body.recent)
	return nil
}

// toOverview redirects a browser that opened a part by itself to the whole page.
func (v *visit) toOverview() error {
	http.Redirect(v.w, v.r, v.page.options.Base+"/", http.StatusSeeOther)
	return nil
}

func (v *visit) look() overview {
	body := overview{
		Now: v.page.options.Now(), Status: v.page.options.Server.Status(v.r.Context(), v.who),
		History: v.offers("list_changes"), Undoes: v.offers("undo_change"),
	}
	if body.Status.Ready {
		body.Seen = "ready"
	}
	if whole := body.Status.Whole; whole != nil {
		body.Seen += " " + whole.History
		body.Calls, body.Latency = callsPlot(whole.Minutes), latencyPlot(whole.Minutes)
		body.NoCalls = !slices.ContainsFunc(whole.Minutes, func(m pulse.Minute) bool { return m.Calls > 0 })
	}
	return body
}

func (v *visit) addChanges(to *overview) (err error) {
	if to.History && to.Status.Ready {
		to.Changes, err = v.listChanges(recentChanges, "")
	}
	return err
}
