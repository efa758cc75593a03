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
	"obsidian-mcp/internal/vault/history"
)

// ListChanges are the parameters of list_changes.
type ListChanges struct {
	Limit  int    `json:"limit" jsonschema:"most changes to list, up to 1000" default:"20"`
	Since  string `json:"since" jsonschema:"only those from then on: a date, a time, or an age such as 2h or 7d" default:""`
	Note   string `json:"note" jsonschema:"only those of this note, by name or path" default:""`
	Client string `json:"client" jsonschema:"only those of clients or tokens whose name contains this" default:""`
}

// ChangeList is the result of list_changes.
type ChangeList struct {
	tool.Meta `json:"-"`

	Changes []ListedChange `json:"changes"`
}

// ListedChange is one change.
type ListedChange struct {
	ID      string   `json:"id"`
	Time    string   `json:"time"`
	Tool    string   `json:"tool"`
	Client  string   `json:"client"`
	Notes   []string `json:"notes"`
	Summary string   `json:"summary"`
}

var listChanges = tool.New(tool.Spec{
	Name: "list_changes", Toolset: "history", Title: "List changes",
	About: "Lists what tools have changed in the vault, newest first, with ids for show_change (what exactly), undo_change (take all of it back) and restore_note (one note of it). Edits made in Obsidian are not listed.",
}, (*Ops).ListChanges)

// ListChanges lists what tools have changed.
func (o *Ops) ListChanges(ctx context.Context, in ListChanges) (ChangeList, error) {
	list := ChangeList{Changes: []ListedChange{}}
	if in.Limit < 0 {
		return list, fault.InvalidArgument.Errorf("limit must not be negative")
	}
	since, err := parseSince(in.Since, time.Now())
	if err != nil {
		return list, err
	}
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return list, err
	}
	wanted := changesOf(s, in.Note)
	back := takenBack{}
	err = o.vault.EachPastChange(ctx, func(past vault.PastChange) bool {
		if len(list.Changes) == min(in.Limit, mostListed) || ctx.Err() != nil {
			return false
		}
		back.see(past)
		if wanted(past) && madeBy(past, in.Client) && !past.Time.Before(since) {
			list.Changes = append(list.Changes, o.listed(ctx, s, past))
		}
		return true
	})
	if err == nil {
		err = ctx.Err()
	}
	list.Meta = back.of(list.Changes)
	if len(list.Changes) == mostListed && in.Limit > mostListed {
		list.Meta["truncated"] = true
	}
	return list, err
}

// mostListed is how many changes are listed at once, whatever is asked for.
const mostListed = 1000

func (o *Ops) listed(ctx context.Context, s *index.Snapshot, past vault.PastChange) ListedChange {
	return ListedChange{
		ID: past.ID, Time: past.Time.UTC().Format(time.RFC3339), Tool: past.Tool, Client: who(past),
		Notes: changedNotes(s, past), Summary: o.tookBack(ctx, past),
	}
}

// parseSince reads a date, a time, or an age.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
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
	return time.Time{}, fault.InvalidArgument.Errorf("since is no date, time or age").WithHint("use 2026-01-31, 2026-01-31T12:00:00Z, 2h or 7d")
}

// changesOf tells the changes of one note, asked from the newest to the oldest:
// under all names that it had, back to where it was made. A note that has gone
// is known by its name alone.
func changesOf(s *index.Snapshot, name string) func(vault.PastChange) bool {
	if name == "" {
		return func(vault.PastChange) bool { return true }
	}
	if found, err := s.Find(name); err == nil {
		note := life{at: string(found)}
		return note.back
	}
	return func(past vault.PastChange) bool {
		return slices.ContainsFunc(past.Files, func(file history.File) bool {
			return isCalled(vpath.Path(file.Path), name) || isCalled(vpath.Path(file.To), name)
		})
	}
}

// isCalled reports whether a name is that of a path, in full or its last part,
// with or without its extension.
func isCalled(path vpath.Path, name string) bool {
	key := vpath.FoldKey(name)
	for _, way := range []string{string(path), path.WithoutExt(), path.Base(), path.Name()} {
		if way != "" && vpath.FoldKey(way) == key {
			return true
		}
	}
	return false
}

func madeBy(past vault.PastChange, client string) bool {
	return client == "" || strings.Contains(fold.String(past.Client+"\n"+past.Token), fold.String(client))
}
