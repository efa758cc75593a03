package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/access/auth"
)

// fullGrant is a grant without limits.
var fullGrant = auth.Grant{}

// anybody is the caller where no login is needed.
var anybody = &auth.Principal{ID: "anonymous", Name: "anonymous"}

// Nothing is shown before the login, a valid token leads to where the person wanted to go, and logging out ends it.
func TestLogin(t *testing.T) {
	secret, owner := token(t, "owner", fullGrant)
	s := open(t, owner)
	for _, path := range views {
		got := s.get(path)
		got.expect(t, http.StatusSeeOther)
		next := url.Values{"next": {path}}
		if to := got.Header.Get("Location"); to != "/login?"+next.Encode() {
			t.Errorf("%s leads to %s", path, to)
		}
		got.lacks(t, "Tomatoes", "the/place")
	}
	s.get("/login?next=/tools").expect(t, http.StatusOK, `name="next" value="/tools"`)
	s.logIn("omcp_wrong-wrong-wrong-wrong", "/").expect(t, http.StatusUnauthorized, "The token is not known.")
	for _, invalid := range []string{"", "two words", "schlüssel"} {
		s.logIn(invalid, "/").expect(t, http.StatusUnprocessableEntity, "Enter a token")
	}
	s.get("/tools").expect(t, http.StatusSeeOther)
	in := s.logIn(" Bearer "+secret+" ", "/tools/read_note?name=Garden")
	in.expect(t, http.StatusSeeOther)
	if to := in.Header.Get("Location"); to != "/tools/read_note?name=Garden" {
		t.Errorf("leads to %s", to)
	}
	cookies := in.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteLaxMode ||
		strings.Contains(cookies[0].Value, secret) {
		t.Errorf("%+v", cookies)
	}
	s.get("/access").expect(t, http.StatusOK, "Logged in as <strong>owner</strong>", "Without limits")
	s.send(http.MethodPost, "/logout", url.Values{"form": {"forged"}}).expect(t, http.StatusForbidden, "you are still logged in")
	s.get("/access").expect(t, http.StatusOK)
	s.send(http.MethodPost, "/logout", url.Values{"form": {s.formToken("/")}}).expect(t, http.StatusSeeOther)
	s.get("/access").expect(t, http.StatusSeeOther)
}

// Logging out with a form of an earlier login says that the current login goes on, with a button that ends it.
func TestLogOutWithFormOfEarlierLogin(t *testing.T) {
	secret, owner := token(t, "owner", fullGrant)
	s := open(t, owner)
	s.logIn(secret, "/").expect(t, http.StatusSeeOther)
	earlier := s.formToken("/")
	s.logIn(secret, "/").expect(t, http.StatusSeeOther)
	refused := s.send(http.MethodPost, "/logout", url.Values{"form": {earlier}})
	refused.expect(t, http.StatusForbidden, "you are still logged in", `action="/logout"`)
	refused.lacks(t, `name="token"`)
	s.get("/access").expect(t, http.StatusOK)
	fresh := formField.FindStringSubmatch(refused.body)[1]
	s.send(http.MethodPost, "/logout", url.Values{"form": {fresh}}).expect(t, http.StatusSeeOther)
	s.get("/access").expect(t, http.StatusSeeOther)
	s.send(http.MethodPost, "/logout", url.Values{"form": {fresh}}).expect(t, http.StatusSeeOther)
}

// A filled-in form survives if the login ends or the server restarts in the meantime.
func TestFormOutlivesLogin(t *testing.T) {
	secret, owner := token(t, "owner", fullGrant)
	s := open(t, owner)
	s.logIn(secret, "/").expect(t, http.StatusSeeOther)
	filled := url.Values{"name": {"Garden"}, "text": {"a long <thought>"}, "form": {s.formToken("/tools/append_note")}}
	send := func() pageResponse { return s.send(http.MethodPost, "/tools/append_note", filled, "HX-Request: true") }
	s.send(http.MethodPost, "/logout", url.Values{"form": {s.formToken("/")}})
	ended := send()
	ended.expect(t, http.StatusUnauthorized, "your login has ended", `<a href="/login" target="_blank">`)
	if ended.Header.Get("HX-Redirect") != "" {
		t.Error("the browser leaves the page")
	}
	s.logIn(secret, "/")
	plain := s.send(http.MethodPost, "/tools/append_note", filled)
	plain.expect(t, http.StatusForbidden, "too old", "press the button again", "a long &lt;thought&gt;")
	renewed := send()
	renewed.expect(t, http.StatusForbidden, "too old", `id="form-token"`, `hx-swap-oob="true"`)
	for _, answer := range []pageResponse{plain, renewed} {
		if formField.FindStringSubmatch(answer.body)[1] != s.formToken("/") {
			t.Errorf("no valid form token in %s", answer.body)
		}
	}
	filled.Set("form", s.formToken("/"))
	send().expect(t, http.StatusOK)
	s.send(http.MethodPost, "/changes/x/undo", url.Values{"form": {"old"}}).expect(t, http.StatusForbidden, "reload the page")
	id := s.lastChange()
	change := s.send(http.MethodPost, "/changes/"+id+"/undo", url.Values{"form": {"old"}, "force": {"true"}})
	change.expect(t, http.StatusForbidden, "too old", "nothing was undone", `action="/changes/`+id+`/undo"`, "Undo this change", `class="added">+a long &lt;thought&gt;`)
	change.lacks(t, "reload the page", `name="force"`)
	database := url.Values{"form": {"old"}, "url": {"https://couch.example"}, "database": {"notes"}, "user": {"me"}, "password": {"pass-canary"}, "passphrase": {"phrase-canary"},
		"link": {"obsidian://link-canary"}, "link_passphrase": {"phrase-canary"}}
	test := s.send(http.MethodPost, "/livesync", database)
	test.expect(t, http.StatusForbidden, "too old", "enter the secrets again", `value="https://couch.example"`, `value="notes"`, `value="me"`)
	test.lacks(t, "canary")
	for _, answer := range []pageResponse{change, test} {
		if formField.FindStringSubmatch(answer.main())[1] != s.formToken("/") {
			t.Errorf("no valid form token in %s", answer.main())
		}
	}
	if len(s.tested) > 0 {
		t.Error("a database was reached")
	}
}

// Programs may send their token in a header, as over MCP.
func TestBearerToken(t *testing.T) {
	secret, owner := token(t, "owner", fullGrant)
	s := open(t, owner)
	s.get("/", "Authorization: Bearer "+secret).expect(t, http.StatusOK, "Vault")
	s.get("/", "Authorization: Bearer wrong-wrong-wrong-wrong").expect(t, http.StatusSeeOther)
}

// Failed logins are limited as over MCP.
func TestFailedLoginsAreLimited(t *testing.T) {
	_, owner := token(t, "owner", fullGrant)
	s := open(t, owner)
	for range 5 {
		s.logIn("omcp_guess-guess-guess-guess", "/").expect(t, http.StatusUnauthorized)
	}
	waits := s.logIn("omcp_guess-guess-guess-guess", "/")
	waits.expect(t, http.StatusTooManyRequests, "Too many failed logins", "try again in")
	if waits.Header.Get("Retry-After") == "" {
		t.Error("Retry-After is missing")
	}
}

// A login ends with its token, and when it is unused for long.
func TestLoginExpires(t *testing.T) {
	brief, briefToken := token(t, "brief", fullGrant)
	long, longToken := token(t, "long", fullGrant)
	briefToken.Expires = time.Now().Add(time.Hour)
	s := open(t, briefToken, longToken)
	s.logIn(brief, "/").expect(t, http.StatusSeeOther)
	s.get("/").expect(t, http.StatusOK)
	s.now = s.now.Add(2 * time.Hour)
	s.get("/").expect(t, http.StatusSeeOther)
	s.logIn(long, "/").expect(t, http.StatusSeeOther)
	s.now = s.now.Add(loginLasts - time.Minute)
	s.get("/").expect(t, http.StatusOK)
	s.now = s.now.Add(loginLasts + time.Minute)
	s.get("/").expect(t, http.StatusSeeOther)
	part := s.get("/now", "HX-Request: true", "HX-Current-URL: "+s.url+"/tools?a=b")
	part.expect(t, http.StatusUnauthorized)
	if to := part.Header.Get("HX-Redirect"); to != "/login?next=%2Ftools%3Fa%3Db" {
		t.Errorf("HX-Redirect is %q", to)
	}
}

// The number of logins is limited. The caller with the most logins loses one, so nobody can crowd others out.
func TestLoginsAreLimited(t *testing.T) {
	now := time.Now()
	active := newLogins(func() time.Time { now = now.Add(time.Second); return now })
	own := active.begin("right", "owner")
	first, second := active.begin("first", "phone"), active.begin("second", "phone")
	if active.token(first) != "first" {
		t.Fatal("the first login is not valid")
	}
	for range ownLogins - 1 {
		active.begin("other", "phone")
	}
	if active.token(first) != "first" || active.token(second) != "" || active.token(own) != "right" ||
		len(active.byID) != ownLogins+1 {
		t.Errorf("%d logins, first %q, second %q", len(active.byID), active.token(first), active.token(second))
	}
	for i := range 2 * mostLogins {
		active.begin("other", "user "+strconv.Itoa(i))
		active.token(own) // a login in use stays
	}
	if len(active.byID) != mostLogins || active.token(own) != "right" {
		t.Errorf("%d logins, owner %q", len(active.byID), active.token(own))
	}
	if active.token("") != "" || active.token("made up") != "" {
		t.Error("accepts the id of a login that does not exist")
	}
}

// A token in an address is ignored: it neither logs in nor counts as a failed login.
func TestIgnoresTokenInAddress(t *testing.T) {
	secret, owner := token(t, "owner", fullGrant)
	s := open(t, owner)
	s.logIn(secret, "/").expect(t, http.StatusSeeOther)
	for range 10 {
		s.get("/?access_token=1").expect(t, http.StatusOK)
	}
	s.get("/", "Authorization: Bearer wrong-wrong-wrong-wrong").expect(t, http.StatusSeeOther)
	s.get("/").expect(t, http.StatusOK)
	s.send(http.MethodPost, "/login?access_token=1", url.Values{"form": {s.formToken("/login")}, "token": {secret}}).expect(t, http.StatusSeeOther)
}

// Another program on the same host may have set a cookie of our name.
func TestIgnoresForeignCookies(t *testing.T) {
	secret, owner := token(t, "owner", fullGrant)
	s := open(t, owner)
	cookies := s.logIn(secret, "/").Cookies()
	s.client.Jar = nil
	name := cookies[0].Name
	s.get("/", "Cookie: "+name+"=junk; "+name+"="+cookies[0].Value).expect(t, http.StatusOK)
	s.get("/", "Cookie: "+name+"=junk").expect(t, http.StatusSeeOther)
}

// Logging in to one server keeps the login to another on the same host.
func TestTwoServersOnOneHost(t *testing.T) {
	secret, owner := token(t, "owner", fullGrant)
	s, other := open(t, owner), open(t, owner)
	other.client.Jar = s.client.Jar // the same browser
	s.logIn(secret, "/").expect(t, http.StatusSeeOther)
	other.logIn(secret, "/").expect(t, http.StatusSeeOther)
	s.get("/").expect(t, http.StatusOK)
	other.get("/").expect(t, http.StatusOK)
}

// A login only leads to pages of this server.
func TestLoginLeadsToLocalPages(t *testing.T) {
	for asked, want := range map[string]string{
		"": "/", "/": "/", "/tools?x=1": "/tools?x=1", "/note?path=a%20b.md": "/note?path=a%20b.md",
		"https://evil.example/": "/", "//evil.example/": "/", "///evil.example": "/", `/\evil.example`: "/", `\\evil.example`: "/", "tools": "/", "javascript:alert(1)": "/",
		"/a\r\nSet-Cookie: x": "/", "http:evil.example": "/", "/%2f/evil.example": "/", "/%5cevil.example": "/%5Cevil.example", "/../../other": "/other", "/a/../b?c": "/b?c",
	} {
		if got := localPath(asked); got != want {
			t.Errorf("%q: %q, want %q", asked, got, want)
		}
	}
}

// A login with limits sees only what it may, and nothing about the server.
func TestLimitedLogin(t *testing.T) {
	limited, phone := token(t, "phone", plansOnly(t))
	_, owner := token(t, "owner", fullGrant)
	s := open(t, phone, owner)
	s.logIn(limited, "/").expect(t, http.StatusSeeOther)
	for _, path := range views {
		got := s.get(path)
		got.lacks(t, "Diary", "canary", "Tomatoes", "/the/place", "owner", "Secret")
	}
	s.get("/").expect(t, http.StatusOK, "read-only")
	s.get("/livesync").expect(t, http.StatusForbidden, "for callers without limits")
	s.post("/livesync", url.Values{"url": {"http://x"}, "database": {"x"}}).expect(t, http.StatusForbidden)
	s.get("/access").expect(t, http.StatusOK, "With limits")
	s.get("/tools/append_note").expect(t, http.StatusNotFound, "you cannot use a tool", "read-only for you")
	s.post("/tools/append_note", url.Values{"name": {"Shed"}, "text": {"x"}}).expect(t, http.StatusNotFound)
	s.post("/tools/read_note", url.Values{"name": {"Garden"}}).expect(t, http.StatusNotFound)
	s.post("/tools/read_note", url.Values{"name": {"Shed"}}).expect(t, http.StatusOK, "Wood, nails")
	if len(s.tested) > 0 {
		t.Error("a database was reached")
	}
}
