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

// cookieFor names the cookie that holds the id of a login. Browsers do not keep
// the cookies of one host's ports apart, and there may be a server on each.
func cookieFor(r *http.Request) string {
	name := "obsidian_mcp_page"
	if at := strings.LastIndexByte(r.Host, ':'); at > strings.LastIndexByte(r.Host, ']') {
		name += "_" + r.Host[at+1:]
	}
	return name
}

// loginLasts is how long a login may be unused.
const loginLasts = 12 * time.Hour

// mostLogins is how many there may be at a time, ownLogins how many of one
// caller; the longest unused one of who has most gives way.
const (
	mostLogins = 256
	ownLogins  = 16
)

// logins are the browsers that have shown a token. The token stays here, in
// memory, and is shown to the guard again with each request: a token that has
// expired is none, whatever cookie a browser has.
type logins struct {
	now func() time.Time

	mu    sync.Mutex // guards known
	known map[string]*login
}

type login struct {
	token string
	owner string // the id of whom it stands for
	used  time.Time
}

func newLogins(now func() time.Time) *logins { return &logins{now: now, known: map[string]*login{}} }

func (l *logins) begin(token, owner string) (id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.makeRoom(owner)
	id = rand.Text()
	l.known[id] = &login{token: token, owner: owner, used: l.now()}
	return id
}

// makeRoom lets a login go before another of its owner begins, so that nobody
// can crowd others out.
func (l *logins) makeRoom(owner string) {
	count := map[string]int{}
	for _, one := range l.known {
		count[one.owner]++
	}
	gives := func(one *login) bool { return one.owner == owner }
	switch {
	case count[owner] >= ownLogins:
	case len(l.known) >= mostLogins:
		most := slices.Max(slices.Collect(maps.Values(count)))
		gives = func(one *login) bool { return count[one.owner] == most }
	default:
		return
	}
	oldest := ""
	for id, one := range l.known {
		if gives(one) && (oldest == "" || one.used.Before(l.known[oldest].used)) {
			oldest = id
		}
	}
	delete(l.known, oldest)
}

// token is what was shown at a login; "" if there is none of this id.
func (l *logins) token(id string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.known[id]
	if one == nil {
		return ""
	}
	now := l.now()
	if now.Sub(one.used) > loginLasts {
		delete(l.known, id)
		return ""
	}
	one.used = now
	return one.token
}

func (l *logins) end(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, id)
}

// loginOf is the id of the login that a browser shows; "" if it shows none that
// is known. Other programs on the same host may have set cookies of that name.
func (p *Page) loginOf(r *http.Request) string {
	for _, shown := range r.CookiesNamed(cookieFor(r)) {
		if p.logins.token(shown.Value) != "" {
			return shown.Value
		}
	}
	return ""
}

// shown is a request with the token of its login, as a client of the protocol
// would send it. One that has a token of its own keeps it.
func (p *Page) shown(r *http.Request) *http.Request {
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

// admitted has a view shown to those whom the guard lets in.
func (p *Page) admitted(show view) http.Handler {
	inside := p.options.Guard.WrapFor(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.serve(w, r, show) }), p.refused)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { inside.ServeHTTP(w, p.shown(withoutToken(r))) })
}

// withoutToken is a request without a token in its address. Nobody logs in by
// one here, and a link with one must not count as a failed login of whoever
// follows it.
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

// refused leads those who may not come in to where they can log in. Who has
// filled in a form stays on its page.
func (p *Page) refused(w http.ResponseWriter, r *http.Request, why auth.Refused) {
	if why.Status != http.StatusUnauthorized && why.Status != http.StatusForbidden {
		p.notNow(w, r, why)
		return
	}
	if id := p.loginOf(r); r.Header.Get("Authorization") == "Bearer "+p.logins.token(id) {
		p.logins.end(id) // it is its own token that counts no more
	}
	scripted := r.Header.Get("HX-Request") != ""
	if scripted && r.Method == http.MethodPost { // somebody has filled in a form
		ended := problem{Message: "your login has ended", Hint: "nothing was done, and what was entered is still here", Code: fault.PermissionDenied.Code(), LogIn: true}
		p.write(w, http.StatusUnauthorized, "problem", "problem", frame{Base: p.options.Base, Body: ended})
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

// wanted is where a person is to be led after the login: to the page that they
// are on, not to the part of it that a script asked for.
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

// login takes a token. It is judged as one that comes over MCP, with the same
// limit on failures.
func (p *Page) login(w http.ResponseWriter, r *http.Request) {
	if !p.genuine(r, loginForm) {
		p.renderLogin(w, r, http.StatusForbidden, "The form was too old. Try again.")
		return
	}
	token := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(r.PostFormValue("token")), "Bearer "))
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		p.renderLogin(w, r, http.StatusUnprocessableEntity, "Enter a token: letters, digits and -._~+/ alone.")
		return
	}
	enter := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.setCookie(w, r, p.logins.begin(token, auth.Of(r.Context()).ID))
		http.Redirect(w, r, p.options.Base+localPath(r.PostFormValue("next")), http.StatusSeeOther)
	})
	p.options.Guard.WrapFor(enter, p.notNow).ServeHTTP(w, withToken(withoutToken(r), token))
}

// notNow says why somebody is not let in, and when to try again.
func (p *Page) notNow(w http.ResponseWriter, r *http.Request, why auth.Refused) {
	about := why.About
	if why.Wait > 0 {
		seconds := int(math.Ceil(why.Wait.Seconds()))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		about += "; try again in " + amount.Of(seconds, "second")
	}
	p.renderLogin(w, r, why.Status, sentence(about)+".")
}

// logout ends a login. Whoever has none is led to the same place; whose page is
// of an earlier login is told that this one goes on, and can end it there.
func (p *Page) logout(w http.ResponseWriter, r *http.Request) {
	if id := p.loginOf(r); id != "" {
		if !p.genuine(r, id) {
			p.admitted((*visit).nowhere).ServeHTTP(w, r) // which renews the form
			return
		}
		p.logins.end(id)
		p.setCookie(w, r, "")
	}
	http.Redirect(w, r, p.options.Base+"/login", http.StatusSeeOther)
}

// logoutAnew tells who wanted to log out that they are logged in; the button
// is on every page.
func (v *visit) logoutAnew(why problem) error {
	why.Message, why.Hint = "you are still logged in", "the page that you came from was of an earlier login: press \"Log out\" once more, here"
	v.show("problem", "Log out", why)
	return nil
}

func (p *Page) setCookie(w http.ResponseWriter, r *http.Request, id string) {
	set := &http.Cookie{Name: cookieFor(r), Value: id, Path: p.options.Base + "/", HttpOnly: true, Secure: p.options.Secure(r), SameSite: http.SameSiteLaxMode}
	if id == "" {
		set.MaxAge = -1
	}
	http.SetCookie(w, set)
}

// localPath is a path of this page, whatever was asked for.
func localPath(asked string) string {
	parsed, err := url.Parse(asked)
	if err != nil || parsed.IsAbs() || parsed.Host != "" || !strings.HasPrefix(parsed.Path, "/") || strings.ContainsAny(asked, "\\\r\n") || strings.HasPrefix(parsed.Path, "//") {
		return "/"
	}
	parsed.Path, parsed.RawPath = path.Clean(parsed.Path), "" // nothing above
	return parsed.RequestURI()
}

// loginForm is what the form of the login page is bound to.
const loginForm = "login"

// formToken is what a form has to bring along: nobody who cannot read the page
// of this login can know it.
func (p *Page) formToken(login string) string {
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(login))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// genuine reports whether a request comes from a form of ours.
func (p *Page) genuine(r *http.Request, login string) bool {
	return hmac.Equal([]byte(r.PostFormValue("form")), []byte(p.formToken(login)))
}
