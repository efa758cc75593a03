package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md/front"
)

// instructionTag marks the notes that hold instructions for an assistant.
const instructionTag = "claude"

// Context is what an assistant should know of a vault before it works in it:
// which notes to read, and which tags it may use.
func (o *Ops) Context(ctx context.Context) (string, error) {
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString("## Your personal notes\n\n")
	out.WriteString(instructions(s))
	out.WriteString("\n\nUse read_note() to access full content when needed.\n\n## Allowed tags\n\n")
	if tags := s.Tags(); len(tags) > 0 {
		out.WriteString(strings.Join(tags, ", "))
	} else {
		out.WriteString("This vault has no tags yet.")
	}
	out.WriteString("\n\nNEVER create new tags without explicit user permission.")
	return out.String(), nil
}

// What the block that is appended to a session's first answer starts and ends
// with.
const (
	contextStart = "\n\n---\n## Your personal notes\n"
	contextEnd   = "\n\nNEVER create new tags without explicit user permission.\n---"
)

// withoutContext takes the block off text that was read with it: whoever
// writes a note back as it was answered does not mean it to be in the note.
func withoutContext(text string) string {
	if !strings.HasSuffix(strings.TrimRight(text, "\n"), contextEnd) {
		return text
	}
	if start := strings.LastIndex(text, contextStart); start >= 0 {
		return text[:start]
	}
	return text
}

// instructions lists the notes that hold some.
func instructions(s *index.Snapshot) string {
	type line struct{ name, text string }
	var lines []line
	for _, path := range s.Tagged(instructionTag, false) {
		text := description(s.Entry(path))
		if text == "" {
			text = "⚠️ No description. Claude, please add a 'description' field to this note's frontmatter explaining when to read it."
		}
		name := s.Name(path)
		lines = append(lines, line{name, `- "` + name + `" — ` + text})
	}
	if len(lines) == 0 {
		return "None yet. To leave instructions for Claude, tag a note `claude` and say in its 'description' property when to read it."
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(a.name, b.name) })
	texts := make([]string, len(lines))
	for i, one := range lines {
		texts[i] = one.text
	}
	return strings.Join(texts, "\n")
}

// description is a note's property of that name, on one line.
func description(entry *index.Entry) string {
	block, err := entry.Properties()
	if err != nil {
		return ""
	}
	value, _ := block.Get("description")
	if value.Kind == front.List {
		return ""
	}
	return strings.Join(strings.Fields(value.Text), " ")
}
