package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/wire"
)

// SmallSet is the word in a list of toolsets that offers few tools, through which all others are reached.
const SmallSet = "small"

// smallTools are the tools that a small surface shows itself, and the parameters that it lists of some of them.
var smallTools = []struct {
	name   string
	params []string // nil: all
}{
	{"find_notes", []string{"query", "tags", "path_prefix", "limit", "offset"}},
	{"gather_context", nil}, {"read_note", nil}, {"read_notes", nil}, {"create_note", nil}, {"append_section", nil},
	{"update_section", nil}, {"replace_text", nil}, {"set_frontmatter", nil}, {"rename_note", nil},
	{"append_periodic_note", nil}, {"undo_change", nil},
}

// IsSmall reports whether a list of toolsets asks for the small surface.
func IsSmall(list string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(word string) bool { return strings.TrimSpace(word) == SmallSet })
}

// Small returns the few tools that clients and models with little room are shown: the ones used most, and tools to find
// and call all others of the registry.
func (r *Registry) Small() *Registry {
	small := &Registry{}
	for _, chosen := range smallTools {
		if t, err := r.Find(chosen.name); err == nil {
			small.tools = append(small.tools, t.listing(chosen.params))
		}
	}
	small.tools = append(small.tools, findTool.Reaching(r), callReadTool.Reaching(r))
	if slices.ContainsFunc(r.tools, func(t Tool) bool { return t.Effect != Reads }) {
		small.tools = append(small.tools, callTool.Reaching(r))
	}
	return small
}

// listing returns a tool that lists only some of its parameters, though it takes all, and has no output schema.
func (t Tool) listing(names []string) Tool {
	t.Output = nil
	if names == nil {
		return t
	}
	t.Params = slices.Clone(t.Params)
	for i := range t.Params {
		t.Params[i].Hidden = !slices.Contains(names, t.Params[i].Name)
	}
	t.Input = inputSchema(t.Params)
	return t
}

// FindTool are the parameters of find_tool.
type FindTool struct {
	Query string `json:"query" jsonschema:"what you want to do, in a few words; empty: list all tools" default:""`
}

// CallTool are the parameters of call_tool and call_read_tool.
type CallTool struct {
	Tool      string `json:"tool" jsonschema:"its name, from find_tool"`
	Arguments Object `json:"arguments" jsonschema:"its arguments" default:"{}"`
}

// ToolFound is a tool that find_tool found. Without a query there are no schemas.
type ToolFound struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	ReadOnly    bool   `json:"read_only"`
	Input       any    `json:"input_schema,omitempty"`
}

// The tools that reach others.
var (
	findTool = Tool{Spec: Spec{
		Name: "find_tool", Toolset: SmallSet, Title: "Find a tool", Effect: Reads,
		About: "Finds more tools by what they do (links, tags, sections, history, deleting, ...), with their parameters, for call_read_tool and call_tool.",
	}, Params: paramsOf(reflect.TypeFor[FindTool]()), reaching: findsTools}
	callReadTool = Tool{Spec: Spec{
		Name: "call_read_tool", Toolset: SmallSet, Title: "Call a reading tool", Effect: Reads,
		About: "Calls a tool from find_tool that only reads.",
	}, Params: paramsOf(reflect.TypeFor[CallTool]()), reaching: callsTools}
	callTool = Tool{Spec: Spec{
		Name: "call_tool", Toolset: SmallSet, Title: "Call a tool", Effect: Destroys,
		About: "Calls any tool from find_tool, also one that changes or deletes notes.",
	}, Params: paramsOf(reflect.TypeFor[CallTool]()), reaching: callsTools}
)

// reaching says what a tool does with other tools.
type reaching uint8

const (
	reachesNone reaching = iota
	findsTools
	callsTools
)

// Reach returns the tools that a tool finds or calls, or nil if it is an ordinary tool.
func (t Tool) Reach() *Registry { return t.reach }

// Reaching returns a tool that finds or calls these tools.
func (t Tool) Reaching(tools *Registry) Tool {
	t.Input, t.reach = inputSchema(t.Params), tools
	t.call = t.find
	if t.reaching == callsTools {
		t.call = func(ctx context.Context, args json.RawMessage) (Answer, error) {
			inner, args, err := t.Resolve(args)
			if err != nil {
				return Answer{}, err
			}
			return inner.Call(ctx, args)
		}
	}
	return t
}

// Resolve returns the tool that a call really calls, and its arguments: those of call_tool for the tool that it names,
// otherwise the same. Permissions, limits and records apply to that tool.
func (t Tool) Resolve(args json.RawMessage) (Tool, json.RawMessage, error) {
	if t.reaching != callsTools {
		return t, args, nil
	}
	var in CallTool
	if err := decode(t.Params, args, &in); err != nil {
		return t, nil, err
	}
	inner, err := t.reach.Find(in.Tool)
	switch {
	case err != nil:
		return t, nil, err
	case t.Effect == Reads && inner.Effect != Reads:
		return t, nil, fault.InvalidArgument.Errorf("'%s' writes; %s calls only tools that read", inner.Name, t.Name).WithHint("use call_tool")
	}
	return inner, json.RawMessage(in.Arguments), nil
}

// maxToolsFound is how many tools find_tool describes with their schemas.
const maxToolsFound = 5

// find implements find_tool.
func (t Tool) find(ctx context.Context, args json.RawMessage) (Answer, error) {
	ctx, collected := collectHints(ctx)
	var in FindTool
	if err := decode(t.Params, args, &in); err != nil {
		return Answer{}, err
	}
	var found []ToolFound
	words := wordsOf(in.Query)
	if len(words) == 0 {
		for _, other := range t.reach.tools {
			found = append(found, ToolFound{Name: other.Name, Description: other.FirstSentence(), ReadOnly: other.Effect == Reads})
		}
	} else {
		ranked := rank(t.reach.tools, words)
		for _, other := range ranked[:min(maxToolsFound, len(ranked))] {
			found = append(found, ToolFound{other.Name, other.About, other.Effect == Reads, other.Input})
		}
		if len(ranked) > len(found) {
			AddHint(ctx, HintCut, "%d of %d shown; use more words, or an empty query for the names of all tools.", len(found), len(ranked))
		}
		if len(ranked) == 0 {
			AddHint(ctx, HintSuggest, "No tool matches; an empty query lists all.")
		}
	}
	encoded, err := wire.Encode(struct {
		Tools []ToolFound `json:"tools"`
	}{append([]ToolFound{}, found...)})
	return Answer{Text: string(encoded), JSON: encoded, Hints: collected.list()}, err
}

// wordsOf splits a text into words in lower case, without endings that hide what words have in common.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range words {
		for _, ending := range []string{"ing", "es", "ed", "s", "e"} {
			if stem, ok := strings.CutSuffix(word, ending); ok && len(stem) >= 3 {
				words[i] = stem
				break
			}
		}
	}
	return slices.DeleteFunc(words, func(word string) bool { return slices.Contains(commonWords, word) })
}

// commonWords say nothing about what a tool does, because all tools are about notes.
var commonWords = []string{"a", "an", "the", "to", "of", "in", "on", "for", "and", "or", "with", "my", "note", "tool", "all", "it", "is", "i", "from", "which", "what", "this", "that", "one"}

// rank returns the tools that have at least one of the words, those with most first. Words of the name count most.
func rank(tools []Tool, words []string) []Tool {
	scores := map[string]int{}
	var found []Tool
	for _, t := range tools {
		name, about := wordsOf(t.Name+" "+t.Title), wordsOf(t.About)
		for _, param := range t.Params {
			about = append(about, wordsOf(param.Name)...)
		}
		for _, word := range words {
			switch {
			case slices.Contains(name, word):
				scores[t.Name] += 3
			case slices.Contains(about, word):
				scores[t.Name]++
			}
		}
		if scores[t.Name] > 0 {
			found = append(found, t)
		}
	}
	order.Stably(found, func(a, b Tool) int { return cmp.Compare(scores[b.Name], scores[a.Name]) })
	return found
}
