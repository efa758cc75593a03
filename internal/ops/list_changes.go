package ops

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/vault/history"
)

// ListChanges are the parameters of list_changes.
type ListChanges struct {
	Limit  int    `json:"limit" jsonschema:"up to 1000" default:"20"`
	Offset int    `json:"offset"`
	Since  string `json:"since" jsonschema:"since then: a date, a time, today, or an age such as 2h" default:""`
	Note   string `json:"note" jsonschema:"of this note" default:""`
	Client string `json:"client" jsonschema:"by clients or tokens whose name contains this" default:""`

	Session string `json:"session" jsonschema:"of this session; 'this' is the calling one" default:""`
}

// ChangeList is the result of list_changes.
type ChangeList struct {
	tool.Meta `json:"-"`

	Changes []ListedChange `json:"changes"`
	Total   int            `json:"total"`
}

// ListedChange is one change.
type ListedChange struct {
	ID      string   `json:"id"`
	Time    string   `json:"time"`
	Tool    string   `json:"tool"`
	Client  string   `json:"client"`
	Session string   `json:"session"`
	Notes   []string `json:"notes"`
	Summary string   `json:"summary"`
	Undone  bool     `json:"undone"`
}

var listChanges = tool.New(tool.Spec{
	Name: "list_changes", Toolset: "history", Title: "List changes",
	About: "Lists the changes that tools have made in the vault, newest first, with ids for show_change, undo_change and restore_note. Edits made in Obsidian are not listed.",
}, (*Ops).ListChanges)

// ListChanges lists the changes that tools have made.
func (o *Ops) ListChanges(ctx context.Context, in ListChanges) (ChangeList, error) {
	list := ChangeList{Changes: []ListedChange{}}
	if in.Limit < 0 || in.Offset < 0 {
		return list, fault.InvalidArgument.Errorf("limit and offset must not be negative")
	}
	since, err := parseSince(in.Since, time.Now())
	if err != nil {
		return list, err
	}
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return list, err
	}
	wanted := changesOf(s, in.Note)
	undone := undoneSet{}
	err = o.vault.EachPastChange(ctx, func(past vault.PastChange) bool {
		undone.add(past)
		if wanted(past) && madeBy(past, in.Client) && madeIn(ctx, past, in.Session) && !past.Time.Before(since) {
			if list.Total++; list.Total > in.Offset && len(list.Changes) < min(in.Limit, maxListed) {
				row := o.listed(ctx, s, past)
				row.Undone = undone[past.ID]
				list.Changes = append(list.Changes, row)
			}
		}
		return ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	list.Meta = undone.in(list.Changes)
	if len(list.Changes) == maxListed && in.Limit > maxListed {
		list.Meta["truncated"] = true
	}
	if len(list.Changes) > 0 {
		tool.ShownHint(ctx, len(list.Changes), in.Offset, list.Total)
	}
	return list, err
}

// maxListed is the most changes of one list, even if the caller asks for more.
const maxListed = 1000

func (o *Ops) listed(ctx context.Context, s *index.Snapshot, past vault.PastChange) ListedChange {
	return ListedChange{
		ID: past.ID, Time: past.Time.UTC().Format(time.RFC3339), Tool: past.Tool, Client: who(past), Session: past.Session,
		Notes: changedNotes(s, past), Summary: o.summarise(ctx, past),
	}
}

// parseSince reads a date, a time, or an age.
func parseSince(text string, now time.Time) (time.Time, error) {
	switch text {
	case "":
		return time.Time{}, nil
	case "today":
		return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location()), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if when, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return when, nil
		}
	}
	if days, err := strconv.ParseUint(strings.TrimSuffix(text, "d"), 10, 20); err == nil && strings.HasSuffix(text, "d") {
		return now.AddDate(0, 0, -int(days)), nil
	}
	if length, err := time.ParseDuration(text); err == nil && length >= 0 {
		return now.Add(-length), nil
	}
	return time.Time{}, fault.InvalidArgument.Errorf("'since' must be a date, a time or an age such as 2h").
		WithHint("use 2026-01-31, 2026-01-31T12:00:00Z, 2h or 7d")
}

// changesOf selects the changes of one note. It must see all changes, newest first: it
// follows the note under all its former names back to its creation. A deleted note
// is recognised by its name only.
func changesOf(s *index.Snapshot, name string) func(vault.PastChange) bool {
	if name == "" {
		return func(vault.PastChange) bool { return true }
	}
	if found, err := s.Find(name); err == nil {
		trail := trail{at: string(found)}
		return trail.stepBack
	}
	return func(past vault.PastChange) bool {
		return slices.ContainsFunc(past.Files, func(file history.File) bool {
			return hasName(vpath.Path(file.Path), name) || hasName(vpath.Path(file.To), name)
		})
	}
}

// hasName reports whether a name means a path: the whole path or its last part, with
// or without its extension.
func hasName(path vpath.Path, name string) bool {
	key := vpath.FoldKey(name)
	for _, form := range []string{string(path), path.WithoutExt(), path.Base(), path.Name()} {
		if form != "" && vpath.FoldKey(form) == key {
			return true
		}
	}
	return false
}

// thisSession stands for the session of the call.
const thisSession = "this"

// madeIn reports whether a change was made in a session; without one, every change was.
func madeIn(ctx context.Context, past vault.PastChange, session string) bool {
	if session == thisSession {
		session = call.CallerOf(ctx).Session
		return session != "" && past.Session == session
	}
	return session == "" || past.Session == session
}

func madeBy(past vault.PastChange, client string) bool {
	return client == "" || strings.Contains(fold.String(past.Client+"\n"+past.Token), fold.String(client))
}
