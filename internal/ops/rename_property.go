package ops

import (
	"context"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/amount"
)

// property renames the key of a property in every note, and its type in Obsidian's settings.
func (r *renaming) property(ctx context.Context) error {
	from, to := strings.TrimSpace(r.in.From), strings.TrimSpace(r.in.To)
	if from == "" || to == "" {
		return fault.InvalidArgument.Errorf("a property needs a name")
	}
	uses := r.s.PropertyUses("", from)
	if len(uses) == 0 {
		r.ops.suggestProperty(ctx, r.s, from)
		return fault.NotFound.Errorf("No note has a property '%s'", from)
	}
	var paths []vpath.Path
	for _, use := range uses[0].Values {
		paths = append(paths, use.Path)
	}
	if both := r.haveBoth(paths, from, to); len(both) > 0 {
		return fault.AlreadyExists.Errorf("notes with both '%s' and '%s': %s", from, to, amount.Few(both, shownCollisions)).
			WithHint("remove one of the two there first")
	}
	err := r.editEach(ctx, paths, func(_ vpath.Path, note *md.Note) ([]md.Splice, int, error) {
		splices, err := edit.RenameProperty(note, from, to)
		return splices, 0, err
	})
	if err != nil {
		return err
	}
	r.renameType(ctx, from, to)
	return r.mentionQueries(ctx, from, "")
}

// haveBoth lists the notes that have the new property already.
func (r *renaming) haveBoth(paths []vpath.Path, from, to string) []string {
	if strings.EqualFold(from, to) {
		return nil
	}
	var both []string
	have := map[vpath.Path]bool{}
	for _, path := range paths {
		have[path] = true
	}
	for _, use := range r.s.PropertyUses("", to) {
		for _, value := range use.Values {
			if have[value.Path] {
				both = append(both, string(value.Path))
			}
		}
	}
	return both
}

// renameType lets the property's type follow. A caller with limits does not change settings.
func (r *renaming) renameType(ctx context.Context, from, to string) {
	if r.plan.vault.Limited() {
		return
	}
	r.plan.editConfig(ctx, "types.json", func(src []byte) []md.Splice { return edit.RenameType(src, from, to) })
}
