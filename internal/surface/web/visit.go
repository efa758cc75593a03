package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault/call"
)

// visit is one request of somebody who was let in.
type visit struct {
	page   *Page
	w      http.ResponseWriter
	r      *http.Request
	who    *auth.Principal
	tools  *tool.Registry
	status int // that the answer will have
}

// view answers a visit, or says what went wrong.
type view func(*visit) error

func (p *Page) serve(w http.ResponseWriter, r *http.Request, show view) {
	v := &visit{page: p, w: w, r: r, who: auth.Of(r.Context()), status: http.StatusOK}
	var err error
	v.tools, err = p.options.Server.Tools(v.who)
	switch {
	case err != nil:
	case r.Method == http.MethodPost && !p.genuine(r, v.login()):
		v.renew()
	default:
		err = show(v)
	}
	if err != nil {
		v.fail(err)
	}
}

// renew refuses a form that has no token of this login. It may be one that was
// open while the server was started anew, or while its reader had to log in
// again: what was entered is not lost, and can be sent once more.
func (v *visit) renew() {
	v.status = http.StatusForbidden
	why := problem{Message: "the form was not sent from this page, or is too old", Code: fault.PermissionDenied.Code()}
	if v.partial() {
		why.Hint, why.Form = kept, v.page.formToken(v.login())
		v.part("problem", "problem", why)
		return
	}
	if anew := renewals[v.r.Pattern]; anew != nil && anew(v, why) == nil {
		return
	}
	why.Hint = "nothing was done: go back, and load the page again"
	v.show("problem", "Something went wrong", why)
}

// kept is what to do with a form that is still there.
const kept = "nothing was done, and what was entered is still here: press the button once more"

// renewals show a form anew, by the pattern of where it is sent. Where that
// fails, they have shown nothing.
var renewals = map[string]func(*visit, problem) error{
	"POST /changes/{id}/undo": (*visit).undoAnew,
	"POST /tools/{name}":      (*visit).toolAnew,
	"POST /livesync":          (*visit).liveSyncAnew,
	"POST /logout":            (*visit).logoutAnew,
}

// login is what forms are bound to: the login, or where there is none who is
// calling.
func (v *visit) login() string {
	if id := v.page.loginOf(v.r); id != "" {
		return id
	}
	return "caller " + v.who.ID
}

// offers reports whether the caller may call a tool.
func (v *visit) offers(name string) bool {
	_, err := v.tools.Find(name)
	return err == nil
}

// owner reports whether the caller may see what concerns the whole server.
func (v *visit) owner() bool { return v.who.Grant.Unlimited() }

// ask calls a tool that reads, and decodes its answer.
func (v *visit) ask(name string, args, into any) error {
	given, err := json.Marshal(args)
	if err != nil {
		return err
	}
	answer, err := v.call(name, given)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer.JSON, into)
}

// call calls a tool as the caller, within their limits and the time for a call.
func (v *visit) call(name string, args json.RawMessage) (tool.Answer, error) {
	one, err := v.tools.Find(name)
	if err != nil {
		return tool.Answer{}, err
	}
	var answer tool.Answer
	err = v.within(name, one.Effect != tool.Reads, func(ctx context.Context) error {
		answer, err = one.Call(call.WithCaller(ctx, call.Caller{Client: "web page", Token: v.who.Name}), args)
		return err
	})
	return answer, err
}

// within does something within the limits that hold for calls.
func (v *visit) within(name string, writes bool, do func(context.Context) error) error {
	server := v.page.options.Server
	leave, err := server.Enter(v.r, writes)
	if err != nil {
		return err
	}
	defer leave()
	ctx := v.r.Context()
	if server.CallTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, server.CallTimeout)
		defer cancel()
	}
	return v.told(name, do(ctx))
}

// told is an error as people are told of it.
func (v *visit) told(name string, err error) error {
	err = tool.Ended(err, v.page.options.Server.CallTimeout)
	if err != nil && fault.KindOf(err) == fault.Internal {
		v.page.options.Log.Error("a tool failed", "tool", name, "error", err.Error())
		return fault.Internal.Errorf(fault.SeeLog)
	}
	return err
}

// fail shows an error: a page of its own, or the part of one that was asked for.
func (v *visit) fail(err error) {
	kind := fault.KindOf(err)
	if kind == fault.Internal {
		v.page.options.Log.Error("a page failed", "path", v.r.URL.Path, "error", err.Error())
		err = fault.Internal.Errorf(fault.SeeLog)
	}
	v.status = statusOf(kind)
	shown := problem{Message: err.Error(), Hint: fault.HintOf(err), Code: kind.Code()}
	if v.partial() {
		v.part("problem", "problem", shown)
		return
	}
	v.show("problem", "Something went wrong", shown)
}

// problem is an error as it is shown.
type problem struct {
	Message, Hint, Code, Details string

	Form  string // a token with which the form can be sent once more
	LogIn bool   // on another page, so that this one stays
}

// statusOf is the HTTP status of a kind of error.
func statusOf(kind fault.Kind) int {
	switch kind {
	case fault.InvalidArgument, fault.TagNotAllowed:
		return http.StatusUnprocessableEntity
	case fault.NotFound, fault.VaultNotFound:
		return http.StatusNotFound
	case fault.AmbiguousName, fault.AlreadyExists, fault.Conflict:
		return http.StatusConflict
	case fault.PermissionDenied:
		return http.StatusForbidden
	case fault.Timeout:
		return http.StatusGatewayTimeout
	case fault.RateLimited:
		return http.StatusTooManyRequests
	case fault.StoreUnavailable, fault.ObsidianNotRunning:
		return http.StatusServiceUnavailable
	case fault.Internal:
	}
	return http.StatusInternalServerError
}

// nowhere answers for paths that the page does not have.
func (v *visit) nowhere() error {
	base := v.page.options.Base
	return fault.NotFound.Errorf("there is no page at %s", base+v.r.URL.Path).WithHint("the server for AI clients is at %s/mcp", base)
}

// took is a duration as people read it.
func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.2f ms", d.Seconds()*1000)
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
