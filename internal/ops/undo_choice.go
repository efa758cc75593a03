package ops

import (
	"context"
	"slices"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/vault/history"
)

// undoChoice says which changes to undo.
type undoChoice struct {
	ids     []string // these, or
	wants   func(vault.PastChange) bool
	several bool // changes that are already undone are left out
	session bool // wants selects a session by its id, which must exist
}

// choice reads which changes a call is about.
func (in UndoChange) choice(ctx context.Context) (undoChoice, error) {
	given := 0
	for _, is := range []bool{in.ID != "", len(in.IDs) > 0, in.Session != "", in.Since != ""} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return undoChoice{}, fault.InvalidArgument.Errorf("exactly one of 'id', 'ids', 'session' and 'since' must be given").
			WithHint("list_changes lists ids and sessions")
	case in.ID != "":
		return undoChoice{ids: []string{in.ID}}, nil
	case len(in.IDs) > 0:
		return undoChoice{ids: in.IDs, several: true}, nil
	case in.Session == thisSession && call.CallerOf(ctx).Session == "":
		return undoChoice{}, fault.InvalidArgument.Errorf("this call has no session").WithHint("list_changes lists sessions")
	case in.Session != "":
		return undoChoice{several: true, session: in.Session != thisSession, wants: func(past vault.PastChange) bool {
			return madeIn(ctx, past, in.Session)
		}}, nil
	}
	since, err := parseSince(in.Since, time.Now())
	return undoChoice{several: true, wants: func(past vault.PastChange) bool { return !past.Time.Before(since) }}, err
}

// chosenChanges are the changes to undo, newest first.
type chosenChanges []chosenChange

type chosenChange struct {
	change vault.PastChange
	later  laterChanges // which are not undone with it
}

func (c chosenChanges) ids() []string {
	ids := make([]string, len(c))
	for i, step := range c {
		ids[i] = step.change.ID
	}
	return ids
}

// chosenChanges finds the chosen changes among those that the caller may see.
func (o *Ops) chosenChanges(ctx context.Context, choice undoChoice) (chosenChanges, error) {
	wants, missing := choice.wants, map[string]bool{}
	for _, id := range choice.ids {
		missing[id] = true
	}
	if wants == nil {
		wants = func(past vault.PastChange) bool { return slices.Contains(choice.ids, past.ID) }
	}
	var visible []vault.PastChange // newest first
	chosen, found, undone := map[string]bool{}, false, undoneSet{}
	err := o.vault.EachPastChange(ctx, func(past vault.PastChange) bool {
		visible = append(visible, past)
		delete(missing, past.ID)
		wanted := wants(past)
		found = found || wanted
		if wanted && (!choice.several || !undone[past.ID]) {
			chosen[past.ID] = true // so an undo among them does not count
		} else {
			undone.add(past)
		}
		return ctx.Err() == nil && (len(choice.ids) == 0 || len(missing) > 0)
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	for _, id := range choice.ids {
		if missing[id] {
			return nil, history.NotFound(id)
		}
	}
	if choice.session && !found {
		return nil, fault.NotFound.Errorf("no change was made in that session").WithHint("list_changes lists sessions")
	}
	if choice.several {
		dropCancelled(visible, chosen)
	}
	return inOrder(visible, chosen), nil
}

// dropCancelled leaves out an undo together with the changes that it undid, if all of them were chosen and no other
// chosen change came in between: they have no effect.
func dropCancelled(visible []vault.PastChange, chosen map[string]bool) {
	var left []string // oldest first
	for _, past := range slices.Backward(visible) {
		if !chosen[past.ID] {
			continue
		}
		from := len(left) - len(past.Undoes)
		if len(past.Undoes) == 0 || from < 0 || !sameIDs(left[from:], past.Undoes) {
			left = append(left, past.ID)
			continue
		}
		delete(chosen, past.ID)
		for _, id := range left[from:] {
			delete(chosen, id)
		}
		left = left[:from]
	}
}

func sameIDs(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// inOrder returns the chosen changes, each with the later ones that were not chosen.
func inOrder(visible []vault.PastChange, chosen map[string]bool) chosenChanges {
	steps, later := chosenChanges{}, laterChanges{}
	for _, past := range visible {
		if chosen[past.ID] {
			steps = append(steps, chosenChange{past, slices.Clip(later)})
		} else {
			later = append(later, past)
		}
	}
	return steps
}

// explain says what prevents the undo of a change: the later change of the same note, if a tool made one.
func (c chosenChanges) explain(found vault.UndoConflict) string {
	for _, step := range c {
		if step.change.ID != found.Change || !found.Changed {
			continue
		}
		for _, past := range step.later { // newest first
			touches := func(file history.File) bool { return file.Path == string(found.Path) || file.To == string(found.Path) }
			if slices.ContainsFunc(past.Files, touches) {
				return "changed since by " + past.Tool + ", change " + past.ID
			}
		}
	}
	return found.Explain()
}
