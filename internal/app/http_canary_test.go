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

// canaries match the words that only closed notes contain.
var canaries = regexp.MustCompile(`(?i)qanary\w*`)

// closedTo are two ways to close the same notes to a token.
var closedTo = []struct {
	name   string
	limits []string
}{
	{"allowed", []string{"allow: [projects/]"}},
	{"denied", []string{"deny: [private/, '**/*.secret.md']"}},
}

// canaryFiles are the open and the closed files of a vault. There is a closed note named after every tool.
func canaryFiles() (open, closed map[string]string) {
	open = map[string]string{
		"projects/Plan.md":      "---\ntags: [work, garden]\nstatus: draft\nproject: Garden\n---\n# Goals\nSee [[Ideas]] and [[Secret]]. Grow apples.\n",
		"projects/Ideas.md":     "# Ideas\n[[Plan]] apples #work/idea\n",
		"projects/claude.md":    "---\ntags: [claude]\ndescription: how to plan\n---\n",
		"projects/Board.canvas": `{"nodes":[{"type":"text","text":"[[Plan]]"}]}`,
	}
	closed = map[string]string{
		"private/Prompts/Qanary.md":    "---\ndescription: qanaryprompt\n---\n{{qanaryargument}}\n",
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

// canaryServer starts a server on a vault with the given files.
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
	return startHTTP(t, dir, config, "VAULT_ID=v", "LOG_LEVEL=debug", "OBSIDIAN_MCP_PROMPTS_FOLDER=private/Prompts", "--metrics"), dir
}

// TestClosedLooksAbsentOverHTTP sends the same requests, with every method of the protocol, to a server with closed notes
// and to a server that never had them. The answers must be the same.
func TestClosedLooksAbsentOverHTTP(t *testing.T) {
	t.Parallel()
	open, closed := canaryFiles()
	for _, role := range closedTo {
		t.Run(role.name, func(t *testing.T) {
			t.Parallel()
			closed := maps.Clone(closed)
			if role.name == "allowed" { // it cannot close a part of an open folder
				delete(closed, "projects/Qanary.secret.md")
			}
			token, entry := testToken(role.name, role.limits...)
			all, allEntry := testToken("all")
			config := configFile(t, "tokens:\n"+entry+allEntry)
			complete, _ := canaryServer(t, config, open, closed)
			without, _ := canaryServer(t, config, open)
			secret := map[string]any{"uri": "mcp-obsidian://v/private/Secret.md"}
			if got := complete.session(all).request("resources/read", secret); !canaries.Match(got.Result) {
				t.Errorf("an unlimited token cannot read the closed note: %s", got.raw)
			}
			for _, transport := range rpcTransports[:mode.Pick(1, 3, 3)] { // the tools are the same over all of them
				compareAnswers(t, transport.connect(complete, token), transport.connect(without, token))
			}
			for _, route := range []string{"/readyz", "/healthz", "/metrics", "/none"} {
				got, want := complete.do("GET", route, "", bearer(token)...), without.do("GET", route, "", bearer(token)...)
				if got.status != want.status || got.body != want.body || route == "/metrics" && got.status != http.StatusForbidden {
					t.Errorf("%s: %d %s, without closed notes %d %s", route, got.status, got.body, want.status, want.body)
				}
			}
			if got := complete.do("GET", "/metrics", "", bearer(all)...); got.status != http.StatusOK || canaries.MatchString(got.body) {
				t.Errorf("/metrics: %d, %q", got.status, canaries.FindAllString(got.body, -1))
			}
			log := complete.stderr.String()
			if leaked := canaries.FindAllString(log, -1); leaked != nil || !strings.Contains(log, "level=DEBUG") {
				t.Errorf("the log contains %q", leaked)
			}
		})
	}
}

// question is a request: a method and its parameters.
type question struct {
	method string
	params map[string]any
}

// compareAnswers puts all questions to both servers. The answers must be the same, and contain no canary that the question
// does not contain.
func compareAnswers(t *testing.T, complete, without *httpCaller) {
	t.Helper()
	asked := 0
	for _, q := range canaryQuestions(t, complete.modern) {
		got, want := answerText(complete, q), answerText(without, q)
		text, _ := json.Marshal(q.params)
		if words := leakedCanaries(got, string(text)); len(words) > 0 {
			t.Errorf("%s %s leaks %q:\n%s", q.method, text, words, got)
		}
		if got != want {
			t.Errorf("%s %s:\n%s\nwithout closed notes\n%s", q.method, text, got, want)
		}
		asked++
	}
	if asked < 300 {
		t.Errorf("only %d questions", asked)
	}
}

// answerText is the answer to a question, without ids, times and durations.
func answerText(c *httpCaller, q question) string {
	answer := c.request(q.method, q.params)
	text := fmt.Sprintf("%s %+v", answer.Result, answer.Error)
	if answer.Error != nil {
		text = fmt.Sprintf("%d %s %s", answer.Error.Code, answer.Error.Message, answer.Error.Data)
	}
	return volatile.ReplaceAllString(text, "…")
}

// volatile matches the parts of an answer that differ from call to call.
var volatile = regexp.MustCompile(`"took_ms":[0-9.e-]+|\d{4}-\d\d-\d\dT[0-9:.]+Z|\b[0-9a-z]{8}-[0-9a-z]{4}\b|"session\\*":\\*"[0-9a-f]{12}`)

// leakedCanaries are the canaries of an answer that are not in the question.
func leakedCanaries(answer, question string) []string {
	return slices.DeleteFunc(canaries.FindAllString(answer, -1), func(word string) bool {
		return strings.Contains(strings.ToLower(question), strings.ToLower(word))
	})
}

// canaryQuestions ask about all closed notes, with every method.
func canaryQuestions(t *testing.T, modern bool) []question {
	t.Helper()
	all := []question{}
	for _, method := range []string{"ping", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "server/discover", "no/such/method", "logging/setLevel"} {
		all = append(all, question{method, map[string]any{}})
	}
	if !modern {
		all = append(all, question{"initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "a", "version": "1"}}})
	}
	for _, registered := range vaultTools() {
		for _, folder := range []string{"private/", "PRIVATE/", "projects/../private/", "absent/", "private/Qanaryfolder/", ""} {
			all = append(all, question{"tools/call", toolCall(t, registered.Name, folder)})
		}
	}
	for _, text := range []string{"qanary", "apples", "qanarybody", "tag:qanarytag", "[qanarykey]", "path:private", "Secret"} {
		for name, arguments := range map[string][]map[string]any{
			"search_notes": {{"query": text, "mode": "name"}, {"query": text, "mode": "content"}, {"query": text, "mode": "tag"}},
			"find_notes":   {{"query": text}, {"tags": []string{"qanarytag"}}, {"properties": map[string]any{"qanarykey": "qanaryvalue"}}, {"path_prefix": "private"}},
			"vault_search": {{"query": text}, {"query": text, "path_filter": "private/**"}},
		} {
			for _, set := range arguments {
				all = append(all, question{"tools/call", map[string]any{"name": name, "arguments": set}})
			}
		}
	}
	return slices.Concat(all, resourceQuestions(modern), promptQuestions())
}

// guessedPaths are paths of closed files and of files that do not exist.
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
	for prompt, arguments := range map[string][]string{"context": nil, "devlog": {"topic", "project"}, "adr": {"title", "project"}, "review": {"note", "heading"}, "gather": {"tag", "property"}, "qanary": {"qanaryargument"}} {
		values := map[string]string{}
		for _, argument := range arguments {
			values[argument] = "private/Secret"
			for _, value := range []string{"", "q", "qanary", "p", "private/", "Secret", "#q"} {
				for _, note := range []string{"private/Secret", "Secret", "Plan", "absent"} {
					all = append(all, question{"completion/complete", map[string]any{
						"ref": map[string]any{"type": "ref/prompt", "name": prompt}, "argument": map[string]any{"name": argument, "value": value},
						"context": map[string]any{"arguments": map[string]string{"note": note}},
					}})
				}
			}
		}
		all = append(all, question{"prompts/get", map[string]any{"name": prompt, "arguments": values}})
	}
	for _, value := range []string{"", "q", "private/", "Secret", "projects/"} {
		all = append(all, question{"completion/complete", map[string]any{
			"ref": map[string]any{"type": "ref/resource", "uri": "mcp-obsidian://v/{+path}"}, "argument": map[string]any{"name": "path", "value": value},
		}})
	}
	return all
}

// TestClosedAndAbsentNotesAreAnsweredAlike asks the same server for closed notes and for notes that do not exist.
func TestClosedAndAbsentNotesAreAnsweredAlike(t *testing.T) {
	t.Parallel()
	token, entry := testToken("allowed", "allow: [projects/]")
	open, closed := canaryFiles()
	s, _ := canaryServer(t, configFile(t, "tokens:\n"+entry), open, closed)
	for _, transport := range rpcTransports {
		c := transport.connect(s, token)
		c.request("tools/call", toolCall(t, "get_help", "")) // later answers have no context block
		same := func(method string, closed, absent map[string]any) {
			t.Helper()
			got, want := answerText(c, question{method, closed}), answerText(c, question{method, absent})
			if got = strings.ReplaceAll(got, "private", "absents"); got != want {
				t.Errorf("%s %v:\n%s\nfor an absent note\n%s", method, closed, got, want)
			}
		}
		for _, registered := range vaultTools() {
			name := registered.Name
			same("tools/call", toolCall(t, name, "private/"), toolCall(t, name, "absents/"))
			_, takesName := toolCall(t, name, "")["arguments"].(map[string]any)["name"]
			creates := slices.Contains([]string{"create_note", "create_from_template", "edit_canvas", "write_file"}, name)
			if !takesName || creates || registered.Toolset == "history" {
				continue
			}
			answer := c.request("tools/call", toolCall(t, name, "private/"))
			result := decodeResult(t, answer)
			if !result.IsError || result.Meta["error_code"] != "NOT_FOUND" || result.Content[0].Text != "Note 'private/"+name+"' not found" {
				t.Errorf("%s: %s", name, answer.raw)
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
					t.Errorf("a subscription to a closed note: %s\nto an absent note: %s", got, want)
				}
			}
		}
	}
}

// TestClosedChangesAreNotNotified changes closed notes while a client with limits is subscribed to them.
func TestClosedChangesAreNotNotified(t *testing.T) {
	t.Parallel()
	token, entry := testToken("denied", closedTo[1].limits...)
	all, allEntry := testToken("all")
	open, closed := canaryFiles()
	open["projects/Marker.md"] = "mark 0\n"
	s, dir := canaryServer(t, configFile(t, "tokens:\n"+entry+allEntry), open, closed)
	const root = "mcp-obsidian://v/"
	const updated, listChanged = "notifications/resources/updated " + root, "notifications/resources/list_changed"
	var callers []*httpCaller
	for _, transport := range rpcTransports {
		c := transport.connect(s, token)
		c.listen(root+"private/Secret.md", root+"private/New.md", root+"projects/Qanary.secret.md", root+"projects/Plan.md",
			root+"projects/Marker.md", "obsidian-mcp://context")
		callers = append(callers, c)
	}
	unlimited := s.session(all)
	unlimited.listen(root + "private/Secret.md")
	awaitFollowing(t, s.stderr)
	marks := 0
	// notified reads what each caller is notified of: the wanted notifications, and all others before that of a marker
	// which changes after the wanted ones have come.
	notified := func(want ...string) [][]string {
		t.Helper()
		got := make([][]string, len(callers))
		for i, c := range callers {
			got[i] = c.awaitNotified(want...)
		}
		marks++
		writeFiles(t, dir, map[string]string{"projects/Marker.md": fmt.Sprintf("mark %d\n", marks)})
		for i, c := range callers {
			rest := c.awaitNotified(updated + "projects/Marker.md")
			got[i] = append(got[i], rest[:len(rest)-1]...)
		}
		return got
	}
	writeFiles(t, dir, map[string]string{
		"private/Secret.md": "#qanarynewtag [[Ideas]]\n", "private/New.md": "---\ntags: [claude]\n---\nnew\n", "private/sub/New.md": "new\n",
		"projects/Qanary.secret.md": "changed #qanarynewtag\n", "projects/Other.secret.md": "new\n", "private/claude.md": "---\ntags: [claude]\ndescription: other\n---\n",
	})
	if err := os.Remove(filepath.Join(dir, "private", "Qanaryname.md")); err != nil {
		t.Fatal(err)
	}
	unlimited.awaitNotified(updated+"private/Secret.md", listChanged) // so these changes are a notification of their own
	for i, got := range notified() {
		if len(got) > 0 {
			t.Errorf("%s: notified of %q after changes of closed notes", rpcTransports[i].name, got)
		}
	}
	writeFiles(t, dir, map[string]string{
		"private/Secret.md": "again\n", "private/Newer.md": "new\n", "projects/Plan.md": "# Goals\n#work #garden\n",
	})
	for i, got := range notified(updated + "projects/Plan.md") {
		if !slices.Equal(got, []string{updated + "projects/Plan.md"}) {
			t.Errorf("%s: notified of %q, want the open note only", rpcTransports[i].name, got)
		}
	}
	isPrivate := func(notification string) bool { return strings.Contains(notification, "private") }
	for name, move := range map[string][2]string{
		"closing": {"projects/Ideas.md", "private/Ideas.md"}, "opening": {"private/claude.md", "projects/opened.md"},
	} {
		if err := os.Rename(filepath.Join(dir, move[0]), filepath.Join(dir, move[1])); err != nil {
			t.Fatal(err)
		}
		for i, got := range notified(listChanged) {
			if slices.ContainsFunc(got, isPrivate) {
				t.Errorf("%s: %s a note notifies of %q", rpcTransports[i].name, name, got)
			}
		}
	}
}

// awaitNotified reads notifications until all wanted ones have come, and returns all that it read, in order.
func (c *httpCaller) awaitNotified(want ...string) (all []string) {
	c.server.t.Helper()
	missing := slices.Clone(want)
	for deadline := time.After(mode.Patience); len(missing) > 0; {
		select {
		case got := <-c.events:
			var params struct{ URI string }
			_ = json.Unmarshal(got.Params, &params)
			notification := strings.TrimSpace(got.Method + " " + params.URI)
			all = append(all, notification)
			missing = slices.DeleteFunc(missing, func(wanted string) bool { return wanted == notification })
		case <-deadline:
			c.server.t.Fatalf("notified of %q, but not of %q\n%s", all, missing, c.server.stderr)
		}
	}
	return all
}

// knownEvents are the messages that the program may log here.
var knownEvents = []string{"serving", "indexed", "request", "call", "refused", "a login was refused", "http", "index consolidated", "following changes", "stopping: calls in flight are answered"}

// forgeries are values that try to look like a log line of their own.
var forgeries = []string{
	"x\ntime=2026-01-01T00:00:00Z level=ERROR msg=forged", "x\r\n{\"level\":\"ERROR\",\"msg\":\"forged\"}", "\x1b[31mforged\x1b[0m", "x\u2028level=ERROR msg=forged",
	"x\u0085level=ERROR msg=forged", "\u009b31mforged", "x\" level=ERROR msg=\"forged", "x\x00forged", "\u202eforged", "\xff\xfe forged", strings.Repeat("forged ", 200),
}

// TestLogsContainNoSecrets sends secrets and forgeries wherever a request has room for them. The log must contain no secret,
// and a forgery must not become a line.
func TestLogsContainNoSecrets(t *testing.T) {
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
					secrets = append(secrets, c.id+id) // a session id is a secret, too
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

// sendForgeries puts forgeries into every part of a request, including places where HTTP does not allow them.
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

// sendForgedCalls puts forgeries into the arguments of calls.
func sendForgedCalls(t *testing.T, c *httpCaller) {
	t.Helper()
	for _, text := range forgeries {
		for _, registered := range vaultTools() {
			if registered.Effect == tool.Reads {
				call := toolCall(t, registered.Name, "")
				for key := range call["arguments"].(map[string]any) {
					call["arguments"].(map[string]any)[key] = text
				}
				c.request("tools/call", call)
			}
		}
		c.request("tools/call", map[string]any{"name": "read_note", "arguments": map[string]any{"name": "Note"}})
		c.request("tools/call", map[string]any{"name": "append_note", "arguments": map[string]any{"name": text, "text": text}})
		c.request("tools/call", map[string]any{"name": "create_note", "arguments": map[string]any{"name": text, "content": text}})
		if !c.modern { // its headers would have to repeat the forgeries
			c.request("tools/call", map[string]any{"name": text})
			c.request("resources/read", map[string]any{"uri": text})
			c.request("prompts/get", map[string]any{"name": text})
			c.request(text, map[string]any{})
			c.send(`{"jsonrpc":"2.0","method":` + fmt.Sprintf("%q", "forged") + `,"params":{}}`)
		}
	}
}

// logLine matches a line of the text format, which quotes values that are more than a word.
var logLine = regexp.MustCompile(`^time=\S+ level=(DEBUG|INFO|WARN) msg=("(?:[^"\\]|\\.)*"|[^\s"]+)( [\w.]+=("(?:[^"\\]|\\.)*"|[^\s"=]*))*$`)

var quotedValue = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// checkLog checks that every line is one event that the program may log.
func checkLog(t *testing.T, format, log string) {
	t.Helper()
	for _, event := range []string{"request", "call", "refused", "a login was refused"} {
		if !strings.Contains(log, event) {
			t.Errorf("event %q is not in the log", event)
		}
	}
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		var event struct{ Time, Level, Msg string }
		if format == "json" {
			if err := json.Unmarshal([]byte(line), &event); err != nil || event.Time == "" || event.Level == "ERROR" {
				t.Errorf("not a log line: %q", line)
			}
		} else if found := logLine.FindStringSubmatch(line); found == nil || strings.Count(quotedValue.ReplaceAllString(line, ""), " level=") != 1 {
			t.Errorf("not a log line: %q", line)
		} else {
			event.Msg = strings.Trim(found[2], `"`)
		}
		if !slices.Contains(knownEvents, event.Msg) {
			t.Errorf("unknown event: %q", line)
		}
		if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("unprintable %q in the line %q", line[i:min(i+4, len(line))], line)
		}
		if len(line) > 2000 {
			t.Errorf("a line of %d bytes: %.300q", len(line), line)
		}
	}
}
