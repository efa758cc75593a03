package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/tool"
)

// canaries are words of closed notes that no open note has.
var canaries = regexp.MustCompile(`(?i)qanary\w*`)

// closedTo are limits of tokens that close the same notes.
var closedTo = []struct {
	name   string
	limits []string
}{
	{"allowed", []string{"allow: [projects/]"}},
	{"denied", []string{"deny: [private/, '**/*.secret.md']"}},
}

// canaryFiles are an open and a closed part of a vault. Every tool has a closed
// note of its name.
func canaryFiles() (open, closed map[string]string) {
	open = map[string]string{
		"projects/Plan.md":      "---\ntags: [work, garden]\nstatus: draft\nproject: Garden\n---\n# Goals\nSee [[Ideas]] and [[Secret]]. Grow apples.\n",
		"projects/Ideas.md":     "# Ideas\n[[Plan]] apples #work/idea\n",
		"projects/claude.md":    "---\ntags: [claude]\ndescription: how to plan\n---\n",
		"projects/Board.canvas": `{"nodes":[{"type":"text","text":"[[Plan]]"}]}`,
	}
	closed = map[string]string{
		"private/Secret.md":            "---\ntags: [qanarytag, work]\naliases: [Qanaryalias]\nqanarykey: qanaryvalue\nproject: Qanaryproject\n---\n# Qanaryheading\nqanarybody apples [[Plan]] [[Qanarylink]]\n",
		"private/claude.md":            "---\ntags: [claude]\ndescription: qanarydescription\n---\nqanaryinstruction\n",
		"private/Qanaryname.md":        "[[Plan]]\n",
		"private/devlog/Qanarylog.md":  "- qanaryline\n",
		"projects/Qanary.secret.md":    "---\nqanarykey2: x\n---\nqanarysecret [[Plan]] apples\n",
		"private/Qanaryboard.canvas":   `{"nodes":[{"type":"file","file":"projects/Plan.md"}]}`,
		"private/Qanaryfolder/Deep.md": "qanarydeep\n",
	}
	for name := range sensibleCalls {
		closed["private/"+name+".md"] = "---\ntags: [qanarytag]\n---\n# Goals\nqanary" + name + " apples [[Plan]]\n"
	}
	return open, closed
}

// canaryServer is a server on a vault, and the tokens of those to whom a part
// of it is closed.
func canaryServer(t *testing.T, config string, parts ...map[string]string) (s *httpServer, dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, files := range parts {
		writeFiles(t, dir, files)
		for name := range files {
			when := time.Date(2026, 1, 1, 0, 0, len(name), 0, time.UTC)
			if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(name)), when, when); err != nil {
				t.Fatal(err)
			}
		}
	}
	return startHTTP(t, dir, config, "VAULT_ID=v", "LOG_LEVEL=debug", "--metrics"), dir
}

// TestClosedLooksAbsentOverHTTP asks two servers the same by every method of
// the protocol: one with closed notes, and one where they never were.
func TestClosedLooksAbsentOverHTTP(t *testing.T) {
	t.Parallel()
	open, closed := canaryFiles()
	for _, role := range closedTo {
		t.Run(role.name, func(t *testing.T) {
			t.Parallel()
			closed := maps.Clone(closed)
			if role.name == "allowed" { // which closes no part of an open folder
				delete(closed, "projects/Qanary.secret.md")
			}
			token, entry := testToken(role.name, role.limits...)
			all, allEntry := testToken("all")
			config := configFile(t, "tokens:\n"+entry+allEntry)
			whole, _ := canaryServer(t, config, open, closed)
			without, _ := canaryServer(t, config, open)
			if got := whole.session(all).request("resources/read", map[string]any{"uri": "mcp-obsidian://v/private/Secret.md"}); !canaries.Match(got.Result) {
				t.Errorf("what is closed is not there: %s", got.raw)
			}
			for _, transport := range rpcTransports[:mode.Pick(1, 3, 3)] { // the tools are the same over all of them
				compareAnswers(t, transport.connect(whole, token), transport.connect(without, token))
			}
			for _, route := range []string{"/readyz", "/healthz", "/metrics", "/none"} {
				got, want := whole.do("GET", route, "", bearer(token)...), without.do("GET", route, "", bearer(token)...)
				if got.status != want.status || got.body != want.body || route == "/metrics" && got.status != http.StatusForbidden {
					t.Errorf("%s: %d %s, without what is closed %d %s", route, got.status, got.body, want.status, want.body)
				}
			}
			if seen := whole.do("GET", "/metrics", "", bearer(all)...); seen.status != http.StatusOK || canaries.MatchString(seen.body) {
				t.Errorf("/metrics: %d, %q", seen.status, canaries.FindAllString(seen.body, -1))
			}
			if seen := canaries.FindAllString(whole.stderr.String(), -1); seen != nil || !strings.Contains(whole.stderr.String(), "level=DEBUG") {
				t.Errorf("the log tells %q", seen)
			}
		})
	}
}

// question is a call of a method.
type question struct {
	method string
	params map[string]any
}

// compareAnswers asks both all questions. The answers must be the same, and
// tell nothing that the question did not.
func compareAnswers(t *testing.T, whole, without *httpCaller) {
	t.Helper()
	asked := 0
	for _, one := range canaryQuestions(t, whole.modern) {
		got, want := answerText(whole, one), answerText(without, one)
		text, _ := json.Marshal(one.params)
		if words := toldCanaries(got, string(text)); len(words) > 0 {
			t.Errorf("%s %s tells %q:\n%s", one.method, text, words, got)
		}
		if got != want {
			t.Errorf("%s %s:\n%s\nwithout what is closed\n%s", one.method, text, got, want)
		}
		asked++
	}
	if asked < 300 {
		t.Errorf("only %d questions", asked)
	}
}

// answerText is all that comes back, but for ids, times and how long it took.
func answerText(c *httpCaller, one question) string {
	answer := c.request(one.method, one.params)
	text := fmt.Sprintf("%s %+v", answer.Result, answer.Error)
	if answer.Error != nil {
		text = fmt.Sprintf("%d %s %s", answer.Error.Code, answer.Error.Message, answer.Error.Data)
	}
	return passing.ReplaceAllString(text, "…")
}

var passing = regexp.MustCompile(`"took_ms":[0-9.e-]+|\d{4}-\d\d-\d\dT[0-9:.]+Z|\b[0-9a-z]{8}-[0-9a-z]{4}\b`)

// toldCanaries are those of an answer that were not in the question.
func toldCanaries(answer, question string) []string {
	return slices.DeleteFunc(canaries.FindAllString(answer, -1), func(word string) bool {
		return strings.Contains(strings.ToLower(question), strings.ToLower(word))
	})
}

// canaryQuestions are about everything that is closed, by every method.
func canaryQuestions(t *testing.T, modern bool) []question {
	t.Helper()
	all := []question{}
	for _, method := range []string{"ping", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "server/discover", "no/such/method", "logging/setLevel"} {
		all = append(all, question{method, map[string]any{}})
	}
	if !modern {
		all = append(all, question{"initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "a", "version": "1"}}})
	}
	for _, one := range Tools().All() {
		for _, folder := range []string{"private/", "PRIVATE/", "projects/../private/", "absent/", "private/Qanaryfolder/", ""} {
			all = append(all, question{"tools/call", toolCall(t, one.Name, folder)})
		}
	}
	for _, text := range []string{"qanary", "apples", "qanarybody", "tag:qanarytag", "[qanarykey]", "path:private", "Secret"} {
		for name, arguments := range map[string][]map[string]any{
			"search_notes": {{"query": text, "mode": "name"}, {"query": text, "mode": "content"}, {"query": text, "mode": "tag"}},
			"find_notes":   {{"query": text}, {"tags": []string{"qanarytag"}}, {"properties": map[string]any{"qanarykey": "qanaryvalue"}}, {"path_prefix": "private"}},
			"vault_search": {{"query": text}, {"query": text, "path_filter": "private/**"}},
		} {
			for _, given := range arguments {
				all = append(all, question{"tools/call", map[string]any{"name": name, "arguments": given}})
			}
		}
	}
	return slices.Concat(all, resourceQuestions(modern), promptQuestions())
}

// guessedPaths are those of closed files, and of none.
var guessedPaths = []string{"private/Secret.md", "private/secret.MD", "private/Qanaryname.md", "private/Qanaryboard.canvas", "private", "private/", "projects/Qanary.secret.md", "private%2FSecret.md", "projects/../private/Secret.md", "private/Absent.md", "absent/Secret.md", "projects/Plan.md"}

func resourceQuestions(modern bool) (all []question) {
	for _, path := range append(guessedPaths, "") {
		all = append(all, question{"resources/read", map[string]any{"uri": "mcp-obsidian://v/" + path}})
		if !modern {
			all = append(all, question{"resources/subscribe", map[string]any{"uri": "mcp-obsidian://v/" + path}}, question{"resources/unsubscribe", map[string]any{"uri": "mcp-obsidian://v/" + path}})
		}
	}
	return append(all, question{"resources/read", map[string]any{"uri": "obsidian-mcp://context"}})
}

func promptQuestions() (all []question) {
	for prompt, arguments := range map[string][]string{"context": nil, "devlog": {"topic", "project"}, "adr": {"title", "project"}, "review": {"note", "heading"}, "gather": {"tag", "property"}} {
		given := map[string]string{}
		for _, argument := range arguments {
			given[argument] = "private/Secret"
			for _, value := range []string{"", "q", "qanary", "p", "private/", "Secret", "#q"} {
				for _, note := range []string{"private/Secret", "Secret", "Plan", "absent"} {
					all = append(all, question{"completion/complete", map[string]any{
						"ref": map[string]any{"type": "ref/prompt", "name": prompt}, "argument": map[string]any{"name": argument, "value": value},
						"context": map[string]any{"arguments": map[string]string{"note": note}},
					}})
				}
			}
		}
		all = append(all, question{"prompts/get", map[string]any{"name": prompt, "arguments": given}})
	}
	for _, value := range []string{"", "q", "private/", "Secret", "projects/"} {
		all = append(all, question{"completion/complete", map[string]any{
			"ref": map[string]any{"type": "ref/resource", "uri": "mcp-obsidian://v/{+path}"}, "argument": map[string]any{"name": "path", "value": value},
		}})
	}
	return all
}

// TestClosedAndAbsentNotesAreAnsweredAlike asks one server for what is closed,
// and for what is not there.
func TestClosedAndAbsentNotesAreAnsweredAlike(t *testing.T) {
	t.Parallel()
	token, entry := testToken("allowed", "allow: [projects/]")
	open, closed := canaryFiles()
	s, _ := canaryServer(t, configFile(t, "tokens:\n"+entry), open, closed)
	for _, transport := range rpcTransports {
		c := transport.connect(s, token)
		c.request("tools/call", toolCall(t, "get_help", "")) // after which no context block comes
		same := func(method string, closed, absent map[string]any) {
			t.Helper()
			got, want := answerText(c, question{method, closed}), answerText(c, question{method, absent})
			if got = strings.ReplaceAll(got, "private", "absents"); got != want {
				t.Errorf("%s %v:\n%s\nof an absent one\n%s", method, closed, got, want)
			}
		}
		for _, one := range Tools().All() {
			same("tools/call", toolCall(t, one.Name, "private/"), toolCall(t, one.Name, "absents/"))
			if _, named := toolCall(t, one.Name, "")["arguments"].(map[string]any)["name"]; named && one.Name != "create_note" && one.Toolset != "history" {
				answer := c.request("tools/call", toolCall(t, one.Name, "private/"))
				if result := decodeResult(t, answer); !result.IsError || result.Meta["error_code"] != "NOT_FOUND" || result.Content[0].Text != "Note 'private/"+one.Name+"' not found" {
					t.Errorf("%s: %s", one.Name, answer.raw)
				}
			}
		}
		for _, path := range []string{"Secret.md", "Qanaryboard.canvas", ""} {
			uri := func(folder string) map[string]any { return map[string]any{"uri": "mcp-obsidian://v/" + folder + path} }
			same("resources/read", uri("private/"), uri("absents/"))
			if !c.modern {
				same("resources/subscribe", uri("private/"), uri("absents/"))
			} else if path != "" {
				got, want := c.listen(uri("private/")["uri"].(string)), c.listen(uri("absents/")["uri"].(string))
				if got = strings.ReplaceAll(got, "private", "absents"); got != want {
					t.Errorf("a subscription to something closed: %s\nto something absent: %s", got, want)
				}
			}
		}
	}
}

// TestClosedChangesAreNotTold changes closed notes under the eyes of somebody
// who has asked to be told of them.
func TestClosedChangesAreNotTold(t *testing.T) {
	t.Parallel()
	token, entry := testToken("denied", closedTo[1].limits...)
	all, allEntry := testToken("all")
	open, closed := canaryFiles()
	s, dir := canaryServer(t, configFile(t, "tokens:\n"+entry+allEntry), open, closed)
	const root = "mcp-obsidian://v/"
	var callers []*httpCaller
	for _, transport := range rpcTransports {
		c := transport.connect(s, token)
		c.listen(root+"private/Secret.md", root+"private/New.md", root+"projects/Qanary.secret.md", root+"projects/Plan.md", "obsidian-mcp://context")
		callers = append(callers, c)
	}
	everything := s.session(all)
	everything.listen(root + "private/Secret.md")
	awaitFollowing(t, s.stderr)
	writeFiles(t, dir, map[string]string{
		"private/Secret.md": "#qanarynewtag [[Ideas]]\n", "private/New.md": "---\ntags: [claude]\n---\nnew\n", "private/sub/New.md": "new\n",
		"projects/Qanary.secret.md": "changed #qanarynewtag\n", "projects/Other.secret.md": "new\n", "private/claude.md": "---\ntags: [claude]\ndescription: other\n---\n",
	})
	if err := os.Remove(filepath.Join(dir, "private", "Qanaryname.md")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // so that it is told of by itself
	writeFiles(t, dir, map[string]string{"private/Secret.md": "again\n", "private/Newer.md": "new\n", "projects/Plan.md": "# Goals\n#work #garden\n"})
	if got := everything.told(); !slices.Contains(got, "notifications/resources/updated "+root+"private/Secret.md") || !slices.Contains(got, "notifications/resources/list_changed") {
		t.Errorf("somebody without limits is told %q", got)
	}
	for i, c := range callers {
		if got := c.told(); !slices.Equal(got, []string{"notifications/resources/updated " + root + "projects/Plan.md"}) {
			t.Errorf("%s: told %q", rpcTransports[i].name, got)
		}
	}
	for what, move := range map[string][2]string{"it closes": {"projects/Ideas.md", "private/Ideas.md"}, "it opens": {"private/claude.md", "projects/opened.md"}} {
		if err := os.Rename(filepath.Join(dir, move[0]), filepath.Join(dir, move[1])); err != nil {
			t.Fatal(err)
		}
		for i, c := range callers {
			if got := c.told(); !slices.Contains(got, "notifications/resources/list_changed") || slices.ContainsFunc(got, func(one string) bool { return strings.Contains(one, "private") }) {
				t.Errorf("%s: as %s, told %q", rpcTransports[i].name, what, got)
			}
		}
	}
}

// told reads notifications until nothing else comes for a while.
func (c *httpCaller) told() (all []string) {
	wait := 5 * time.Second
	for {
		select {
		case got := <-c.events:
			var params struct{ URI string }
			_ = json.Unmarshal(got.Params, &params)
			all = append(all, strings.TrimSpace(got.Method+" "+params.URI))
			wait = 300 * time.Millisecond
		case <-time.After(wait):
			slices.Sort(all)
			return all
		}
	}
}

// knownEvents are what the program may log here.
var knownEvents = []string{"serving", "indexed", "request", "call", "refused", "a login was refused", "http", "index consolidated", "following changes", "stopping: calls in flight are answered"}

// forgeries try to be more than a value in a line.
var forgeries = []string{
	"x\ntime=2026-01-01T00:00:00Z level=ERROR msg=forged", "x\r\n{\"level\":\"ERROR\",\"msg\":\"forged\"}", "\x1b[31mforged\x1b[0m", "x\u2028level=ERROR msg=forged",
	"x\u0085level=ERROR msg=forged", "\u009b31mforged", "x\" level=ERROR msg=\"forged", "x\x00forged", "\u202eforged", "\xff\xfe forged", strings.Repeat("forged ", 200),
}

// TestLogsTellNoSecrets sends secrets and forgeries wherever there is room for
// them. The log has none of the former, and a line for each event.
func TestLogsTellNoSecrets(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			const right, wrong, body = "canary-right-token-0123456789", "canary-wrong-token-0123456789", "qanarybody"
			listed, entry := testToken("listed")
			issuer := newTestIssuer(t)
			dir := t.TempDir()
			writeFiles(t, dir, map[string]string{"Note.md": "# Goals\n" + body + "\n"})
			s := startHTTP(t, dir, configFile(t, "tokens:\n"+entry), "LOG_LEVEL=debug", "LOG_FORMAT="+format, "--metrics", "OBSIDIAN_MCP_TOKEN="+right, "OBSIDIAN_MCP_FAILED_LOGINS=0",
				"OBSIDIAN_MCP_TRUSTED_PROXIES=127.0.0.1", "OBSIDIAN_MCP_PUBLIC_URL=https://notes.example.com", "OBSIDIAN_MCP_OAUTH_ISSUER="+issuer.url, "OBSIDIAN_MCP_OAUTH_USERS=ann")
			access := []string{issuer.token("https://notes.example.com/mcp", nil), issuer.token("https://other.example.com", nil), unsignedJWT(map[string]any{"sub": "ann"})}
			sendSecrets(s, append([]string{right, wrong, listed}, access...))
			sendForgeries(s, right, issuer)
			secrets := []string{right, wrong, listed, "canary", body}
			for _, transport := range rpcTransports {
				c := transport.connect(s, right)
				sendForgedCalls(t, c)
				if _, id, _ := strings.Cut(c.post, "="); c.id+id != "" {
					secrets = append(secrets, c.id+id) // a session is a secret, too
				}
			}
			s.stop()
			log := s.stderr.String()
			for _, token := range access {
				secrets = append(secrets, strings.Split(token, ".")[1:]...)
			}
			for _, secret := range secrets {
				if strings.Contains(log, secret) {
					t.Errorf("%q is in the log", secret)
				}
			}
			checkLog(t, format, log)
		})
	}
}

// sendSecrets puts tokens where they belong, and where they do not.
func sendSecrets(s *httpServer, tokens []string) {
	s.t.Helper()
	for _, route := range allRoutes {
		for _, token := range tokens {
			query := map[bool]string{true: "&", false: "?"}[strings.Contains(route, "?")]
			for _, method := range []string{"GET", "POST"} {
				s.do(method, route, "{}", bearer(token)...)
				s.do(method, route, "{}", "Authorization: Basic "+token, "Cookie: session="+token, "X-Api-Key: "+token, "Proxy-Authorization: "+token)
				s.do(method, route+query+"access_token="+token+"&token="+token, "{}")
				s.do(method, route, "{}", "Authorization: "+token, "Mcp-Session-Id: "+token, "Last-Event-Id: "+token, "Host: evil.com", "Referer: http://x/?token="+token)
			}
		}
	}
	for _, token := range tokens {
		s.raw("GET http://user:" + token + "@evil.com/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		s.raw("GET /mcp HTTP/1.1\r\nHost: user:" + token + "@evil.com\r\n\r\n")
		s.raw("GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + "\x01\r\n\r\n")
		s.raw("GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization Bearer " + token + "\r\n\r\n")
		s.raw("Bearer " + token + "\r\n\r\n")
	}
}

// sendForgeries puts them into all that a request has, raw where HTTP lets
// them and where it does not.
func sendForgeries(s *httpServer, token string, issuer *testIssuer) {
	s.t.Helper()
	for _, text := range forgeries {
		escaped := ""
		for _, b := range []byte(text) {
			escaped += fmt.Sprintf("%%%02X", b)
		}
		for _, method := range []string{"GET", "POST", "DELETE"} {
			s.do(method, "/"+escaped, "")
			s.do(method, "/mcp?"+escaped+"="+escaped, "", bearer(token)...)
			s.do(method, "/messages?sessionId="+escaped, "", bearer(token)...)
		}
		for _, name := range []string{"Host", "Origin", "User-Agent", "X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Authorization", "Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id", "Content-Type", "Accept", "Mcp-Method", "X-" + text} {
			head := "POST /mcp HTTP/1.1\r\n" + name + ": " + text + "\r\nContent-Length: 2\r\nConnection: close\r\n"
			if name != "Host" {
				head += "Host: 127.0.0.1\r\n"
			}
			s.raw(head + "\r\n{}")
			s.raw(head + "Authorization: Bearer wrong\r\n\r\n{}")
		}
		s.raw("GET /" + text + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		s.raw(text + " /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		for _, claims := range []map[string]any{{"sub": text}, {"sub": "x", "email": text, "email_verified": true}, {"sub": text, "exp": 1}, {"sub": "ann", "email": text, "email_verified": true}} {
			if len(text) < 200 {
				s.do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
					append(bearer(issuer.token("https://notes.example.com/mcp", claims)), "Content-Type: application/json")...)
			}
		}
	}
	named := s.session(issuer.token("https://notes.example.com/mcp", map[string]any{"email": forgeries[5] + forgeries[0], "email_verified": true}))
	named.request("tools/call", map[string]any{"name": "read_note", "arguments": map[string]any{"name": "Note"}})
}

// sendForgedCalls puts them into calls.
func sendForgedCalls(t *testing.T, c *httpCaller) {
	t.Helper()
	for _, text := range forgeries {
		for _, one := range Tools().All() {
			if one.Effect == tool.Reads {
				call := toolCall(t, one.Name, "")
				for key := range call["arguments"].(map[string]any) {
					call["arguments"].(map[string]any)[key] = text
				}
				c.request("tools/call", call)
			}
		}
		c.request("tools/call", map[string]any{"name": "read_note", "arguments": map[string]any{"name": "Note"}})
		c.request("tools/call", map[string]any{"name": "append_note", "arguments": map[string]any{"name": text, "text": text}})
		c.request("tools/call", map[string]any{"name": "create_note", "arguments": map[string]any{"name": text, "content": text}})
		if !c.modern { // whose headers say the same
			c.request("tools/call", map[string]any{"name": text})
			c.request("resources/read", map[string]any{"uri": text})
			c.request("prompts/get", map[string]any{"name": text})
			c.request(text, map[string]any{})
			c.send(`{"jsonrpc":"2.0","method":` + fmt.Sprintf("%q", "forged") + `,"params":{}}`)
		}
	}
}

// logLine is a line of the text format, whose values are quoted where they are
// more than a word.
var logLine = regexp.MustCompile(`^time=\S+ level=(DEBUG|INFO|WARN) msg=("(?:[^"\\]|\\.)*"|[^\s"]+)( [\w.]+=("(?:[^"\\]|\\.)*"|[^\s"=]*))*$`)

var quotedValue = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// checkLog reads every line as one event that the program knows.
func checkLog(t *testing.T, format, log string) {
	t.Helper()
	for _, event := range []string{"request", "call", "refused", "a login was refused"} {
		if !strings.Contains(log, event) {
			t.Errorf("there is no event %q", event)
		}
	}
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		var event struct{ Time, Level, Msg string }
		if format == "json" {
			if err := json.Unmarshal([]byte(line), &event); err != nil || event.Time == "" || event.Level == "ERROR" {
				t.Errorf("no event: %q", line)
			}
		} else if found := logLine.FindStringSubmatch(line); found == nil || strings.Count(quotedValue.ReplaceAllString(line, ""), " level=") != 1 {
			t.Errorf("no event: %q", line)
		} else {
			event.Msg = strings.Trim(found[2], `"`)
		}
		if !slices.Contains(knownEvents, event.Msg) {
			t.Errorf("an unknown event: %q", line)
		}
		if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%q is in a line: %q", line[i:min(i+4, len(line))], line)
		}
		if len(line) > 2000 {
			t.Errorf("a line of %d bytes: %.300q", len(line), line)
		}
	}
}
