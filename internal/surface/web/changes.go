package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/text/udiff"
	"obsidian-mcp/internal/tool"
)

// The overview lists recentChanges changes, the page of changes allChanges.
const (
	recentChanges = 8
	allChanges    = 200
)

// changeRow is a change in the list.
type changeRow struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Tool    string    `json:"tool"`
	Client  string    `json:"client"`
	Session string    `json:"session"`
	Notes   []string  `json:"notes"`
	Summary string    `json:"summary"`
	Undone  bool      `json:"-"`
	Choose  bool      `json:"-"` // it can be chosen, to be undone with others
}

// listChanges lists the newest changes, of a session if one is given.
func (v *visit) listChanges(most int, session string) ([]changeRow, error) {
	if !v.offers("list_changes") {
		return nil, v.noHistory("the list of changes", "list_changes")
	}
	args, err := json.Marshal(map[string]any{"limit": most, "session": session})
	if err != nil {
		return nil, err
	}
	answer, err := v.call("list_changes", args)
	if err != nil {
		return nil, err
	}
	var list struct {
		Changes []changeRow `json:"changes"`
	}
	err = json.Unmarshal(answer.JSON, &list)
	undone, _ := answer.Meta["undone"].([]string)
	for i := range list.Changes {
		list.Changes[i].Undone = slices.Contains(undone, list.Changes[i].ID)
	}
	return list.Changes, err
}

// noHistory explains why no changes are listed.
func (v *visit) noHistory(view, tool string) error {
	if v.page.options.Server.NoHistory {
		return fault.NotFound.Errorf("changes are not recorded here, so there is nothing to list or undo").
			WithHint("OBSIDIAN_MCP_HISTORY is off; set it to required to record changes")
	}
	return notOffered(view, tool)
}

// changeList is the page that lists changes.
type changeList struct {
	Now     time.Time
	Changes []changeRow
	More    bool   // there are older changes
	Session string // they are those of a session
	Undoes  bool
	Chooses bool   // some can be chosen
	Undone  string // a change that was just undone
	Several bool   // others were undone with it
}

func (v *visit) changes() error {
	query := v.r.URL.Query()
	list := changeList{
		Now: v.page.options.Now(), Session: query.Get("session"), Undoes: v.offers("undo_change"), Several: query.Get("several") != "",
	}
	rows, err := v.listChanges(allChanges+1, list.Session)
	if err != nil {
		return err
	}
	for i, row := range rows {
		rows[i].Choose = list.Undoes && !row.Undone
		list.Chooses = list.Chooses || rows[i].Choose
		if row.Undone && row.ID == query.Get("undone") { // else only the link says so, and anybody may have written it
			list.Undone = row.ID
		}
	}
	list.Changes = rows[:min(len(rows), allChanges)]
	list.More = len(list.Changes) < len(rows)
	title := "Changes"
	if list.Session != "" {
		title = "Changes of a session"
	}
	v.show(title, list.view)
	return nil
}

// change is the page of one change: what it did, line by line.
type change struct {
	Now     time.Time
	ID      string
	Time    time.Time
	Client  string
	Session string
	Tool    string
	Lines   []diffLine
	Undoes  bool
	Undone  bool
	Problem *problem
	Confirm string // the id that confirms the undo
	Force   bool   // the undo would overwrite later changes
}

// diffLine is a line of a diff; its kind is a CSS class.
type diffLine struct{ Kind, Text string }

func (v *visit) change() error { return v.showChange(change{ID: v.r.PathValue("id")}) }

func (v *visit) showChange(shown change) error {
	if !v.offers("show_change") {
		return v.noHistory("what a change did", "show_change")
	}
	args, err := json.Marshal(map[string]string{"id": shown.ID})
	if err != nil {
		return err
	}
	answer, err := v.call("show_change", args)
	if err != nil {
		return err
	}
	meta := func(key string) string { text, _ := answer.Meta[key].(string); return text }
	shown.Undone, _ = answer.Meta["undone"].(bool)
	shown.Time, _ = time.Parse(time.RFC3339, meta("time"))
	shown.Client, shown.Session, shown.Tool = meta("client"), meta("session"), meta("tool")
	head, diff, _ := strings.Cut(answer.Text, "\n\n")
	_, summary, _ := strings.Cut(head, " by "+shown.Client+": ") // the page shows the part before it separately
	shown.Lines, shown.Undoes, shown.Now = diffLines(diff), v.offers("undo_change"), v.page.options.Now()
	v.show(sentence(summary), shown.view)
	return nil
}

// undo undoes a change. If something prevents that, the page says what, and how to proceed.
func (v *visit) undo() error {
	id := v.r.PathValue("id")
	force := v.r.PostFormValue("force") == "true"
	args, err := json.Marshal(map[string]any{"id": id, "confirm": v.r.PostFormValue("confirm"), "force": force})
	if err != nil {
		return err
	}
	_, err = v.call("undo_change", args)
	if err == nil {
		http.Redirect(v.w, v.r, v.page.options.Base+"/changes?"+url.Values{"undone": {id}}.Encode(), http.StatusSeeOther)
		return nil
	}
	shown := change{ID: id, Force: force}
	if needs, ok := errors.AsType[*tool.NeedsConfirm](err); ok {
		shown.Problem, shown.Confirm = manyNotes(needs), needs.ID
	} else if errors.Is(err, fault.Conflict) {
		shown.Force = true
		shown.Problem = &problem{
			Message: "What this change left has been changed again since.",
			Hint:    "Undoing it anyway restores what was there before this change. " + undoTheUndo,
			Details: err.Error(),
		}
	} else {
		return err
	}
	v.status = statusOf(fault.KindOf(err))
	return v.showChange(shown)
}

// manyNotes asks for consent to change that number of notes.
func manyNotes(needs *tool.NeedsConfirm) *problem {
	return &problem{Message: "This changes " + amount.Of(needs.Notes, "note") + "."}
}

const undoTheUndo = "What is there now is recorded first, so you can undo the undo."

// undoAgain shows a change whose undo form was refused.
func (v *visit) undoAgain(why problem) error {
	why.Hint = "nothing was undone; press the button on this page"
	return v.showChange(change{ID: v.r.PathValue("id"), Problem: &why})
}

// diffClasses maps kinds of lines to CSS classes.
var diffClasses = map[udiff.Kind]string{
	udiff.Same: "same", udiff.Added: "added", udiff.Removed: "removed", udiff.Header: "where", udiff.Hunk: "where",
}

func diffLines(text string) []diffLine {
	var lines []diffLine
	for _, line := range udiff.Lines(text) {
		lines = append(lines, diffLine{diffClasses[line.Kind], line.Text})
	}
	return lines
}
