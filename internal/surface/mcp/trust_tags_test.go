package mcp

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/surface/mcp/transport/transporttest"
)

// TestNewTagsAreAskedFor: a client that can ask its user is made to ask before a tag is created, and the answer decides.
func TestNewTagsAreAskedFor(t *testing.T) {
	for response, want := range map[string]string{
		`"result":{"action":"accept","content":{}}`: `"tags":["old","new"]`,
		`"result":{"action":"decline"}`:             "the user did not agree to create the tags new",
	} {
		server, notes := serveNotes(t, map[string]string{"A.md": "---\ntags: [old]\n---\n"}, Plain, 0)
		send, read, end := serveRaw(t, server)
		send(transporttest.InitializeAsking("2025-11-25"))
		read()
		send(transporttest.Initialized)
		send(transporttest.Call(1, "add_tag", `{"name":"A","tag":"new"}`))
		question := read()
		if !strings.Contains(question, "elicitation/create") || !strings.Contains(question, "This creates new tags: new. Go on?") {
			t.Fatalf("the question is %s", question)
		}
		if strings.Contains(notes.Files()["A.md"], "new") {
			t.Error("the tag was created before the user agreed")
		}
		send(`{"jsonrpc":"2.0","id":` + idIn(t, question) + `,` + response + `}`)
		if answer := strings.ReplaceAll(read(), `\"`, `"`); !strings.Contains(answer, want) {
			t.Errorf("%s: %s, want %s", response, answer, want)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	}
}
