package ops

import (
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/text/order"
)

// tag renames a tag and those nested in it.
func (r *renaming) tag(ctx context.Context) error {
	from, err := tagName(r.in.From)
	if err != nil {
		return err
	}
	to, err := tagName(r.in.To)
	if err != nil {
		return err
	}
	rename := edit.NewTagRename(from, to)
	paths := r.tagged(from, rename)
	if len(paths) == 0 {
		r.suggestTag(ctx, from)
		return fault.NotFound.Errorf("No note has the tag '%s'", from)
	}
	if existing := r.s.Tagged(to, true); len(existing) > 0 && vpath.FoldKey(from) != vpath.FoldKey(to) {
		r.say("'%s' is already a tag of %s; the two become one.", to, amount.Of(len(existing), "note"))
	}
	paths = slices.DeleteFunc(paths, func(path vpath.Path) bool {
		if isDrawing(path) {
			r.mentioned[path] = true
		}
		return isDrawing(path)
	})
	headings, err := r.headingsWith(ctx, rename, paths)
	if err != nil {
		return err
	}
	err = r.editEach(ctx, paths, func(path vpath.Path, note *md.Note) ([]md.Splice, int, error) {
		splices, err := rename.Splices(note)
		links := headings.of(r.plan, path).Note(path, note)
		splices = append(splices, links...)
		order.By(splices, func(a, b md.Splice) int { return a.Start - b.Start })
		return splices, len(links), err
	})
	if err == nil {
		err = r.followHeadings(ctx, headings, paths)
	}
	if err != nil {
		return err
	}
	return r.mentionQueries(ctx, from, "#:\"'")
}

// isDrawing reports whether a note is a drawing of Excalidraw, whose elements have their texts a second time.
func isDrawing(path vpath.Path) bool { return strings.HasSuffix(string(path), ".excalidraw.md") }

// tagged lists the notes with a tag, also those that have it in a form that Obsidian no longer reads.
func (r *renaming) tagged(tag string, rename edit.TagRename) []vpath.Path {
	paths := slices.Clone(r.s.Tagged(tag, true))
	r.s.Entries(func(entry *index.Entry) bool {
		if entry.Front == "" || !rename.MayBeIn(entry.Front) {
			return true
		}
		block, err := entry.Properties()
		if err != nil {
			return true
		}
		for _, field := range block.Fields() {
			if isTagsKey := strings.EqualFold(field.Key, "tags") || strings.EqualFold(field.Key, "tag"); isTagsKey && rename.Changes(field.Value) {
				paths = append(paths, entry.Path)
			}
		}
		return true
	})
	slices.Sort(paths)
	return slices.Compact(paths)
}

func (r *renaming) suggestTag(ctx context.Context, tag string) {
	var tags []string
	for _, count := range r.s.TagCounts() {
		tags = append(tags, count.Tag)
	}
	if near := fault.Nearest(tag, tags); near != "" {
		didYouMean(ctx, []string{near})
	}
}

// taggedHeadings are the headings that contain a renamed tag: links to them follow, in open notes among the files that the
// caller sees, in closed notes in the whole vault.
type taggedHeadings struct {
	notes            []vpath.Path
	inOpen, inClosed anchors
}

// anchors rewrite the links to parts of several notes.
type anchors []*edit.Reanchor

func (a anchors) Note(path vpath.Path, note *md.Note) []md.Splice {
	var splices []md.Splice
	for _, anchor := range a {
		splices = append(splices, anchor.Note(path, note)...)
	}
	order.By(splices, func(a, b md.Splice) int { return a.Start - b.Start })
	return splices
}

func (a anchors) Canvas(path vpath.Path, src []byte) ([]md.Splice, error) {
	var splices []md.Splice
	for _, anchor := range a {
		of, err := anchor.Canvas(path, src)
		if err != nil {
			return nil, err
		}
		splices = append(splices, of...)
	}
	order.By(splices, func(a, b md.Splice) int { return a.Start - b.Start })
	return splices, nil
}

func (h taggedHeadings) of(p *plan, path vpath.Path) anchors {
	if p.vault.Open(path) {
		return h.inOpen
	}
	return h.inClosed
}

// headingsWith finds the headings of notes that contain the tag.
func (r *renaming) headingsWith(ctx context.Context, rename edit.TagRename, paths []vpath.Path) (taggedHeadings, error) {
	var may []vpath.Path
	for _, path := range paths {
		entry := r.s.Entry(path)
		if entry != nil && slices.ContainsFunc(entry.Headings, func(heading index.Heading) bool { return rename.MayBeIn(heading.Text) }) {
			may = append(may, path)
		}
	}
	var found taggedHeadings
	for i, read := range r.plan.vault.ReadMany(ctx, may, maxPart) {
		if read.Err != nil {
			continue // editing the note says why
		}
		note := md.Scan(read.Data)
		open := rename.Headings(r.s.Paths, may[i], note)
		if open == nil {
			continue
		}
		found.notes = append(found.notes, may[i])
		found.inOpen = append(found.inOpen, open)
		found.inClosed = append(found.inClosed, rename.Headings(r.plan.vault.Snapshot.Paths, may[i], note))
	}
	return found, ctx.Err()
}

// followHeadings rewrites the links to the headings in all files that do not have the tag themselves.
func (r *renaming) followHeadings(ctx context.Context, headings taggedHeadings, tagged []vpath.Path) error {
	if len(headings.notes) == 0 {
		return nil
	}
	has := map[vpath.Path]bool{}
	for _, path := range tagged {
		has[path] = true
	}
	others := slices.DeleteFunc(r.plan.searched(r.in.DryRun).MayLinkTo(headings.notes...), func(entry *index.Entry) bool { return has[entry.Path] })
	return r.plan.rewrite(ctx, others, func(path vpath.Path, data []byte) ([]md.Splice, int) {
		splices := linkSplices(headings.of(r.plan, path), path, data)
		return splices, len(splices)
	})
}
