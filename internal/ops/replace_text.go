package ops

import (
	"context"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/tool"
)

// ReplaceText are the parameters of replace_text.
type ReplaceText struct {
	Name         string `json:"name" jsonschema:"name or path"`
	OldText      string `json:"old_text" jsonschema:"text in the body, exactly as written"`
	NewText      string `json:"new_text" jsonschema:"the replacement"`
	ReplaceAll   bool   `json:"replace_all" jsonschema:"replace every occurrence, not only the first" default:"false"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// Replaced is the result of replace_text.
type Replaced struct {
	tool.Meta `json:"-"`
	Name      string `json:"name"`
	Replaced  int    `json:"replaced"`
}

var replaceText = tool.New(tool.Spec{
	Name: "replace_text", Toolset: "notes", Title: "Replace text", Effect: tool.Destroys,
	About: "Replaces text in a note's body, never in its frontmatter. Use update_section to replace everything under a heading.",
}, (*Ops).ReplaceText)

// ReplaceText replaces text in a note's body.
func (o *Ops) ReplaceText(ctx context.Context, in ReplaceText) (Replaced, error) {
	if in.OldText == "" {
		return Replaced{}, fault.InvalidArgument.Errorf("old_text is empty")
	}
	count, matches, first := 0, 0, 0
	path, edited, err := o.edit(ctx, in.Name, in.ExpectedHash, func(_ *index.Snapshot, note *md.Note) ([]md.Splice, error) {
		var splices []md.Splice
		splices, matches = edit.ReplaceText(note, in.OldText, in.NewText, in.ReplaceAll)
		if matches == 0 {
			return nil, textNotFound(ctx, note, in.Name, in.OldText)
		}
		if count = len(splices); count < matches {
			first = note.LineOf(splices[0].Start)
		}
		return splices, nil
	})
	if err != nil {
		return Replaced{}, err
	}
	if first > 0 {
		tool.AddHint(ctx, tool.HintCut, "%d matches; replaced the first, on line %d.", matches, first)
	}
	meta := changed(edited)
	meta["matches"] = matches
	return Replaced{meta, o.name(ctx, path), count}, nil
}

// textNotFound is the error for text that a note's body does not contain.
func textNotFound(ctx context.Context, note *md.Note, name, text string) error {
	if strings.Contains(string(note.Front.Block.Of(note.Source)), text) {
		tool.AddHint(ctx, tool.HintSuggest, "The text occurs only in the frontmatter; use set_frontmatter.")
	} else if line := lineIgnoringCase(string(note.Source), text); line > 0 {
		tool.AddHint(ctx, tool.HintSuggest, "Line %d has it in another letter case.", line)
	}
	return fault.NotFound.Errorf("Text not found in '%s'", name)
}

// lineIgnoringCase returns the first line of a note that contains a line of text in any letter case, or 0.
func lineIgnoringCase(source, text string) int {
	if strings.Contains(text, "\n") {
		return 0
	}
	text = strings.ToLower(text)
	number := 0
	for line := range strings.Lines(source) {
		number++
		if strings.Contains(strings.ToLower(line), text) {
			return number
		}
	}
	return 0
}
