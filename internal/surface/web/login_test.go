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

// fullGrant has no limits.
var fullGrant = auth.Grant{}

// anybody is who comes where no login is needed.
var anybody = &auth.Principal{ID: "anonymous", Name: "anonymous"}

// TestLogin: nothing is shown before it; a right token leads to where the
// person wanted to go; logging out ends it.
func TestLogin(t *testing.T) {
	right, one := token(t, "owner", fullGrant)
	s := open(t, one)
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
	for _, none := range []string{"", "two words", "schlüssel"} {
		s.logIn(none, "/").expect(t, http.StatusUnprocessableEntity, "Enter a token")
	}
	s.get("/tools").expect(t, http.StatusSeeOther)
	in := s.logIn(" Bearer "+right+" ", "/tools/read_note?name=Garden")
	in.expect(t, http.StatusSeeOther)
	if to := in.Header.Get("Location"); to != "/tools/read_note?name=Garden" {
		t.Errorf("led to %s", to)
	}
	given := in.Cookies()
	if len(given) != 1 || !given[0].HttpOnly || given[0].SameSite != http.SameSiteLaxMode || strings.Contains(given[0].Value, right) {
		t.Errorf("%+v", given)
	}
	s.get("/access").expect(t, http.StatusOK, "Logged in as <strong>owner</strong>", "Without limits")
	s.send(http.MethodPost, "/logout", url.Values{"form": {"forged"}}).expect(t, http.StatusForbidden, "you are still logged in")
	s.get("/access").expect(t, http.StatusOK)
	s.send(http.MethodPost, "/logout", url.Values{"form": {s.formToken("/")}}).expect(t, http.StatusSeeOther)
	s.get("/access").expect(t, http.StatusSeeOther)
}

// TestLogOutOnAPageOfAnEarlierLogin: a login that goes on is not taken for one
// that has ended, and ends with the button on the page that says so.
func TestLogOutOnAPageOfAnEarlierLogin(t *testing.T) {
	right, one := token(t, "owner", fullGrant)
	s := open(t, one)
	s.logIn(right, "/").expect(t, http.StatusSeeOther)
	earlier := s.formToken("/")
	s.logIn(right, "/").expect(t, http.StatusSeeOther)
	told := s.send(http.MethodPost, "/logout", url.Values{"form": {earlier}})
	told.expect(t, http.StatusForbidden, "you are still logged in", `action="/logout"`)
	told.lacks(t, `name="token"`)
	s.get("/access").expect(t, http.StatusOK)
	fresh := formField.FindStringSubmatch(told.body)[1]
	s.send(http.MethodPost, "/logout", url.Values{"form": {fresh}}).expect(t, http.StatusSeeOther)
	s.get("/access").expect(t, http.StatusSeeOther)
	s.send(http.MethodPost, "/logout", url.Values{"form": {fresh}}).expect(t, http.StatusSeeOther)
}

// TestAFormOutlivesItsLogin: who has filled in a form and is logged out
// meanwhile, or whose server was started anew, loses nothing.
func TestAFormOutlivesItsLogin(t *testing.T) {
	right, one := token(t, "owner", fullGrant)
	s := open(t, one)
	s.logIn(right, "/").expect(t, http.StatusSeeOther)
	filled := url.Values{"name": {"Garden"}, "text": {"a long <thought>"}, "form": {s.formToken("/tools/append_note")}}
	send := func() shown { return s.send(http.MethodPost, "/tools/append_note", filled, "HX-Request: true") }
	s.send(http.MethodPost, "/logout", url.Values{"form": {s.formToken("/")}})
	ended := send()
	ended.expect(t, http.StatusUnauthorized, "your login has ended", `<a href="/login" target="_blank">`)
	if ended.Header.Get("HX-Redirect") != "" {
		t.Error("the page is left")
	}
	s.logIn(right, "/")
	plain := s.send(http.MethodPost, "/tools/append_note", filled)
	plain.expect(t, http.StatusForbidden, "too old", "press the button again", "a long &lt;thought&gt;")
	renewed := send()
	renewed.expect(t, http.StatusForbidden, "too old", `id="form-token"`, `hx-swap-oob="true"`)
	for _, answer := range []shown{plain, renewed} {
		if formField.FindStringSubmatch(answer.body)[1] != s.formToken("/") {
			t.Errorf("no good token is in %s", answer.body)
		}
	}
	filled.Set("form", s.formToken("/"))
	send().expect(t, http.StatusOK)
	s.send(http.MethodPost, "/changes/x/undo", url.Values{"form": {"old"}}).expect(t, http.StatusForbidden, "reload the page")
	id := s.lastChange()
	change := s.send(http.MethodPost, "/changes/"+id+"/undo", url.Values{"form": {"old"}, "force": {"true"}})
	change.expect(t, http.StatusForbidden, "too old", "nothing was undone", `action="/changes/`+id+`/undo"`, "Undo this change", `class="added">&#43;a long &lt;thought&gt;`)
	change.lacks(t, "reload the page", `name="force"`)
	database := url.Values{"form": {"old"}, "url": {"https://couch.example"}, "database": {"notes"}, "user": {"me"}, "password": {"pass-canary"}, "passphrase": {"phrase-canary"}}
	test := s.send(http.MethodPost, "/livesync", database)
	test.expect(t, http.StatusForbidden, "too old", "enter the secrets again", `value="https://couch.example"`, `value="notes"`, `value="me"`)
	test.lacks(t, "canary")
	for _, answer := range []shown{change, test} {
		if formField.FindStringSubmatch(answer.main())[1] != s.formToken("/") {
			t.Errorf("no good token is in %s", answer.main())
		}
	}
	if len(s.tested) > 0 {
		t.Error("a database was reached")
	}
}

// TestBearer: programs may show their token as they do over MCP.
func TestBearer(t *testing.T) {
	right, one := token(t, "owner", fullGrant)
	s := open(t, one)
	s.get("/", "Authorization: Bearer "+right).expect(t, http.StatusOK, "Vault")
	s.get("/", "Authorization: Bearer wrong-wrong-wrong-wrong").expect(t, http.StatusSeeOther)
}

// TestTooManyLogins: guessing is limited as it is over MCP, and says so.
func TestTooManyLogins(t *testing.T) {
	_, one := token(t, "owner", fullGrant)
	s := open(t, one)
	for range 5 {
		s.logIn("omcp_guess-guess-guess-guess", "/").expect(t, http.StatusUnauthorized)
	}
	waits := s.logIn("omcp_guess-guess-guess-guess", "/")
	waits.expect(t, http.StatusTooManyRequests, "Too many failed logins", "try again in")
	if waits.Header.Get("Retry-After") == "" {
		t.Error("it does not say when")
	}
}

// TestLoginEnds: with its token, and when it is not used for long.
func TestLoginEnds(t *testing.T) {
	brief, one := token(t, "brief", fullGrant)
	long, two := token(t, "long", fullGrant)
	one.Expires = time.Now().Add(time.Hour)
	s := open(t, one, two)
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
		t.Errorf("a script is led to %q", to)
	}
}

// TestManyLogins: there is room for so many; who has most gives way, and nobody
// crowds others out.
func TestManyLogins(t *testing.T) {
	now := time.Now()
	known := newLogins(func() time.Time { now = now.Add(time.Second); return now })
	owner := known.begin("right", "owner")
	first, second := known.begin("first", "phone"), known.begin("second", "phone")
	if known.token(first) != "first" {
		t.Fatal("the first is not known")
	}
	for range ownLogins - 1 {
		known.begin("other", "phone")
	}
	if known.token(first) != "first" || known.token(second) != "" || known.token(owner) != "right" || len(known.byID) != ownLogins+1 {
		t.Errorf("%d logins, first %q, second %q", len(known.byID), known.token(first), known.token(second))
	}
	for i := range 2 * mostLogins {
		known.begin("other", "user "+strconv.Itoa(i))
		known.token(owner) // who uses theirs keeps it
	}
	if len(known.byID) != mostLogins || known.token(owner) != "right" {
		t.Errorf("%d logins, owner %q", len(known.byID), known.token(owner))
	}
	if known.token("") != "" || known.token("made up") != "" {
		t.Error("a login that nobody began")
	}
}

// TestLinksDoNotLogOut: what stands in an address is no login, failed or not.
func TestLinksDoNotLogOut(t *testing.T) {
	right, one := token(t, "owner", fullGrant)
	s := open(t, one)
	s.logIn(right, "/").expect(t, http.StatusSeeOther)
	for range 10 {
		s.get("/?access_token=1").expect(t, http.StatusOK)
	}
	s.get("/", "Authorization: Bearer wrong-wrong-wrong-wrong").expect(t, http.StatusSeeOther)
	s.get("/").expect(t, http.StatusOK)
	s.send(http.MethodPost, "/login?access_token=1", url.Values{"form": {s.formToken("/login")}, "token": {right}}).expect(t, http.StatusSeeOther)
}

// TestOthersCookies: another program of the same host may have set one of our
// name.
func TestOthersCookies(t *testing.T) {
	right, one := token(t, "owner", fullGrant)
	s := open(t, one)
	given := s.logIn(right, "/").Cookies()
	s.client.Jar = nil
	name := given[0].Name
	s.get("/", "Cookie: "+name+"=junk; "+name+"="+given[0].Value).expect(t, http.StatusOK)
	s.get("/", "Cookie: "+name+"=junk").expect(t, http.StatusSeeOther)
}

// TestTwoServersOfOneHost: who logs in to one stays logged in to the other.
func TestTwoServersOfOneHost(t *testing.T) {
	right, one := token(t, "owner", fullGrant)
	s, other := open(t, one), open(t, one)
	other.client.Jar = s.client.Jar // of one browser
	s.logIn(right, "/").expect(t, http.StatusSeeOther)
	other.logIn(right, "/").expect(t, http.StatusSeeOther)
	s.get("/").expect(t, http.StatusOK)
	other.get("/").expect(t, http.StatusOK)
}

// TestNextIsHere: a login leads nowhere else.
func TestNextIsHere(t *testing.T) {
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

// TestLimited: a login with limits sees its own, and of the server nothing.
func TestLimited(t *testing.T) {
	limited, one := token(t, "phone", plansOnly(t))
	_, two := token(t, "owner", fullGrant)
	s := open(t, one, two)
	s.logIn(limited, "/").expect(t, http.StatusSeeOther)
	for _, path := range views {
		got := s.get(path)
		got.lacks(t, "Diary", "canary", "Tomatoes", "/the/place", "owner", "Secret")
	}
	s.get("/").expect(t, http.StatusOK, "read-only")
	s.get("/livesync").expect(t, http.StatusForbidden, "for callers without limits")
	s.post("/livesync", url.Values{"url": {"http://x"}, "database": {"x"}}).expect(t, http.StatusForbidden)
	s.get("/access").expect(t, http.StatusOK, "With limits")
	s.get("/tools/append_note").expect(t, http.StatusNotFound, "is not one that you may use here", "read-only for you")
	s.post("/tools/append_note", url.Values{"name": {"Shed"}, "text": {"x"}}).expect(t, http.StatusNotFound)
	s.post("/tools/read_note", url.Values{"name": {"Garden"}}).expect(t, http.StatusNotFound)
	s.post("/tools/read_note", url.Values{"name": {"Shed"}}).expect(t, http.StatusOK, "Wood, nails")
	if len(s.tested) > 0 {
		t.Error("a database was reached")
	}
}
