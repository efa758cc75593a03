// Package tool says what a tool is and holds the one registry that everything
// else is derived from: what MCP lists, get_help, the command line, the
// README's table. A tool is a value made of a method: its parameters and its
// result are that method's types, and are described nowhere else.
//
// A tool knows nothing of MCP, HTTP or terminals: it takes a struct and
// returns a struct or a fault. How either is dressed is a surface's business.
package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/google/jsonschema-go/jsonschema"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/wire"
)

// Effect is what a tool may do to a vault.
type Effect uint8

// The effects of tools.
const (
	Reads    Effect = iota
	Adds            // writes, but takes nothing away
	Destroys        // may replace or remove what was there
)

// Spec describes a tool in the words that clients see.
type Spec struct {
	Name       string
	Toolset    string
	Title      string
	About      string // what it does, when to use it, and when another one
	Effect     Effect
	Idempotent bool // a second call with the same arguments changes nothing more
}

// Tool is a tool that can be called.
type Tool struct {
	Spec
	Params []Param
	Input  *jsonschema.Schema
	Output *jsonschema.Schema // nil for a tool that answers in plain text
	call   Handler
}

// Answer is what a tool says.
type Answer struct {
	Text string          // JSON, or plain text as it is
	JSON json.RawMessage // an object also where the result is a list; nil for plain text
	Meta map[string]any  // facts about the answer that are no part of it
}

// Call runs the tool. Arguments are a JSON object.
func (t Tool) Call(ctx context.Context, args json.RawMessage) (answer Answer, err error) {
	defer func() {
		if problem := recover(); problem != nil { // it is this call's failure alone
			err = fault.Internal.Errorf("%s ended in a panic: %v\n%s", t.Name, problem, debug.Stack())
		}
	}()
	return t.call(ctx, args)
}

// NeedsConfirm is the cause of a refusal that the same call with confirm set to
// the id lifts. A surface that can ask a person does that instead.
type NeedsConfirm struct {
	Notes int // how many would change
	ID    string
}

func (n *NeedsConfirm) Error() string {
	return fmt.Sprintf("This changes %d notes. Repeat with confirm='%s'", n.Notes, n.ID)
}

// Confirmed gives a call's arguments the id of a confirmation.
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

// Meta is embedded in results that carry facts beside their JSON.
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

// Object is a JSON object whose keys are not known beforehand.
type Object json.RawMessage

// MarshalJSON gives the object as it is.
func (o Object) MarshalJSON() ([]byte, error) {
	if len(o) == 0 {
		return []byte("{}"), nil
	}
	return o, nil
}

// Definition is a tool before it is bound to what it works on.
type Definition[S any] struct {
	Spec
	params        []Param
	input, output *jsonschema.Schema
	call          func(ctx context.Context, on S, args json.RawMessage) (Answer, error)
}

// New makes a tool of a method. A parameter is a field with a json name, a
// jsonschema description and, unless it is required, a default.
func New[S, In, Out any](spec Spec, method func(S, context.Context, In) (Out, error)) Definition[S] {
	params := paramsOf(reflect.TypeFor[In]())
	return Definition[S]{
		Spec: spec, params: params, input: inputSchema(params), output: outputSchema(reflect.TypeFor[Out]()),
		call: func(ctx context.Context, on S, args json.RawMessage) (Answer, error) {
			var in In
			if err := decode(params, args, &in); err != nil {
				return Answer{}, err
			}
			out, err := method(on, ctx, in)
			if err != nil {
				return Answer{}, err
			}
			return answer(out)
		},
	}
}

// Bind makes callable tools of definitions.
func Bind[S any](on S, definitions []Definition[S]) []Tool {
	tools := make([]Tool, len(definitions))
	for i, d := range definitions {
		tools[i] = Tool{Spec: d.Spec, Params: d.params, Input: d.input, Output: d.output,
			call: func(ctx context.Context, args json.RawMessage) (Answer, error) { return d.call(ctx, on, args) }}
	}
	return tools
}

// answer turns a result into what surfaces show.
func answer(out any) (Answer, error) {
	var result Answer
	if with, ok := out.(interface{ meta() map[string]any }); ok {
		result.Meta = with.meta()
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
