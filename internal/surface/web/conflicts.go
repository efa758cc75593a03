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
	"obsidian-mcp/internal/tool"
)

// mostConflicts is how many conflicts are listed.
const mostConflicts = 500

// conflictRow is a file that exists in several versions.
type conflictRow struct {
	Note      string         `json:"note"`
	Kind      string         `json:"kind"`
	Sides     []conflictSide `json:"sides"`
	Mergeable bool           `json:"mergeable"`
}

// conflictSide is one of the versions.
type conflictSide struct {
	ID       string    `json:"id"`
	Modified time.Time `json:"modified"`
	Size     int64     `json:"size"`
	Deleted  bool      `json:"deleted"`
}

// inCopies reports whether the versions are files of their own.
func (c conflictRow) inCopies() bool { return c.Kind == "copy" }

// conflictList is the page that lists conflicts.
type conflictList struct {
	Now      time.Time
	All      []conflictRow
	Total    int
	Resolved string // a note whose conflict was just resolved
}

// conflicts lists what two devices changed at the same time.
func (v *visit) conflicts() error {
	list, err := v.listConflicts()
	if err != nil {
		return err
	}
	resolved := v.r.URL.Query().Get("resolved")
	if !slices.ContainsFunc(list.All, func(row conflictRow) bool { return row.Note == resolved }) {
		list.Resolved = resolved
	}
	v.show("Conflicts", list.view)
	return nil
}

func (v *visit) listConflicts() (conflictList, error) {
	if !v.offers("find_conflicts") {
		return conflictList{}, notOffered("the list of conflicts", "find_conflicts")
	}
	var found struct {
		Conflicts []conflictRow `json:"conflicts"`
		Total     int           `json:"total"`
	}
	err := v.ask("find_conflicts", map[string]any{"limit": mostConflicts}, &found)
	return conflictList{Now: v.page.options.Now(), All: found.Conflicts, Total: found.Total}, err
}

// conflictPage shows the versions of a file side by side, and how they would be merged.
type conflictPage struct {
	Now      time.Time
	Row      conflictRow
	Sides    []shownSide
	Hash     string // of the file as it is shown; "" if it is not a text
	Merge    *mergedSides
	Resolves bool // the caller may resolve the conflict
	Problem  *problem
	Chosen   string // what was chosen and has to be confirmed
	Confirm  string // the id that confirms it
}

// shownSide is a version with its text.
type shownSide struct {
	conflictSide
	Number  int // from 1
	Title   string
	Lines   []diffLine // those that not all versions have are marked
	More    int        // lines that are not shown
	Problem string     // why the text is not shown
}

// mergedSides is what a merge would make of the file.
type mergedSides struct {
	Lines    []diffLine // the difference from the file as it is
	KeptBoth []string
	Problem  *problem
}

func (v *visit) conflict() error { return v.showConflict(v.r.URL.Query().Get("note"), conflictPage{}) }

func (v *visit) showConflict(note string, body conflictPage) error {
	list, err := v.listConflicts()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list.All, func(row conflictRow) bool { return row.Note == note })
	if at < 0 {
		return fault.NotFound.Errorf("'%s' is not in conflict", note).WithHint("it may have been resolved; the page of conflicts lists what is left")
	}
	body.Now, body.Row, body.Resolves = list.Now, list.All[at], v.offers("resolve_conflict")
	texts := v.readSides(&body)
	markSides(body.Sides, texts)
	if body.Row.Mergeable && body.Resolves {
		body.Merge = v.tryMerge(note)
	}
	v.show(note, body.view)
	return nil
}

// readSides reads the text of each version. A version that cannot be shown says why.
func (v *visit) readSides(body *conflictPage) (texts []string) {
	for i, side := range body.Row.Sides {
		shown := shownSide{conflictSide: side, Number: i + 1, Title: "The other side"}
		args := map[string]any{"name": body.Row.Note}
		switch {
		case body.Row.inCopies():
			shown.Title, args["name"] = side.ID, side.ID
		case i > 0:
			args["revision"] = side.ID
		default:
			shown.Title = "The note as it is"
		}
		text, hash, err := v.readVersion(args)
		switch {
		case side.Deleted:
			shown.Problem = "The note was deleted in this version."
		case err != nil:
			shown.Problem = sentence(err.Error())
		case i == 0:
			body.Hash = hash
		}
		texts = append(texts, text)
		body.Sides = append(body.Sides, shown)
	}
	return texts
}

func (v *visit) readVersion(args map[string]any) (text, hash string, err error) {
	arguments, err := json.Marshal(args)
	if err != nil {
		return "", "", err
	}
	answer, err := v.call("read_note", arguments)
	hash, _ = answer.Meta["hash"].(string)
	return answer.Text, hash, err
}

// mostSideLines is how many lines of a version are shown, and sideContext how many of them around each that is marked.
const (
	mostSideLines = 2000
	sideContext   = 3
)

// markSides fills in the lines of each version, and marks those that not every version has.
func markSides(sides []shownSide, texts []string) {
	has := make([]map[string]bool, len(texts))
	for i, text := range texts {
		has[i] = map[string]bool{}
		for line := range strings.Lines(text) {
			has[i][strings.TrimRight(line, "\r\n")] = true
		}
	}
	for i, text := range texts {
		if sides[i].Problem != "" {
			continue
		}
		var lines []diffLine
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			kind := "same"
			for other := range has {
				if sides[other].Problem == "" && !has[other][line] {
					kind = "added"
				}
			}
			lines = append(lines, diffLine{kind, line})
		}
		lines = withoutFarLines(lines)
		shown := min(len(lines), mostSideLines)
		sides[i].Lines, sides[i].More = lines[:shown], len(lines)-shown
	}
}

// withoutFarLines leaves out lines that are far from any that is marked, unless none is.
func withoutFarLines(lines []diffLine) (near []diffLine) {
	isNear := make([]bool, len(lines))
	marked := false
	for i, line := range lines {
		if line.Kind == "same" {
			continue
		}
		marked = true
		for at := max(0, i-sideContext); at <= min(len(lines)-1, i+sideContext); at++ {
			isNear[at] = true
		}
	}
	if !marked {
		return lines
	}
	for i := 0; i < len(lines); {
		end := i
		for end < len(lines) && !isNear[end] {
			end++
		}
		if end-i > 1 {
			near = append(near, diffLine{"where", "… " + amount.Of(end-i, "line") + " that all versions have"})
			i = end
			continue
		}
		near = append(near, lines[i])
		i++
	}
	return near
}

// tryMerge asks what a merge would give.
func (v *visit) tryMerge(note string) *mergedSides {
	var merged struct {
		KeptBoth []string `json:"kept_both"`
		Diff     string   `json:"diff"`
	}
	if err := v.ask("resolve_conflict", map[string]any{"note": note, "dry_run": true}, &merged); err != nil {
		return &mergedSides{Problem: &problem{Message: err.Error(), Hint: fault.HintOf(err)}}
	}
	return &mergedSides{Lines: diffLines(merged.Diff), KeptBoth: merged.KeptBoth}
}

// resolve resolves a conflict as the form says.
func (v *visit) resolve() error {
	form := v.r.PostForm
	note, choose := form.Get("note"), form.Get("choose")
	args := map[string]any{"note": note, "choose": choose}
	for field, parameter := range map[string]string{"hash": "expected_hash", "confirm": "confirm"} {
		if value := form.Get(field); value != "" {
			args[parameter] = value
		}
	}
	var done struct{}
	err := v.ask("resolve_conflict", args, &done)
	if err == nil {
		http.Redirect(v.w, v.r, v.page.options.Base+"/conflicts?"+url.Values{"resolved": {note}}.Encode(), http.StatusSeeOther)
		return nil
	}
	body := conflictPage{}
	if needs, ok := errors.AsType[*tool.NeedsConfirm](err); ok {
		body.Problem, body.Chosen, body.Confirm = manyNotes(needs), choose, needs.ID
	} else if errors.Is(err, fault.Conflict) {
		body.Problem = &problem{Message: "The note has changed since this page was made.", Hint: "look at the sides again, and choose once more", Details: err.Error()}
	} else {
		return err
	}
	v.status = statusOf(fault.KindOf(err))
	return v.showConflict(note, body)
}

// resolveAgain shows a conflict whose form was refused.
func (v *visit) resolveAgain(why problem) error {
	why.Hint = "nothing was changed; choose again on this page"
	return v.showConflict(v.r.PostFormValue("note"), conflictPage{Problem: &why})
}

// sizeOf says how large a version is.
func (s conflictSide) sizeOf() string { return amount.Of(int(s.Size), "byte") }
