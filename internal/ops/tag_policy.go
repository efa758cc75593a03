package ops

import (
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/vault/call"
)

// TagPolicy says which writes may bring new tags into a vault.
type TagPolicy string

// The policies.
const (
	TagsOff    TagPolicy = "off"    // any tag may be written
	TagsNotes  TagPolicy = "notes"  // the notes tools write only known tags into frontmatter
	TagsStrict TagPolicy = "strict" // all tools write only known tags, in the text too
)

// TagRule is a condition on notes that have a tag.
type TagRule struct {
	Tag        string
	NamePrefix string   // what the note's base name must start with
	Requires   []string // properties that must not be empty
	Error      string
}

// DefaultTagRules are the rules of a vault that does not set its own.
var DefaultTagRules = []TagRule{
	{Tag: "Person", NamePrefix: "@", Error: "Tag 'Person' is for people notes only. Note name must start with '@' (e.g. '@John Doe')."},
	{Tag: "claude", Requires: []string{"description"},
		Error: "Tag 'claude' marks instructions for Claude AI. Requires 'description' field in frontmatter " +
			"explaining when to read the note."},
}

// tagGuard refuses writes that the policy or a rule forbids.
type tagGuard struct {
	policy  TagPolicy
	rules   []TagRule
	limited bool // the caller does not act for the vault's owner
}

// checkEdit checks an edit of a note by one of the notes tools.
func (g tagGuard) checkEdit(ctx context.Context, s *index.Snapshot, path vpath.Path, before *md.Note, splices []md.Splice) error {
	if len(splices) == 0 || g.policy != TagsStrict && !g.limited && onlyBody(before, splices) {
		return nil
	}
	return g.check(ctx, s, path, before, md.Scan(md.Apply(before.Source, splices)), g.policy != TagsOff)
}

// onlyBody reports whether splices leave the frontmatter of a note as it is.
func onlyBody(before *md.Note, splices []md.Splice) bool {
	return before.Front.Present && !slices.ContainsFunc(splices, func(change md.Splice) bool { return change.Start < before.Body })
}

// checkNew checks a note that is to be created.
func (g tagGuard) checkNew(ctx context.Context, s *index.Snapshot, path vpath.Path, after []byte) error {
	return g.check(ctx, s, path, md.Scan(nil), md.Scan(after), g.policy != TagsOff)
}

// check compares a note before and after a write: new tags must be known, and no rule
// may be broken that was kept before.
func (g tagGuard) check(ctx context.Context, s *index.Snapshot, path vpath.Path, before, after *md.Note, list bool) error {
	if err := g.checkOwner(before, after); err != nil {
		return err
	}
	had, has := writtenTags(before), writtenTags(after)
	if value, ok := tagsValue(before); ok && value.Kind == front.Text && strings.Contains(value.Text, ",") {
		if now, _ := tagsValue(after); now.Equal(value) {
			has = nil // unchanged
		}
		had = nil // "a, b" becomes a list of tags only with this edit
	}
	if list {
		added := newTags(had, has)
		if g.policy == TagsStrict {
			added = append(added, newTags(inlineTags(before), inlineTags(after))...)
		}
		if err := checkAllowed(ctx, s, added); err != nil {
			return err
		}
	}
	for _, rule := range g.rules {
		if rule.broken(path, after, has) && !rule.broken(path, before, had) {
			return fault.TagNotAllowed.Errorf("%s", rule.Error)
		}
	}
	return nil
}

// errInstructions keeps callers that see only a part of the vault from giving
// instructions to the assistants of callers that see all of it: these are shown the
// notes with this tag at the start of every session.
var errInstructions = fault.PermissionDenied.Errorf(
	"Tag '%s' marks instructions by the vault's owner: you may not write, move or delete such notes", resource.InstructionTag)

// isInstruction reports whether a note has that tag, in its frontmatter or text.
func isInstruction(note *md.Note) bool {
	return slices.ContainsFunc(allTags(note), func(tag string) bool {
		return vpath.FoldKey(tag) == resource.InstructionTag
	})
}

// checkOwner refuses a write of instructions by a limited caller.
func (g tagGuard) checkOwner(before, after *md.Note) error {
	if g.limited && (isInstruction(before) || isInstruction(after)) {
		return errInstructions
	}
	return nil
}

// checkMove refuses to move or delete such a note for a limited caller.
func (g tagGuard) checkMove(s *index.Snapshot, path vpath.Path) error {
	if g.limited && slices.Contains(s.Tagged(resource.InstructionTag, false), path) {
		return errInstructions
	}
	return nil
}

// checkAllowed refuses tags that no note of the vault has, except those whose last use the caller has just removed. A
// vault without tags has no list to enforce.
func checkAllowed(ctx context.Context, s *index.Snapshot, tags []string) error {
	var bad []string
	for _, tag := range tags {
		if _, exists := s.Tag(tag); !exists && !slices.Contains(bad, tag) && !call.DroppedTag(ctx, string(vpath.FoldKey(tag))) {
			bad = append(bad, tag)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	allowed, total := s.TopTags(resource.MaxTags)
	if total == 0 {
		return nil
	}
	slices.Sort(bad)
	refusal := fault.TagNotAllowed.Errorf("Tags not in allowed list: [%s]. Allowed: [%s%s]. Ask user before creating new tags.",
		quoted(bad), quoted(allowed), resource.OfTags(len(allowed), total))
	refusal.Err = unknownTags(bad)
	return refusal
}

// unknownTags is the cause of a refusal: tags that the vault does not have.
type unknownTags []string

func (t unknownTags) Error() string { return "unknown tags: " + quoted(t) }

func quoted(words []string) string {
	parts := make([]string, len(words))
	for i, word := range words {
		parts[i] = "'" + word + "'"
	}
	return strings.Join(parts, ", ")
}

// writtenTags returns the tags of a note's frontmatter as written, valid or not:
// invalid ones must not slip through either.
func writtenTags(note *md.Note) []string {
	value, ok := tagsValue(note)
	if !ok {
		return nil
	}
	items := value.Items
	if value.Kind != front.List {
		items = []front.Value{value}
	}
	var tags []string
	for _, item := range items {
		if item.Kind == front.Null {
			continue
		}
		for part := range strings.SplitSeq(item.Text, ",") {
			if part = strings.TrimPrefix(strings.TrimSpace(part), "#"); part != "" {
				tags = append(tags, part)
			}
		}
	}
	return tags
}

// tagsValue returns the property "tags" of a note.
func tagsValue(note *md.Note) (front.Value, bool) {
	block, err := front.Parse(note)
	if err != nil {
		return front.Value{}, false
	}
	return block.Get("tags")
}

// allTags returns the tags of a note's frontmatter and text, as written.
func allTags(note *md.Note) []string { return append(writtenTags(note), inlineTags(note)...) }

func inlineTags(note *md.Note) []string {
	tags := make([]string, len(note.Tags))
	for i, span := range note.Tags {
		tags[i] = string(span.Of(note.Source)[1:])
	}
	return tags
}

func newTags(before, after []string) []string {
	var added []string
	for _, tag := range after {
		if !hasTag(before, tag) {
			added = append(added, tag)
		}
	}
	return added
}

func hasTag(tags []string, tag string) bool {
	return slices.ContainsFunc(tags, func(other string) bool { return vpath.FoldKey(other) == vpath.FoldKey(tag) })
}

// broken reports whether a note has the rule's tag but does not meet its conditions.
func (r TagRule) broken(path vpath.Path, note *md.Note, tags []string) bool {
	if !hasTag(tags, r.Tag) {
		return false
	}
	if !strings.HasPrefix(path.Base(), r.NamePrefix) {
		return true
	}
	block, err := edit.Properties(note)
	for _, key := range r.Requires {
		if err != nil || isEmptyProperty(block, key) {
			return true
		}
	}
	return false
}

func isEmptyProperty(block *front.Block, key string) bool {
	value, ok := block.Get(key)
	return !ok || value.Kind == front.Null || strings.TrimSpace(value.Text) == "" && len(value.Items) == 0 && len(value.Fields) == 0
}
