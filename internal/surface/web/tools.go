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
	var sets toolsets
	for _, t := range v.tools.All() {
		if len(sets) == 0 || sets[len(sets)-1].Name != t.Toolset {
			sets = append(sets, toolset{Name: t.Toolset})
		}
		last := &sets[len(sets)-1]
		last.Tools = append(last.Tools, t)
	}
	v.show("Tools", sets.view)
	return nil
}

// toolPage is the form of a tool and the result of its call.
type toolPage struct {
	Tool     tool.Tool
	Writes   bool
	Destroys bool
	Fields   []field
	Result   *result
}

// result is the outcome of a call.
type result struct {
	Request string // as a client would send it
	Text    string // what the tool answered
	JSON    bool   // Text is indented JSON
	Answer  string // what the copy button copies
	Meta    string
	Problem *problem
	Confirm string // the id that confirms the call
	Consent string // what the user is asked to agree to
	Took    string
}

func (v *visit) toolForm() error {
	called, err := v.tool()
	if err != nil {
		return err
	}
	v.show(called.Title, formOf(called, v.r.URL.Query()).view)
	return nil
}

// tool finds the tool that the path names.
func (v *visit) tool() (tool.Tool, error) {
	called, err := v.tools.Find(v.r.PathValue("name"))
	if err != nil {
		return called, fault.NotFound.Errorf("you cannot use a tool '%s' here", v.r.PathValue("name")).
			WithHint("%s", v.whyNoTool(err))
	}
	return called, nil
}

// whyNoTool says why a tool may be missing.
func (v *visit) whyNoTool(err error) string {
	if !v.writes() {
		return "this server is read-only for you, so tools that write are left out"
	}
	return fault.HintOf(err)
}

func formOf(called tool.Tool, values url.Values) toolPage {
	return toolPage{
		Tool: called, Writes: called.Effect != tool.Reads, Destroys: called.Effect == tool.Destroys,
		Fields: fieldsOf(called, values),
	}
}

// toolRun calls a tool with the values of the form.
func (v *visit) toolRun() error {
	called, err := v.tool()
	if err != nil {
		return err
	}
	if err := v.r.ParseForm(); err != nil {
		return fault.InvalidArgument.Errorf("the form could not be read")
	}
	if answers := v.r.PostForm["confirm"]; len(answers) > 1 {
		v.r.PostForm.Set("confirm", answers[len(answers)-1]) // the button's, not the field's
	}
	filled := formOf(called, v.r.PostForm)
	args, err := arguments(called, v.r.PostForm)
	if err == nil {
		filled.Result, err = v.run(called, args)
	}
	if err != nil {
		kind := fault.KindOf(err)
		filled.Result = &result{Problem: &problem{Message: err.Error(), Hint: fault.HintOf(err), Code: kind.Code()}}
		v.status = statusOf(kind)
	}
	if v.partial() {
		v.part(filled.result)
		return nil
	}
	v.show(called.Title, filled.view)
	return nil
}

// toolAgain shows a form that was refused, with what was entered.
func (v *visit) toolAgain(why problem) error {
	called, err := v.tool()
	if err != nil {
		return err
	}
	why.Hint = inputKept
	filled := formOf(called, v.r.PostForm)
	filled.Result = &result{Problem: &why}
	v.show(called.Title, filled.view)
	return nil
}

// run calls a tool. A refusal is a result, too.
func (v *visit) run(called tool.Tool, args json.RawMessage) (*result, error) {
	started := time.Now()
	answer, err := v.call(called.Name, args)
	passed := time.Since(started)
	kind := "ok"
	if err != nil {
		kind = fault.KindOf(err).Code()
	}
	v.page.options.Server.Observe(called.Name, kind, passed)
	shown := &result{Took: took(passed), Request: pretty(requestOf(called.Name, args))}
	if err != nil {
		shown.Problem = &problem{Message: err.Error(), Hint: fault.HintOf(err), Code: kind}
		if needs, ok := errors.AsType[*tool.NeedsConfirm](err); ok {
			shown.Problem, shown.Confirm, shown.Consent = nil, needs.ID, consentTo(needs)
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

// requestOf returns the message that a client would send for the same call.
func requestOf(name string, args json.RawMessage) []byte {
	message, err := wire.Encode(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": args},
	})
	if err != nil {
		return nil
	}
	return message
}

// pretty indents JSON.
func pretty(text []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, text, "", "  ") != nil {
		return string(text)
	}
	return strings.TrimSpace(out.String())
}

// consentTo says what a person agrees to.
func consentTo(needs *tool.NeedsConfirm) string {
	if len(needs.Tags) > 0 {
		return "This creates new tags: " + strings.Join(needs.Tags, ", ") + "."
	}
	return "This changes " + amount.Of(needs.Notes, "note") + "."
}
