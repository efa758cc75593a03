package cli

import (
	"slices"
	"strings"
	"testing"
)

func TestLogs(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	log := d.write(".config/Claude/logs/mcp-server-obsidian.log", strings.Repeat("first\n", 300_000)+"one\r\ntwo \x1b[2J\nthree\n")
	for name, c := range map[string]struct {
		args     []string
		status   int
		out      []string
		messages string
	}{
		"all":         {[]string{"logs"}, 0, []string{"Claude Desktop\n  " + log + "  1 MB, written 20", "Cursor\n  no logs yet; they will be at " + d.home, "Gemini CLI\n  keeps no logs\n", "journalctl -u 'obsidian-mcp@*', or journalctl --user -u obsidian-mcp\n", "audit log: off", "obsidian-mcp history"}, ""},
		"an audit":    {[]string{"logs", "--audit-log", "/var/log/x", "--history", "off"}, 0, []string{"audit log: /var/log/x\n", "history of changes: off"}, ""},
		"one":         {[]string{"logs", "claude-desktop", "--tail", "2"}, 0, []string{log + "\ntwo ␛[2J\nthree\n"}, ""},
		"more":        {[]string{"logs", "--tail", "3"}, 0, []string{"\none\ntwo"}, ""},
		"none":        {[]string{"logs", "gemini", "--tail", "2"}, 3, nil, "no client has written a log yet"},
		"other name":  {[]string{"logs", "claude-desktop", "--name", "x"}, 0, []string{"no logs yet"}, ""},
		"bad name":    {[]string{"logs", "--name", "*"}, 2, nil, "--name"},
		"bad count":   {[]string{"logs", "--tail", "-1"}, 2, nil, "--tail"},
		"no client":   {[]string{"logs", "claude"}, 2, nil, "there is no client 'claude'"},
		"no count":    {[]string{"logs", "--tail", "x"}, 2, nil, "obsidian-mcp: --tail: 'x' is not a whole number\nsee"},
		"two clients": {[]string{"logs", "zed", "codex"}, 2, nil, "one client"},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, messages := d.run("", c.args...)
			if status != c.status || !strings.Contains(messages, c.messages) || strings.Contains(out, "\x1b") {
				t.Errorf("status %d\n%s\n%s", status, out, messages)
			}
			if tailed := slices.Contains(c.args, "--tail"); tailed && strings.Contains(out, "written") {
				t.Errorf("the list is printed too:\n%s", out)
			}
			for _, want := range c.out {
				if !strings.Contains(out, want) {
					t.Errorf("%q is not in\n%s", want, out)
				}
			}
		})
	}
}
