package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"math"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/amount"
)

// cookieFor names the cookie that holds the id of a login. Browsers do not separate
// cookies by port, and there may be a server on each port of a host.
func cookieFor(r *http.Request) string {
	name := "obsidian_mcp_page"
	if at := strings.LastIndexByte(r.Host, ':'); at > strings.LastIndexByte(r.Host, ']') {
		name += "_" + r.Host[at+1:]
	}
	return name
}

// loginLasts is how long an unused login stays valid.
const loginLasts = 12 * time.Hour

// mostLogins limits all logins, ownLogins those of one caller. Beyond that, the caller with the most logins loses the one
// that has been unused longest.
const (
	mostLogins = 256
	ownLogins  = 16
)

// logins are the browsers that have presented a token. The token stays here, in
// memory, and the guard checks it again with each request, so that a cookie does not
// outlive its token.
type logins struct {
	now func() time.Time

	mu   sync.Mutex // guards byID
	byID map[string]*login
}

type login struct {
	token string
	owner string // the id of the caller
	used  time.Time
}

func newLogins(now func() time.Time) *logins { return &logins{now: now, byID: map[string]*login{}} }

func (l *logins) begin(token, owner string) (id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.makeRoom(owner)
	id = rand.Text()
	l.byID[id] = &login{token: token, owner: owner, used: l.now()}
	return id
}

// makeRoom ends a login before another one of its owner begins, so that nobody can
// crowd others out.
func (l *logins) makeRoom(owner string) {
	count := map[string]int{}
	for _, login := range l.byID {
		count[login.owner]++
	}
	candidate := func(l *login) bool { return l.owner == owner }
	switch {
	case count[owner] >= ownLogins:
	case len(l.byID) >= mostLogins:
		most := slices.Max(slices.Collect(maps.Values(count)))
		candidate = func(l *login) bool { return count[l.owner] == most }
	default:
		return
	}
	oldest := ""
	for id, login := range l.byID {
		if candidate(login) && (oldest == "" || login.used.Before(l.byID[oldest].used)) {
			oldest = id
		}
	}
	delete(l.byID, oldest)
}

// token returns the token of a login; "" if there is no such login.
func (l *logins) token(id string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	login := l.byID[id]
	if login == nil {
		return ""
	}
	now := l.now()
	if now.Sub(login.used) > loginLasts {
		delete(l.byID, id)
		return ""
	}
	login.used = now
	return login.token
}

func (l *logins) end(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.byID, id)
}

// loginOf returns the id of the login that a browser presents; "" if it presents no
// valid one. Other programs on the same host may have set cookies of that name.
func (p *Page) loginOf(r *http.Request) string {
	for _, cookie := range r.CookiesNamed(cookieFor(r)) {
		if p.logins.token(cookie.Value) != "" {
			return cookie.Value
		}
	}
	return ""
}

// authorized adds the token of the login to a request, as an MCP client would send it.
// A request with a token of its own keeps that.
func (p *Page) authorized(r *http.Request) *http.Request {
	token := p.logins.token(p.loginOf(r))
	if token == "" || r.Header.Get("Authorization") != "" {
		return r
	}
	return withToken(r, token)
}

func withToken(r *http.Request, token string) *http.Request {
	with := r.Clone(r.Context())
	with.Header.Set("Authorization", "Bearer "+token)
	return with
}

// admitted shows a view to callers that the guard lets in.
func (p *Page) admitted(show view) http.Handler {
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.serve(w, r, show) })
	inside := p.options.Guard.WrapFor(serve, p.refused)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inside.ServeHTTP(w, p.authorized(withoutToken(r)))
	})
}

// withoutToken removes a token from the address of a request. Nobody logs in that way
// here, and a link with a bad token must not count as a failed login of the person
// who follows it.
func withoutToken(r *http.Request) *http.Request {
	const name = "access_token"
	if !strings.Contains(r.URL.RawQuery, name) {
		return r
	}
	query := r.URL.Query()
	query.Del(name)
	without := r.Clone(r.Context())
	without.URL.RawQuery = query.Encode()
	return without
}

// refused sends callers who are not let in to the login page. Somebody who has filled
// in a form stays on its page.
func (p *Page) refused(w http.ResponseWriter, r *http.Request, why auth.Refused) {
	if why.Status != http.StatusUnauthorized && why.Status != http.StatusForbidden {
		p.notNow(w, r, why)
		return
	}
	if id := p.loginOf(r); r.Header.Get("Authorization") == "Bearer "+p.logins.token(id) {
		p.logins.end(id) // the token of this very login is no longer valid
	}
	scripted := r.Header.Get("HX-Request") != ""
	if scripted && r.Method == http.MethodPost { // somebody has filled in a form
		ended := problem{
			Message: "your login has ended", Hint: "nothing was done, and what you entered is still here",
			Code: fault.PermissionDenied.Code(), LogIn: true,
		}
		p.write(w, http.StatusUnauthorized, ended.part(frame{Base: p.options.Base}))
		return
	}
	to := p.options.Base + "/login"
	if next := p.wanted(r); next != "" {
		to += "?" + url.Values{"next": {next}}.Encode()
	}
	if scripted {
		w.Header().Set("HX-Redirect", to)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// wanted returns where to go after the login: the page a person is on, not the part of it that a script asked for.
func (p *Page) wanted(r *http.Request) string {
	if at, err := url.Parse(r.Header.Get("HX-Current-URL")); err == nil && at.Path != "" {
		return strings.TrimPrefix(at.RequestURI(), p.options.Base)
	}
	if r.Method != http.MethodGet {
		return ""
	}
	return r.URL.RequestURI()
}

func (p *Page) loginForm(w http.ResponseWriter, r *http.Request) {
	if p.options.Guard.Open() {
		http.Redirect(w, r, p.options.Base+"/", http.StatusSeeOther)
		return
	}
	p.renderLogin(w, r, http.StatusOK, "")
}

// login takes a token and judges it like one that comes over MCP, with the same limit
// on failures.
func (p *Page) login(w http.ResponseWriter, r *http.Request) {
	if !p.genuine(r, loginForm) {
		p.renderLogin(w, r, http.StatusForbidden, "The form was too old. Try again.")
		return
	}
	token := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(r.PostFormValue("token")), "Bearer "))
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		p.renderLogin(w, r, http.StatusUnprocessableEntity, "Enter a token: only letters, digits and -._~+/ are allowed.")
		return
	}
	enter := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.setCookie(w, r, p.logins.begin(token, auth.Of(r.Context()).ID))
		http.Redirect(w, r, p.options.Base+localPath(r.PostFormValue("next")), http.StatusSeeOther)
	})
	p.options.Guard.WrapFor(enter, p.notNow).ServeHTTP(w, withToken(withoutToken(r), token))
}

// notNow says why somebody is not let in and when to try again.
func (p *Page) notNow(w http.ResponseWriter, r *http.Request, why auth.Refused) {
	about := why.About
	if why.Wait > 0 {
		seconds := int(math.Ceil(why.Wait.Seconds()))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		about += "; try again in " + amount.Of(seconds, "second")
	}
	p.renderLogin(w, r, why.Status, sentence(about)+".")
}

// logout ends a login and leads to the login page, also without one. If the form
// belongs to an earlier login, the current one goes on and the person is asked again.
func (p *Page) logout(w http.ResponseWriter, r *http.Request) {
	if id := p.loginOf(r); id != "" {
		if !p.genuine(r, id) {
			p.admitted((*visit).nowhere).ServeHTTP(w, r) // shows the form again
			return
		}
		p.logins.end(id)
		p.setCookie(w, r, "")
	}
	http.Redirect(w, r, p.options.Base+"/login", http.StatusSeeOther)
}

// logoutAgain says that the person is still logged in; the button to log out is on every page.
func (v *visit) logoutAgain(why problem) error {
	why.Message = "you are still logged in"
	why.Hint = "the page you came from belonged to an earlier login; press \"Log out\" again, here"
	v.show("Log out", why.view)
	return nil
}

func (p *Page) setCookie(w http.ResponseWriter, r *http.Request, id string) {
	cookie := &http.Cookie{
		Name: cookieFor(r), Value: id, Path: p.options.Base + "/",
		HttpOnly: true, Secure: p.options.Secure(r), SameSite: http.SameSiteLaxMode,
	}
	if id == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
}

// localPath returns a path of this page, whatever was asked for.
func localPath(asked string) string {
	parsed, err := url.Parse(asked)
	if err != nil || parsed.IsAbs() || parsed.Host != "" || strings.ContainsAny(asked, "\\\r\n") ||
		!strings.HasPrefix(parsed.Path, "/") || strings.HasPrefix(parsed.Path, "//") {
		return "/"
	}
	parsed.Path, parsed.RawPath = path.Clean(parsed.Path), "" // nothing above the root
	return parsed.RequestURI()
}

// loginForm stands for a login in the token of the login form.
const loginForm = "login"

// formToken returns the token that a form must carry: only somebody who can read a page of this login knows it.
func (p *Page) formToken(login string) string {
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(login))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// genuine reports whether a request comes from one of our forms.
func (p *Page) genuine(r *http.Request, login string) bool {
	return hmac.Equal([]byte(r.PostFormValue("form")), []byte(p.formToken(login)))
}
