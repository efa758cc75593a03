package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/guide"
	"obsidian-mcp/internal/ops"
)

// prompt is a text that a user can start from.
type prompt struct {
	name, title, about string
	needs              string // the tool without which it makes no sense
	arguments          []argument
	text               func(ctx context.Context, given map[string]string) (string, error)
}

// argument is a blank that a prompt has.
type argument struct {
	name, about string
	required    bool
	completes   ops.Completes
}

// prompts lists all prompts.
func (s *Server) prompts() []prompt {
	return []prompt{
		{
			name: "context", title: "What to know of this vault", about: aboutContext,
			text: func(ctx context.Context, _ map[string]string) (string, error) { return s.options.Context(ctx) },
		},
		{
			name: "devlog", title: "Keep a development log", about: "How to write an entry into the log of a topic, devlog/{topic}.md.", needs: "note_upsert",
			arguments: []argument{
				{name: "topic", about: "what the log is about; the name of its note", completes: ops.CompleteTopic},
				{name: "project", about: "the project that it belongs to", completes: ops.CompleteProject},
			},
			text: fixed(func(given map[string]string) string { return guide.Devlog(given["topic"], given["project"]) }),
		},
		{
			name: "adr", title: "Record a decision", about: "How to write an architecture decision record, adr/ADR-{NNN}-{slug}.md, and list it in _index.md.", needs: "note_upsert",
			arguments: []argument{
				{name: "title", about: "the decision in a few words"},
				{name: "project", about: "the project that it is for", completes: ops.CompleteProject},
			},
			text: fixed(func(given map[string]string) string { return guide.ADR(given["title"], given["project"]) }),
		},
		{
			name: "review", title: "Review a note", about: "What is unclear, outdated or missing in a note, or in one section of it.",
			arguments: []argument{
				{name: "note", about: "note name or path", required: true, completes: ops.CompleteNote},
				{name: "heading", about: "one section alone", completes: ops.CompleteHeading},
			},
			text: fixed(reviewText),
		},
		{
			name: "gather", title: "Gather notes by tag", about: "An overview of what the notes with a tag say, grouped by a property if you like.",
			arguments: []argument{
				{name: "tag", about: "the tag, without #; its children count too", required: true, completes: ops.CompleteTag},
				{name: "property", about: "a property to group the notes by", completes: ops.CompleteProperty},
			},
			text: fixed(gatherText),
		},
	}
}

// fixed is the text of a prompt that depends on its arguments alone.
func fixed(text func(map[string]string) string) func(context.Context, map[string]string) (string, error) {
	return func(_ context.Context, given map[string]string) (string, error) { return text(given), nil }
}

func reviewText(given map[string]string) string {
	what := fmt.Sprintf("the note %q. Read it with read_note first, and look where it stands with get_links.", given["note"])
	if heading := given["heading"]; heading != "" {
		what = fmt.Sprintf("the section %q of the note %q. Read it with read_section first, and get_headings for what is around it.", heading, given["note"])
	}
	return "Review " + what + `

Then tell me, shortly and in this order:
1. What it says, in two or three sentences.
2. What is wrong, contradictory, outdated or hard to follow. Quote the words that you mean.
3. What is missing: questions that a reader is left with, notes that it should link to.
4. The changes that you propose, the most useful first.

Change nothing before I agree. Then make only the changes that I chose, with update_section or replace_text.`
}

func gatherText(given map[string]string) string {
	tag := strings.TrimPrefix(given["tag"], "#")
	text := fmt.Sprintf(`Give me an overview of the notes with the tag #%s.

Find them with search_notes (query %q, mode "tag"), page by page until you have all, and read those that matter for the overview.`, tag, tag)
	if property := given["property"]; property != "" {
		text += fmt.Sprintf(" Group them by the property %q (get_note_metadata has it), and name those without it at the end.", property)
	}
	return text + `

For each note one line: its name as a [[link]] and what it adds. Then what they agree on, where they contradict each other, and what is still open. Say which note each statement is from, and do not fill gaps from elsewhere.

Change nothing, and make no note of it unless I ask.`
}

// offerPrompts registers the prompts that the tools on offer can follow.
func (s *Server) offerPrompts() {
	for _, one := range s.prompts() {
		if one.needs != "" {
			if _, err := s.options.Tools.Find(inStyle(one.needs, s.options.Tools, s.options.Style)); err != nil {
				continue
			}
		}
		described := &sdk.Prompt{Name: one.name, Title: one.title, Description: one.about}
		for _, blank := range one.arguments {
			described.Arguments = append(described.Arguments, &sdk.PromptArgument{Name: blank.name, Description: blank.about, Required: blank.required})
		}
		s.sdk.AddPrompt(described, s.promptHandler(one))
	}
}

func (s *Server) promptHandler(one prompt) sdk.PromptHandler {
	return func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		given := map[string]string{}
		for _, blank := range one.arguments {
			given[blank.name] = strings.TrimSpace(req.Params.Arguments[blank.name])
			if blank.required && given[blank.name] == "" {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("the prompt '%s' needs the argument '%s'", one.name, blank.name)}
			}
		}
		ctx, cancel := s.limited(ctx)
		defer cancel()
		text, err := one.text(ctx, given)
		if err != nil {
			return nil, s.callError(err, nil)
		}
		return &sdk.GetPromptResult{
			Description: one.about,
			Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: inStyle(text, s.options.Tools, s.options.Style)}}},
		}, nil
	}
}
