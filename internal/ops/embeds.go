package ops

import (
	"context"
	"strings"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/embed"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
)

// withEmbeds returns a part of a note with its embeds replaced, within the limit for reading. The caller was then shown
// parts of the embedded notes too.
func (o *Ops) withEmbeds(ctx context.Context, s *index.Snapshot, part embed.Part) ([]byte, error) {
	result, err := embed.Expand(o.vault.Embeds(ctx, s), part, o.readLimit)
	if err != nil {
		return nil, err
	}
	for _, shown := range result.Shown {
		if shown.Path != part.Path {
			notePart(ctx, shown.Path, shown.Note.Source)
		}
	}
	if result.Left > 0 {
		tool.AddHint(ctx, tool.HintCut, "Embeds that did not fit and stay as links: %d. Read them on their own.", result.Left)
	}
	if result.Label != "embed" {
		tool.AddHint(ctx, tool.HintSuggest, "Embedded text is marked [!%s], because a note has [!embed] callouts of its own.", result.Label)
	}
	hintFiles(ctx, result.Files)
	return result.Text, nil
}

// hintFiles names the embedded files that are not notes.
func hintFiles(ctx context.Context, files []vpath.Path) {
	if len(files) == 0 {
		return
	}
	var names []string
	for _, file := range files[:min(maxSuggested, len(files))] {
		names = append(names, string(file))
	}
	if more := len(files) - len(names); more > 0 {
		names = append(names, "…")
	}
	tool.AddHint(ctx, tool.HintSuggest, "Embedded files stay as links; read_file shows them: %s.", strings.Join(names, ", "))
}

// partWithEmbeds returns a section or block of a note with its embeds replaced.
func (o *Ops) partWithEmbeds(ctx context.Context, s *index.Snapshot, path vpath.Path, note *md.Note, name, part string) (string, error) {
	wanted, err := partSpan(ctx, note, name, part)
	if err != nil {
		return "", err
	}
	wanted.Path = path
	text, err := o.withEmbeds(ctx, s, wanted)
	return strings.TrimRight(string(text), " \t\r\n"), err
}

// partSpan returns where a section or block of a note is.
func partSpan(ctx context.Context, note *md.Note, name, part string) (embed.Part, error) {
	found := embed.Part{Note: note}
	if isBlockID(part) {
		block, err := findBlock(ctx, note, name, part)
		found.Span, found.Block = block.Span, &block
		return found, err
	}
	section, err := findSection(ctx, note, name, part)
	if err == nil {
		found.Span = edit.SectionSpan(note, section)
	}
	return found, err
}
