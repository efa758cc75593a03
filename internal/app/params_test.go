package app

import (
	"strings"
	"testing"
)

// TestMessagesWithoutParams: many messages of clients have no params.
func TestMessagesWithoutParams(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"A.md": "a\n"})
	c := start(t, dir)
	c.initialize("2025-11-25")
	for _, method := range []string{"notifications/initialized", "notifications/roots/list_changed", "notifications/cancelled", "notifications/progress"} {
		c.send(`{"jsonrpc":"2.0","method":"` + method + `"}`)
	}
	for _, method := range []string{"ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		c.send(`{"jsonrpc":"2.0","id":"` + method + `","method":"` + method + `"}`)
		if answer := c.answer(); answer.Error != nil {
			t.Errorf("%s: %s", method, answer.raw)
		}
	}
	c.end()
	if log := c.stderr.String(); strings.Contains(log, "panic") {
		t.Errorf("the log contains a panic: %s", log)
	}
}
