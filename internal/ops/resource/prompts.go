package resource

import (
	"context"
	"fmt"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/ops/resource/guide"
)

// Prompt is a text from which a user can start a conversation.
type Prompt struct {
	Name, Title, About string
	Needs              string // the tool without which the prompt makes no sense
	Arguments          []Argument

	verbatim bool // arguments are inserted as given, spaces included
	text     func(ctx context.Context, arguments map[string]string) (string, error)
}

// Argument is a blank that the user fills in.
type Argument struct {
	Name, About string
	Required    bool
	Default     string // what it is if it is not given
	Completes   Completes
	Property    string // whose values CompleteValue lists
}

// Prompts lists the built-in prompts. The prompt "context" is the context block, as block returns it.
func Prompts(block func(context.Context) (string, error)) []Prompt {
	return []Prompt{
		{
			Name: "context", Title: ContextTitle, About: AboutContext,
			text: func(ctx context.Context, _ map[string]string) (string, error) { return block(ctx) },
		},
		{
			Name: "devlog", Title: "Keep a development log", Needs: "note_upsert",
			About: "How to write an entry into the log of a topic, devlog/{topic}.md.",
			Arguments: []Argument{
				{Name: "topic", About: "what the log is about; the name of its note", Completes: CompleteTopic},
				{Name: "project", About: "the project that it belongs to", Completes: CompleteValue, Property: projectProperty},
			},
			text: fixed(func(arguments map[string]string) string {
				return guide.Devlog(arguments["topic"], arguments["project"])
			}),
		},
		{
			Name: "adr", Title: "Record a decision", Needs: "note_upsert",
			About: "How to write an architecture decision record, adr/ADR-{NNN}-{slug}.md, and list it in _index.md.",
			Arguments: []Argument{
				{Name: "title", About: "the decision in a few words"},
				{Name: "project", About: "the project that it is for", Completes: CompleteValue, Property: projectProperty},
			},
			text: fixed(func(arguments map[string]string) string {
				return guide.ADR(arguments["title"], arguments["project"])
			}),
		},
		{
			Name: "review", Title: "Review a note", About: "What is unclear, outdated or missing in a note, or in one section of it.",
			Arguments: []Argument{
				{Name: "note", About: "note name or path", Required: true, Completes: CompleteNote},
				{Name: "heading", About: "only this section", Completes: CompleteHeading},
			},
			text: fixed(reviewText),
		},
		{
			Name: "gather", Title: "Gather notes by tag",
			About: "An overview of what the notes with a tag say, grouped by a property if you like.",
			Arguments: []Argument{
				{Name: "tag", About: "the tag, without #; its children count too", Required: true, Completes: CompleteTag},
				{Name: "property", About: "a property to group the notes by", Completes: CompleteProperty},
			},
			text: fixed(gatherText),
		},
	}
}

// Argument returns the argument with this name.
func (p Prompt) Argument(name string) (Argument, bool) {
	for _, argument := range p.Arguments {
		if argument.Name == name {
			return argument, true
		}
	}
	return Argument{}, false
}

// Fill returns the values of the prompt's arguments, without those it does not have. A required argument
// that is missing is InvalidArgument.
func (p Prompt) Fill(values map[string]string) (map[string]string, error) {
	filled := map[string]string{}
	for _, argument := range p.Arguments {
		value := values[argument.Name]
		if strings.TrimSpace(value) == "" {
			value = argument.Default
		}
		if !p.verbatim {
			value = strings.TrimSpace(value)
		}
		if argument.Required && value == "" {
			return nil, fault.InvalidArgument.Errorf("the prompt '%s' needs the argument '%s'", p.Name, argument.Name)
		}
		filled[argument.Name] = value
	}
	return filled, nil
}

// Text returns the prompt for arguments that Fill has returned.
func (p Prompt) Text(ctx context.Context, filled map[string]string) (string, error) {
	return p.text(ctx, filled)
}

// fixed is the text of a prompt that depends on its arguments only.
func fixed(text func(map[string]string) string) func(context.Context, map[string]string) (string, error) {
	return func(_ context.Context, arguments map[string]string) (string, error) { return text(arguments), nil }
}

func reviewText(arguments map[string]string) string {
	note, heading := arguments["note"], arguments["heading"]
	subject := fmt.Sprintf("the note %q. Read it with read_note first, and see with get_links what it is connected to.", note)
	if heading != "" {
		subject = fmt.Sprintf("the section %q of the note %q. Read it with read_section first, and see with get_headings what is around it.", heading, note)
	}
	return "Review " + subject + `

Then tell me, briefly and in this order:
1. What it says, in two or three sentences.
2. What is wrong, contradictory, outdated or hard to follow. Quote the words you mean.
3. What is missing: open questions of a reader, notes that it should link to.
4. The changes you propose, the most useful first.

Change nothing before I agree. Then make only the changes that I choose, with update_section or replace_text.`
}

func gatherText(arguments map[string]string) string {
	tag := strings.TrimPrefix(arguments["tag"], "#")
	text := fmt.Sprintf(`Give me an overview of the notes with the tag #%s.

Find them with search_notes (query %q, mode "tag"), page by page until you have all, and read those that matter for the overview.`, tag, tag)
	if property := arguments["property"]; property != "" {
		text += fmt.Sprintf(" Group them by the property %q (get_note_metadata has it), and name those without it at the end.", property)
	}
	return text + `

For each note one line: its name as a [[link]] and what it adds. Then what they agree on, where they contradict each other, and what is still open. Say which note each statement is from, and do not fill gaps from elsewhere.

Change nothing, and do not write a note about it unless I ask.`
}
