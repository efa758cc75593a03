package ops

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/merge"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// ResolveConflict are the parameters of resolve_conflict.
type ResolveConflict struct {
	Note         string `json:"note" jsonschema:"name or path"`
	Choose       string `json:"choose" jsonschema:"merge, the id of a side from find_conflicts, or text" default:"merge"`
	Text         string `json:"text" jsonschema:"for choose=text: the whole note as it should be" default:""`
	DryRun       bool   `json:"dry_run"`
	Confirm      string `json:"confirm" hidden:"true"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// ConflictResolved is the result of resolve_conflict.
type ConflictResolved struct {
	tool.Meta `json:"-"`
	Note      string   `json:"note"`
	Merged    bool     `json:"merged"`
	KeptBoth  []string `json:"kept_both"`
	Diff      string   `json:"diff"`
	DryRun    bool     `json:"dry_run"`
}

var resolveConflict = tool.New(tool.Spec{
	Name: "resolve_conflict", Toolset: "sync", Title: "Resolve a sync conflict", Effect: tool.Destroys, OnlyNamed: true,
	About: "Ends the conflict of a note or file that two devices changed at the same time. merge joins all sides by lines, words, properties and tasks; what cannot be joined is kept twice, marked with a %% comment %% and listed in kept_both. " +
		"A side's id keeps that side, text writes what you give. What is dropped stays in the history. Try dry_run first; find_conflicts lists the conflicts.",
}, (*Ops).ResolveConflict)

// What to choose besides a side.
const (
	chooseMerge = "merge"
	chooseText  = "text"
)

// ResolveConflict ends the conflict of a file.
func (o *Ops) ResolveConflict(ctx context.Context, in ResolveConflict) (ConflictResolved, error) {
	return exclusively(ctx, o, in.ExpectedHash, func() (ConflictResolved, error) { return o.resolveOnce(ctx, in) })
}

// resolution is one call of resolve_conflict.
type resolution struct {
	ops      *Ops
	in       ResolveConflict
	s        *index.Snapshot
	found    foundConflict
	versions []store.File // of the sides; those in which the file was deleted have no Data
	result   []byte
	keptBoth []string
}

func (o *Ops) resolveOnce(ctx context.Context, in ResolveConflict) (ConflictResolved, error) {
	r := &resolution{ops: o, in: in, keptBoth: []string{}}
	var err error
	if r.s, r.found, err = o.conflictOf(ctx, in.Note); err != nil {
		return ConflictResolved{}, err
	}
	for _, step := range []func(context.Context) error{r.checkAllowed, r.read, r.choose, r.checkResult} {
		if err := step(ctx); err != nil {
			return ConflictResolved{}, err
		}
	}
	done := ConflictResolved{Note: string(r.found.path), Merged: in.Choose == chooseMerge, DryRun: in.DryRun}
	if r.found.kind == inRevisions {
		err = r.commitRevisions(ctx)
	} else {
		err = r.commitCopies(ctx)
	}
	if err != nil {
		return ConflictResolved{}, err
	}
	done.Meta = tool.Meta{"hash": store.Hash(r.result), "changed": !in.DryRun}
	done.KeptBoth, done.Diff = r.keptBoth, r.diff()
	r.hint(ctx)
	return done, nil
}

// checkAllowed refuses what the caller may not write, move or delete.
func (r *resolution) checkAllowed(context.Context) error {
	if err := r.ops.mayWrite(r.found.path, r.in.Note); err != nil {
		return err
	}
	for _, side := range r.found.sides {
		if err := r.ops.mayWrite(side.path, side.id); err != nil {
			return err
		}
		if err := r.ops.tags.checkMove(r.s, side.path); err != nil {
			return err
		}
	}
	return nil
}

// read reads all sides.
func (r *resolution) read(ctx context.Context) error {
	for i, side := range r.found.sides {
		var file store.File
		var err error
		switch {
		case side.deleted:
		case r.found.kind == inRevisions && i > 0:
			file, err = r.ops.vault.Branch(ctx, side.path, side.rev, vault.MaxFile)
		default:
			file, err = r.ops.vault.Read(ctx, side.path, vault.MaxFile)
		}
		if err == nil && r.found.kind == inCopies {
			err = vault.CheckResolved(file.Info)
		}
		if err != nil {
			return err
		}
		r.versions = append(r.versions, file)
	}
	first := r.found.sides[0]
	if r.found.kind == inRevisions && !first.deleted && r.versions[0].Rev != first.rev {
		return fault.Conflict.Errorf("'%s' has changed since it was read", first.path).WithHint("read it again")
	}
	if first.deleted {
		return vault.ExpectAbsent(first.path, r.in.ExpectedHash)
	}
	return vault.Expect(first.path, r.versions[0].Data, r.in.ExpectedHash)
}

// choose makes the resulting text.
func (r *resolution) choose(ctx context.Context) error {
	if r.in.Choose != chooseText && r.in.Text != "" {
		return fault.InvalidArgument.Errorf("text needs choose=text, not choose=%s", r.in.Choose)
	}
	switch r.in.Choose {
	case chooseMerge:
		return r.merge(ctx)
	case chooseText:
		if !r.found.path.IsNote() {
			return fault.InvalidArgument.Errorf("'%s' is not a Markdown note; choose one of its sides", r.found.path)
		}
		if r.in.Text == "" {
			return fault.InvalidArgument.Errorf("'text' is missing: what should the note contain?")
		}
		r.result = []byte(r.in.Text)
		return checkFresh(ctx, r.found.path, r.versions[0].Data, r.in.ExpectedHash, guardsPart)
	}
	at := slices.IndexFunc(r.found.sides, func(side conflictSide) bool { return side.id == r.in.Choose })
	switch {
	case at < 0:
		return fault.InvalidArgument.Errorf("'%s' is not a side of the conflict", r.in.Choose).WithHint("choose merge, text, %s", strings.Join(r.ids(), " or "))
	case r.found.sides[at].deleted:
		return fault.InvalidArgument.Errorf("'%s' is deleted in that side", r.found.path).WithHint("keep another side, and then delete the note with delete_note")
	}
	r.result = r.versions[at].Data
	return nil
}

func (r *resolution) ids() (all []string) {
	for _, side := range r.found.sides {
		all = append(all, side.id)
	}
	return all
}

// merge joins all sides. A side in which the note was deleted has nothing to add.
func (r *resolution) merge(ctx context.Context) error {
	if !r.found.path.IsNote() {
		return fault.InvalidArgument.Errorf("only Markdown notes can be merged, and '%s' is not one", r.found.path).
			WithHint("choose %s", strings.Join(r.ids(), " or "))
	}
	isFirst := true
	for i, version := range r.versions {
		switch {
		case !utf8.Valid(version.Data):
			return fault.InvalidArgument.Errorf("the side '%s' is not UTF-8 text and cannot be merged", r.found.sides[i].id).WithHint("choose one side")
		case r.found.sides[i].deleted:
			continue
		case isFirst:
			r.result, isFirst = version.Data, false
			continue
		}
		base, known, err := r.base(ctx, i)
		if err != nil {
			return err
		}
		var merged merge.Result
		if known {
			merged = merge.Notes(base, r.result, version.Data, merge.Options{Mark: true})
		} else {
			merged = merge.Unrelated(r.result, version.Data, merge.Options{Mark: true})
		}
		r.result, r.keptBoth = merged.Text, append(r.keptBoth, merged.KeptBoth...)
	}
	return nil
}

// checkResult refuses a result that may not be written.
func (r *resolution) checkResult(ctx context.Context) error {
	if err := vault.CheckSize(r.found.path, r.result); r.found.path.IsNote() && err != nil {
		return err
	}
	if !r.found.path.IsNote() {
		return nil
	}
	before, after := md.Scan(r.versions[0].Data), md.Scan(r.result)
	if r.in.Choose != chooseText { // the tags of the sides are not the caller's
		return r.ops.tags.checkOwner(before, after)
	}
	return r.ops.tags.checkEdit(ctx, r.s, r.found.path, before, []md.Splice{{Span: md.Span{End: len(before.Source)}, Text: r.result}})
}

// commitRevisions writes the result over the revision that is served, and ends the others.
func (r *resolution) commitRevisions(ctx context.Context) error {
	if r.in.DryRun {
		return nil
	}
	change := store.Change{Path: r.found.path, Base: r.versions[0].Rev, Was: r.versions[0].Data, Data: r.result}
	for _, side := range r.found.sides[1:] {
		change.Resolves = append(change.Resolves, side.rev)
	}
	results, err := r.ops.vault.Commit(ctx, []store.Change{change})
	if err == nil && len(results[0].Conflicts) > 0 {
		tool.AddHint(ctx, tool.HintCut, "Another device changed a side meanwhile, so the note is in conflict again: call resolve_conflict once more.")
	}
	return err
}

// diff shows what becomes of the file as it is now.
func (r *resolution) diff() string {
	for _, text := range [][]byte{r.versions[0].Data, r.result} {
		if !utf8.Valid(text) || len(text) > maxCompared || slices.Contains(text, 0) {
			return ""
		}
	}
	name := string(r.found.path)
	return cutDiff(unified("a/"+name, r.versions[0].Data, "b/"+name, r.result))
}

// hint says what to look at: lines that a merge kept twice, and how many were dropped, in a merge because one side had deleted them.
func (r *resolution) hint(ctx context.Context) {
	if r.in.Choose == chooseMerge {
		if len(r.keptBoth) > 0 {
			tool.AddHint(ctx, tool.HintSuggest, "%d lines could not be joined and are there in both versions; look at kept_both.", len(r.keptBoth))
		}
	}
	switch dropped := r.dropped(); {
	case dropped == 0:
	case r.ops.vault.HasHistory():
		tool.AddHint(ctx, tool.HintSuggest, "Not in the result, but in the history: %s of the sides.", amount.Of(dropped, "line"))
	default:
		tool.AddHint(ctx, tool.HintSuggest, "Not in the result, and in no history: %s of the sides.", amount.Of(dropped, "line"))
	}
}

// dropped counts the lines of the sides that the result does not have, not even joined word by word with others.
func (r *resolution) dropped() int {
	lines := map[string]bool{}
	for _, version := range r.versions {
		for _, line := range merge.Lost(nil, version.Data, r.result) {
			lines[strings.TrimSpace(line.Text)] = true
		}
	}
	return len(lines)
}
