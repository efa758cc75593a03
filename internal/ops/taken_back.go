package ops

import (
	"context"

	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// takenBack finds out which changes are taken back. It is shown all changes, the
// newest first: an undo comes before what it took back, and one that was taken
// back itself counts no more.
type takenBack map[string]bool

func (t takenBack) see(past vault.PastChange) {
	if past.Undoes != "" && !t[past.ID] {
		t[past.Undoes] = true
	}
}

// of tells which changes of a list are taken back, beside the list.
func (t takenBack) of(list []ListedChange) tool.Meta {
	meta, undone := tool.Meta{}, []string{}
	for _, row := range list {
		if t[row.ID] {
			undone = append(undone, row.ID)
		}
	}
	if len(undone) > 0 {
		meta["undone"] = undone
	}
	return meta
}

// isTakenBack reports whether a change is one that list_changes, asked for as
// many as it lists, marks as taken back.
func (o *Ops) isTakenBack(ctx context.Context, id string) (bool, error) {
	back, seen := takenBack{}, 0
	err := o.vault.EachPastChange(ctx, func(past vault.PastChange) bool {
		back.see(past)
		seen++
		return past.ID != id && seen < mostListed && ctx.Err() == nil
	})
	return back[id], err
}

// tookBack says in a few words what a change did; of an undo, what the change
// did that it took back.
func (o *Ops) tookBack(ctx context.Context, past vault.PastChange) string {
	if past.Undoes == "" {
		return summaryOf(past)
	}
	earlier, err := o.vault.PastChange(ctx, past.Undoes)
	if err != nil {
		return "took back change " + past.Undoes // it is not kept any more, or not for everybody to see
	}
	return "took back: " + summaryOf(earlier)
}
