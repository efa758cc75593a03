package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// severalChanges is the page on which the undo of several changes is confirmed.
type severalChanges struct {
	Now     time.Time
	IDs     []string
	Session string // all changes of a session, instead of IDs
	Changes []changeRow
	Undoes  bool // false: the rows have no buttons of their own
	Problem *problem
	Confirm string // the id that confirms the undo
	Force   bool   // the undo would overwrite later changes
	Nothing bool   // there is nothing to undo
}

// chosenChanges reads which changes a form is about.
func (v *visit) chosenChanges() (severalChanges, error) {
	chosen := severalChanges{Now: v.page.options.Now(), Session: v.r.PostFormValue("session"), IDs: v.r.PostForm["id"]}
	if chosen.Session == "" && len(chosen.IDs) == 0 {
		return chosen, fault.InvalidArgument.Errorf("no change was chosen").WithHint("go back and tick the changes to undo")
	}
	return chosen, nil
}

// undoSeveral undoes the chosen changes, or a session, as one. If something prevents that, the page says what, and how
// to proceed.
func (v *visit) undoSeveral() error {
	chosen, err := v.chosenChanges()
	if err != nil {
		return err
	}
	force := v.r.PostFormValue("force") == "true"
	args := map[string]any{"confirm": v.r.PostFormValue("confirm"), "force": force}
	if chosen.Session != "" {
		args["session"] = chosen.Session
	} else {
		args["ids"] = chosen.IDs
	}
	var done struct{ Undone []string }
	err = v.ask("undo_change", args, &done)
	needs, unconfirmed := errors.AsType[*tool.NeedsConfirm](err)
	switch {
	case err == nil && len(done.Undone) > 0:
		to := url.Values{"undone": done.Undone[:1], "several": {"true"}}
		http.Redirect(v.w, v.r, v.page.options.Base+"/changes?"+to.Encode(), http.StatusSeeOther)
		return nil
	case err == nil:
		chosen.Nothing = true
		return v.showSeveral(chosen)
	case unconfirmed:
		chosen.Problem, chosen.Confirm, chosen.Force = manyNotes(needs), needs.ID, force
	case errors.Is(err, fault.Conflict):
		chosen.Force = true
		chosen.Problem = &problem{
			Message: "What these changes left has been changed again since.",
			Hint:    "Undoing them anyway restores what was there before them. " + undoTheUndo,
			Details: err.Error(),
		}
	default:
		return err
	}
	v.status = statusOf(fault.KindOf(err))
	return v.showSeveral(chosen)
}

// undoSeveralAgain shows the chosen changes after their form was refused.
func (v *visit) undoSeveralAgain(why problem) error {
	chosen, err := v.chosenChanges()
	if err != nil {
		return err
	}
	why.Hint = "nothing was undone; press the button on this page"
	chosen.Problem = &why
	return v.showSeveral(chosen)
}

// mostChosen is how many changes list_changes lists at most.
const mostChosen = 1000

func (v *visit) showSeveral(chosen severalChanges) error {
	rows, err := v.listChanges(mostChosen, chosen.Session)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if chosen.Session != "" || slices.Contains(chosen.IDs, row.ID) {
			chosen.Changes = append(chosen.Changes, row)
		}
	}
	title := "Undo several changes"
	if chosen.Session != "" {
		title = "Undo a session"
	}
	v.show(title, chosen.view)
	return nil
}
