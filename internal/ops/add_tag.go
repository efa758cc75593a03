package ops

import (
	"context"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/tool"
)

// AddTag are the parameters of add_tag.
type AddTag struct {
	Name         string `json:"name" jsonschema:"name or path"`
	Tag          string `json:"tag" jsonschema:"tag, with or without #"`
	Confirm      string `json:"confirm"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// Tags is the result of add_tag.
type Tags struct {
	tool.Meta `json:"-"`
	Name      string   `json:"name"`
	Tags      []string `json:"tags"`
}

var addTag = tool.New(tool.Spec{
	Name: "add_tag", Toolset: "notes", Title: "Add a tag", Effect: tool.Adds, Idempotent: true,
	About: "Adds a tag that the vault already uses to a note's frontmatter. New tags are refused: ask the user first.",
}, (*Ops).AddTag)

// AddTag adds a tag to a note's properties.
func (o *Ops) AddTag(ctx context.Context, in AddTag) (Tags, error) {
	tag, err := tagName(in.Tag)
	if err != nil {
		return Tags{}, err
	}
	var tags []string
	call := in
	call.Confirm = ""
	ctx, _ = withTagConsent(ctx, in.Confirm, "add_tag", call)
	path, edited, err := o.edit(ctx, in.Name, in.ExpectedHash, func(s *index.Snapshot, note *md.Note) ([]md.Splice, error) {
		spelling, _ := s.Tag(tag)
		splices, err := edit.AddTag(note, spelling)
		tags = frontTags(note, splices)
		return splices, err
	})
	if err != nil {
		return Tags{}, err
	}
	return Tags{changed(edited), o.name(ctx, path), tags}, nil
}

// tagName is a tag without its #.
func tagName(text string) (string, error) {
	tag := strings.TrimPrefix(strings.TrimSpace(text), "#")
	if !md.ValidTag(tag) || strings.HasPrefix(tag, "/") || strings.HasSuffix(tag, "/") || strings.Contains(tag, "//") {
		return "", fault.InvalidArgument.Errorf("'%s' is not a valid tag; use letters, digits, -, _ and /, and not only digits", text)
	}
	return tag, nil
}

// frontTags are the tags of a note's frontmatter after an edit.
func frontTags(note *md.Note, splices []md.Splice) []string {
	block, err := front.Parse(md.Scan(md.Apply(note.Source, splices)))
	if err != nil {
		return []string{}
	}
	return append([]string{}, block.Tags()...)
}
