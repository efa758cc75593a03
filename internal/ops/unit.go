package ops

import (
	"context"
	"errors"
	"fmt"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
)

// exclusively runs a change of several notes while no other such change runs, and repeats it while it meets conflicts.
func exclusively[T any](ctx context.Context, o *Ops, expected string, once func() (T, error)) (T, error) {
	done, err := o.vault.Exclusive(ctx)
	if err != nil {
		var none T
		return none, err
	}
	defer done()
	return retryConflicts(ctx, expected, once)
}

// unit is a call that changes many notes as one: what it learns on the way, and how it ends.
type unit struct {
	ops     *Ops
	s       *index.Snapshot
	had     []string // tags of the changed notes
	unknown []string // tags that the vault does not have yet
	said    []string // hints
}

// consent is what the caller says about a change: that it is only tried, or the confirmation of what the words name.
type consent struct {
	dryRun  bool
	confirm string
	words   []string
}

// allow keeps new tags until the caller is asked about all of them; any other refusal stands.
func (u *unit) allow(refusal error) error {
	if tags, ok := errors.AsType[unknownTags](refusal); ok {
		u.unknown = append(u.unknown, tags...)
		return nil
	}
	return refusal
}

// say keeps a hint until the call has succeeded.
func (u *unit) say(format string, args ...any) {
	u.said = append(u.said, fmt.Sprintf(format, args...))
}

// finish commits the changes if the caller consents to that number of files, and gives the hints.
func (u *unit) finish(
	ctx context.Context, by consent, touched int, changes []store.Change,
	commit func(context.Context, []store.Change) ([]store.Result, error),
) error {
	if err := u.ops.askForTags(ctx, u.s, u.unknown, by.dryRun); err != nil {
		return err
	}
	if by.dryRun || len(changes) == 0 {
		u.ops.confirm.preview(ctx, touched, by.words...)
	} else {
		if err := u.ops.confirm.check(ctx, touched, by.confirm, by.words...); err != nil {
			return err
		}
		if _, err := commit(ctx, changes); err != nil {
			return err
		}
		u.ops.noteDroppedTags(ctx, u.had)
	}
	for _, said := range u.said {
		tool.AddHint(ctx, tool.HintSuggest, "%s", said)
	}
	return nil
}

// mayWrite refuses a note that the caller may not write, under the name that the caller gave it.
func (o *Ops) mayWrite(path vpath.Path, name string) error {
	if err := o.vault.CheckUnguarded(path); err != nil {
		return err
	}
	if !o.vault.MayWrite(path) {
		return o.vault.Closed(name)
	}
	return nil
}
