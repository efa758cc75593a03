// Package tool defines what a tool is, and the registry from which everything else is
// derived: what MCP lists, get_help, the command line, the documents' tables. A tool
// is a value made from a method: its parameters and result are the method's types and
// are described nowhere else.
//
// A tool knows nothing about MCP, HTTP or terminals: it takes a struct and returns a
// struct or a fault. Surfaces decide how to present either.
package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/wire"
)

// Effect is what a tool may do to a vault.
type Effect uint8

// The effects of tools.
const (
	Reads    Effect = iota
	Adds            // writes, but removes nothing
	Destroys        // may replace or remove existing text
)

// Spec describes a tool; clients see these words.
type Spec struct {
	Name       string
	Toolset    string
	Title      string
	About      string // what it does, when to use it, and when to use another tool
	Effect     Effect
	Idempotent bool // a second call with the same arguments changes nothing more
	Needs      Need // what must be configured for it to be offered
	OnlyNamed  bool // on a vault in a folder, offered only if the settings name its toolset, or all
}

// Need is what a tool needs beside the vault. A tool that needs something reaches beyond the notes, so it is only for
// callers without limits.
type Need string

// The needs of tools; each is the key of the config file that configures it.
const (
	NeedsNothing Need = ""
	NeedsSync    Need = "sync" // the user's sync program
	NeedsADR     Need = "adr"  // a repository for decision records
	NeedsApp     Need = "app"  // Obsidian itself
)

// IsOpenWorld reports whether a tool talks to the world outside of this machine.
func (s Spec) IsOpenWorld() bool { return s.Needs == NeedsSync || s.Needs == NeedsADR }

// FirstSentence returns the first sentence of the description.
func (s Spec) FirstSentence() string {
	if end := strings.Index(s.About, ". "); end >= 0 {
		return s.About[:end+1]
	}
	return s.About
}

// Tool is a tool that can be called.
type Tool struct {
	Spec
	Params []Param
	Input  *jsonschema.Schema
	Output *jsonschema.Schema // nil if the tool answers in plain text
	call   Handler

	reaching reaching
	reach    *Registry // the tools that it finds or calls
}

// Answer is the result of a call.
type Answer struct {
	Text string          // JSON, or plain text
	JSON json.RawMessage // always an object, even if the result is a list; nil for plain text
	Meta map[string]any  // facts about the answer that are not part of it

	Media []Media // items that follow the text

	// Hints are for the model that reads the answer. An error has them too: a failed call returns an Answer with nothing
	// but hints.
	Hints []Hint
}

// Call runs the tool. Arguments are a JSON object.
func (t Tool) Call(ctx context.Context, args json.RawMessage) (answer Answer, err error) {
	defer func() {
		if problem := recover(); problem != nil { // only this call fails
			err = fault.Internal.Errorf("%s panicked: %v\n%s", t.Name, problem, debug.Stack())
		}
	}()
	return t.call(ctx, args)
}

// NeedsConfirm is the cause of a refusal that is lifted if the same call is repeated with
// confirm set to the id. A surface that can ask a person does that instead.
type NeedsConfirm struct {
	Notes int      // how many would change
	Tags  []string // that the vault does not have yet, if the call would bring in some
	ID    string
}

// Question asks a person for consent.
func (n *NeedsConfirm) Question() string {
	if len(n.Tags) > 0 {
		return fmt.Sprintf("This creates new tags: %s. Go on?", strings.Join(n.Tags, ", "))
	}
	return fmt.Sprintf("This changes %d notes. Go on?", n.Notes)
}

// Declined is the error after a person has said no.
func (n *NeedsConfirm) Declined() error {
	if len(n.Tags) > 0 {
		return fault.PermissionDenied.Errorf("the user did not agree to create the tags %s", strings.Join(n.Tags, ", "))
	}
	return fault.PermissionDenied.Errorf("the user did not agree to change %d notes", n.Notes)
}

func (n *NeedsConfirm) Error() string {
	return fmt.Sprintf("This changes %d notes. Repeat with confirm='%s'", n.Notes, n.ID)
}

// Confirmed returns a call's arguments with the confirmation id set.
func (n *NeedsConfirm) Confirmed(args json.RawMessage) (json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(args, &fields); err != nil {
		return nil, err
	}
	var err error
	if fields["confirm"], err = json.Marshal(n.ID); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// Meta is embedded in results that carry facts outside of their JSON.
type Meta map[string]any

func (m Meta) meta() map[string]any { return m }

// Text is the result of a tool that answers in plain text.
type Text struct {
	Meta `json:"-"`
	Text string
}

// List is the result of a tool that answers with a JSON array.
type List[T any] struct {
	Meta  `json:"-"`
	Items []T
}

func (l List[T]) items() any {
	if l.Items == nil {
		return []T{}
	}
	return l.Items
}

// Object is a JSON object with arbitrary keys.
type Object json.RawMessage

// MarshalJSON returns the object unchanged.
func (o Object) MarshalJSON() ([]byte, error) {
	if len(o) == 0 {
		return []byte("{}"), nil
	}
	return o, nil
}

// Definition is a tool that is not yet bound to the value it works on.
type Definition[S any] struct {
	Spec
	params        []Param
	input, output *jsonschema.Schema
	call          func(ctx context.Context, on S, args json.RawMessage) (Answer, error)
}

// New makes a tool from a method. A parameter is a field with a json name, a jsonschema
// description and, unless it is required, a default.
//
// It is compiled again for every tool, so it leaves to others what does not depend on the types.
func New[S, In, Out any](spec Spec, method func(S, context.Context, In) (Out, error)) Definition[S] {
	return define(spec, reflect.TypeFor[In](), reflect.TypeFor[Out](), func(ctx context.Context, on S, read func(in any) error) (any, error) {
		var in In
		if err := read(&in); err != nil {
			return nil, err
		}
		return method(on, ctx, in)
	})
}

// define makes a tool from a function that reads the arguments and returns the result.
func define[S any](spec Spec, in, out reflect.Type, run func(ctx context.Context, on S, read func(in any) error) (any, error)) Definition[S] {
	params := paramsOf(in)
	return Definition[S]{
		Spec: spec, params: params, input: inputSchema(params), output: outputSchema(out),
		call: func(ctx context.Context, on S, args json.RawMessage) (Answer, error) {
			ctx, collected := collectHints(ctx)
			isRead := false
			out, err := run(ctx, on, func(in any) error {
				err := decode(params, args, in)
				isRead = err == nil
				return err
			})
			if !isRead {
				return Answer{}, err
			}
			if err != nil {
				return Answer{Hints: collected.list()}, err
			}
			result, err := answer(out)
			result.Hints = collected.list()
			return result, err
		},
	}
}

// Bind turns definitions into callable tools.
func Bind[S any](on S, definitions []Definition[S]) []Tool {
	tools := make([]Tool, len(definitions))
	for i, d := range definitions {
		tools[i] = Tool{Spec: d.Spec, Params: d.params, Input: d.input, Output: d.output,
			call: func(ctx context.Context, args json.RawMessage) (Answer, error) { return d.call(ctx, on, args) }}
	}
	return tools
}

// answer encodes a result.
func answer(out any) (Answer, error) {
	var result Answer
	if carrier, ok := out.(interface{ meta() map[string]any }); ok {
		result.Meta = carrier.meta()
	}
	if carrier, ok := out.(interface{ media() []Media }); ok {
		result.Media = carrier.media()
	}
	if text, ok := out.(Text); ok {
		result.Text = text.Text
		return result, nil
	}
	list, isList := out.(interface{ items() any })
	if isList {
		out = list.items()
	}
	encoded, err := wire.Encode(out)
	if err != nil {
		return Answer{}, err
	}
	result.Text, result.JSON = string(encoded), encoded
	if isList {
		result.JSON = append(append([]byte(`{"result":`), encoded...), '}')
	}
	return result, nil
}
