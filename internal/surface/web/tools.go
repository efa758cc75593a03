package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/wire"
)

// toolset is a group of tools in the list.
type toolset struct {
	Name  string
	Tools []tool.Tool
}

func (v *visit) toolList() error {
	var sets []toolset
	for _, one := range v.tools.All() {
		if len(sets) == 0 || sets[len(sets)-1].Name != one.Toolset {
			sets = append(sets, toolset{Name: one.Toolset})
		}
		last := &sets[len(sets)-1]
		last.Tools = append(last.Tools, one)
	}
	v.show("tools", "Tools", sets)
	return nil
}

// toolPage is the form of a tool, and what it answered.
type toolPage struct {
	Tool     tool.Tool
	Writes   bool
	Destroys bool
	Fields   []field
	Result   *result
}

// result is what a call answered.
type result struct {
	Request string // as a client would send it
	Text    string // what the tool says
	JSON    bool   // Text is JSON, in lines
	Answer  string // what a copy of it holds
	Meta    string
	Problem *problem
	Confirm string // what lifts the refusal
	Changes string // how much would be changed
	Took    string
}

func (v *visit) toolForm() error {
	one, err := v.tool()
	if err != nil {
		return err
	}
	v.show("tool", one.Title, formOf(one, v.r.URL.Query()))
	return nil
}

// tool is the one that a path names.
func (v *visit) tool() (tool.Tool, error) {
	one, err := v.tools.Find(v.r.PathValue("name"))
	if err != nil {
		return one, fault.NotFound.Errorf("the tool '%s' is not among those that you may use here", v.r.PathValue("name")).WithHint("%s", v.whyNoTool(err))
	}
	return one, nil
}

// whyNoTool says what may be the matter with a tool that is not there.
func (v *visit) whyNoTool(err error) string {
	if !v.writes() {
		return "nothing can be changed here: all tools that write are left out"
	}
	return fault.HintOf(err)
}

func formOf(one tool.Tool, given url.Values) toolPage {
	return toolPage{Tool: one, Writes: one.Effect != tool.Reads, Destroys: one.Effect == tool.Destroys, Fields: fieldsOf(one, given)}
}

// toolRun calls a tool with what the form holds.
func (v *visit) toolRun() error {
	one, err := v.tool()
	if err != nil {
		return err
	}
	if err := v.r.ParseForm(); err != nil {
		return fault.InvalidArgument.Errorf("the form could not be read")
	}
	if answers := v.r.PostForm["confirm"]; len(answers) > 1 {
		v.r.PostForm.Set("confirm", answers[len(answers)-1]) // the button's, not the field's
	}
	filled := formOf(one, v.r.PostForm)
	args, err := arguments(one, v.r.PostForm)
	if err == nil {
		filled.Result, err = v.run(one, args)
	}
	if err != nil {
		filled.Result = &result{Problem: &problem{Message: err.Error(), Hint: fault.HintOf(err), Code: fault.KindOf(err).Code()}}
		v.status = statusOf(fault.KindOf(err))
	}
	if v.partial() {
		v.part("tool", "result", filled)
		return nil
	}
	v.show("tool", one.Title, filled)
	return nil
}

// toolAnew shows a form that could not be taken, with what was entered.
func (v *visit) toolAnew(why problem) error {
	one, err := v.tool()
	if err != nil {
		return err
	}
	why.Hint = kept
	filled := formOf(one, v.r.PostForm)
	filled.Result = &result{Problem: &why}
	v.show("tool", one.Title, filled)
	return nil
}

// run calls a tool. That it refuses is a result, too.
func (v *visit) run(one tool.Tool, args json.RawMessage) (*result, error) {
	started := time.Now()
	answer, err := v.call(one.Name, args)
	passed := time.Since(started)
	kind := "ok"
	if err != nil {
		kind = fault.KindOf(err).Code()
	}
	v.page.options.Server.Observe(one.Name, kind, passed)
	shown := &result{Took: took(passed), Request: pretty(requestOf(one.Name, args))}
	if err != nil {
		shown.Problem = &problem{Message: err.Error(), Hint: fault.HintOf(err), Code: kind}
		if needs, ok := errors.AsType[*tool.NeedsConfirm](err); ok {
			shown.Problem, shown.Confirm, shown.Changes = nil, needs.ID, amount.Of(needs.Notes, "note")
		}
		v.status = statusOf(fault.KindOf(err))
		return shown, nil
	}
	shown.Text, shown.Answer = answer.Text, answer.Text
	if answer.JSON != nil {
		shown.Text, shown.JSON = pretty([]byte(answer.Text)), true
		shown.Answer = shown.Text
	}
	if len(answer.Meta) > 0 {
		meta, err := wire.Encode(answer.Meta)
		if err != nil {
			return nil, err
		}
		shown.Meta = pretty(meta)
	}
	return shown, nil
}

// requestOf is the message that a client would send for the same call.
func requestOf(name string, args json.RawMessage) []byte {
	message, err := wire.Encode(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": args},
	})
	if err != nil {
		return nil
	}
	return message
}

// pretty is JSON in lines.
func pretty(text []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, text, "", "  ") != nil {
		return string(text)
	}
	return strings.TrimSpace(out.String())
}
