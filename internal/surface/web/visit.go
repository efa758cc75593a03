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

// visit is one request by a caller who was let in.
type visit struct {
	page   *Page
	w      http.ResponseWriter
	r      *http.Request
	who    *auth.Principal
	tools  *tool.Registry
	status int // of the response
}

// view answers a visit or returns what went wrong.
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

// renew refuses a form without a valid token of this login. The form may have been
// open while the server restarted or while its user logged in again, so what was
// entered is kept and can be sent once more.
func (v *visit) renew() {
	v.status = http.StatusForbidden
	why := problem{Message: "the form was not sent from this page, or is too old", Code: fault.PermissionDenied.Code()}
	if v.partial() {
		why.Hint, why.Form = inputKept, v.page.formToken(v.login())
		v.part(why.part)
		return
	}
	if again := renewals[v.r.Pattern]; again != nil && again(v, why) == nil {
		return
	}
	why.Hint = "nothing was done; go back and reload the page"
	v.show("Something went wrong", why.view)
}

// inputKept is the hint for a form that is still on the screen.
const inputKept = "nothing was done, and what you entered is still here; press the button again"

// renewals maps the pattern that a form is sent to to a function that shows the form again. If the function returns an
// error, it has written nothing.
var renewals = map[string]func(*visit, problem) error{
	"POST /changes/{id}/undo": (*visit).undoAgain,
	"POST /changes/undo":      (*visit).undoSeveralAgain,
	"POST /conflict":          (*visit).resolveAgain,
	"POST /tools/{name}":      (*visit).toolAgain,
	"POST /livesync":          (*visit).liveSyncAgain,
	"POST /logout":            (*visit).logoutAgain,
}

// login returns the id that forms are bound to: that of the login or, without one, of the caller.
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

// ask calls a tool that reads and decodes its answer.
func (v *visit) ask(name string, args, into any) error {
	arguments, err := json.Marshal(args)
	if err != nil {
		return err
	}
	answer, err := v.call(name, arguments)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer.JSON, into)
}

// call calls a tool on behalf of the caller, within their limits and the time for a call.
func (v *visit) call(name string, args json.RawMessage) (tool.Answer, error) {
	found, err := v.tools.Find(name)
	if err != nil {
		return tool.Answer{}, err
	}
	var answer tool.Answer
	err = v.within(name, found.Effect != tool.Reads, func(ctx context.Context) error {
		answer, err = found.Call(call.WithCaller(ctx, v.caller()), args)
		return err
	})
	return answer, err
}

// caller is recorded as the caller of tools that the page calls. Its session is that of the login, or lasts a day.
func (v *visit) caller() call.Caller {
	today := v.page.options.Now().UTC().Format(time.DateOnly)
	return call.Caller{Client: "web page", Token: v.who.Name, Session: call.SessionOf("web page", v.login(), today)}
}

// within runs a function within the limits on calls.
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
	return v.presentable(name, do(ctx))
}

// presentable logs an internal error and returns what the person may read of it.
func (v *visit) presentable(name string, err error) error {
	err = tool.Ended(err, v.page.options.Server.CallTimeout)
	if err != nil && fault.KindOf(err) == fault.Internal {
		v.page.options.Log.Error("a tool failed", "tool", name, "error", err.Error())
		return fault.Internal.Errorf(fault.SeeLog)
	}
	return err
}

// fail shows an error as a page of its own or as the part that a script asked for.
func (v *visit) fail(err error) {
	kind := fault.KindOf(err)
	if kind == fault.Internal {
		v.page.options.Log.Error("a page failed", "path", v.r.URL.Path, "error", err.Error())
		err = fault.Internal.Errorf(fault.SeeLog)
	}
	v.status = statusOf(kind)
	shown := problem{Message: err.Error(), Hint: fault.HintOf(err), Code: kind.Code()}
	if v.partial() {
		v.part(shown.part)
		return
	}
	v.show("Something went wrong", shown.view)
}

// problem is an error as the page shows it.
type problem struct {
	Message, Hint, Code, Details string

	Form  string // a token with which the form can be sent again
	LogIn bool   // offer to log in on another page, so that this one stays
}

// statusOf returns the HTTP status for a kind of error.
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
	return fault.NotFound.Errorf("there is no page at %s", base+v.r.URL.Path).
		WithHint("the server for AI clients is at %s/mcp", base)
}

// took formats a duration for people.
func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.2f ms", d.Seconds()*1000)
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
