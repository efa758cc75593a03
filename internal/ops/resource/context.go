package resource

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/text/order"
)

// InstructionTag marks the notes that hold instructions for an assistant.
const InstructionTag = "claude"

// ContextURI is where clients can read the context block at any time.
const ContextURI = "obsidian-mcp://context"

// ContextTitle and AboutContext describe the block to clients.
const (
	ContextTitle = "What to know about this vault"
	AboutContext = "Notes with instructions for the assistant, and the tags it may use."
)

// contextWarning is the last line of the block.
const contextWarning = "NEVER create new tags without explicit user permission."

// Context returns the context block: what an assistant should know before it works in a vault, namely which notes to
// read and which tags it may use.
func (c *Catalog) Context(ctx context.Context) (string, error) {
	s, err := c.vault.Texts(ctx)
	if err != nil {
		return "", err
	}
	tags := "This vault has no tags yet."
	if shown, total := s.TopTags(MaxTags); total > 0 {
		tags = strings.Join(shown, ", ") + OfTags(len(shown), total)
	}
	return contextHeading + "\n\n" + instructions(s) + "\n\nUse read_note() to access full content when needed.\n\n## Allowed tags\n\n" +
		tags + "\n\n" + contextWarning, nil
}

// MaxTags is how many tags a list of the allowed ones names; of more, it names those that most notes have.
const MaxTags = 100

// OfTags ends such a list, if it does not name all tags.
func OfTags(shown, total int) string {
	if shown == total {
		return ""
	}
	return fmt.Sprintf(", … (%d in all)", total)
}

const contextHeading = "## Your personal notes"

// Appended returns the context block in the form in which it ends the first answer of a session.
func Appended(block string) string { return "\n\n---\n" + block + "\n---" }

// WithoutContext removes the block from text that was read with it: a client that writes a note back as it was
// answered does not mean the block to be part of the note.
func WithoutContext(text string) string {
	if !strings.HasSuffix(strings.TrimRight(text, "\n"), "\n\n"+contextWarning+"\n---") {
		return text
	}
	if start := strings.LastIndex(text, "\n\n---\n"+contextHeading+"\n"); start >= 0 {
		return text[:start]
	}
	return text
}

// instructions lists the notes that hold instructions, one line each.
func instructions(s *index.Snapshot) string {
	type line struct{ name, text string }
	var lines []line
	for _, path := range s.Tagged(InstructionTag, false) {
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
	order.By(lines, func(a, b line) int { return cmp.Compare(a.name, b.name) })
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = line.text
	}
	return strings.Join(texts, "\n")
}

// description returns a note's property of that name, on one line.
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
