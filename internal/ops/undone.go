package ops

import (
	"context"
	"fmt"

	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// undoneSet finds out which changes are undone. It must see all changes, newest first:
// an undo comes before the change it undid, and an undo that was itself undone does
// not count.
type undoneSet map[string]bool

func (u undoneSet) add(past vault.PastChange) {
	if u[past.ID] {
		return
	}
	for _, id := range past.Undoes {
		u[id] = true
	}
}

// in returns, as metadata of a list, which of its changes are undone.
func (u undoneSet) in(list []ListedChange) tool.Meta {
	meta, undone := tool.Meta{}, []string{}
	for _, row := range list {
		if u[row.ID] {
			undone = append(undone, row.ID)
		}
	}
	if len(undone) > 0 {
		meta["undone"] = undone
	}
	return meta
}

// isUndone reports whether list_changes, asked for as many changes as it lists, marks a
// change as undone.
func (o *Ops) isUndone(ctx context.Context, id string) (bool, error) {
	undone, seen := undoneSet{}, 0
	err := o.vault.EachPastChange(ctx, func(past vault.PastChange) bool {
		undone.add(past)
		seen++
		return past.ID != id && seen < maxListed && ctx.Err() == nil
	})
	return undone[id], err
}

// summarise says in a few words what a change did; for an undo, what the undone change
// had done.
func (o *Ops) summarise(ctx context.Context, past vault.PastChange) string {
	switch {
	case len(past.Undoes) == 0:
		return summaryOf(past)
	case len(past.Undoes) > 1 && o.vault.Key() != "":
		return "undid several changes" // some of them may be closed to the caller
	case len(past.Undoes) > 1:
		return fmt.Sprintf("undid %d changes", len(past.Undoes))
	}
	earlier, err := o.vault.PastChange(ctx, past.Undoes[0])
	if err != nil {
		return "undid change " + past.Undoes[0] // which has expired, or is closed to the caller
	}
	return "undid: " + summaryOf(earlier)
}
