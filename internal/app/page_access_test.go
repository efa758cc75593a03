package app

import (
	"net/http"
	"strings"
	"testing"
)

// TestPageOfAReadOnlyServer: the page shows that no token can write if the server is read-only.
func TestPageOfAReadOnlyServer(t *testing.T) {
	t.Parallel()
	dir := vaultWith(t, map[string]string{"Garden.md": "Tomatoes.\n"})
	_, entry := testToken("phone", "allow: [Plans/]")
	for _, c := range []struct{ setting, says, lacks string }{
		{"OBSIDIAN_MCP_READ_ONLY=true", "You have no limits of your own, but this server is read-only", "read and write"},
		{"OBSIDIAN_MCP_READ_ONLY=false", "<td>read and write</td>", "nothing can be changed"},
	} {
		s := startHTTP(t, dir, "OBSIDIAN_MCP_TOKEN=omcp_the-owner-of-all-this", c.setting, configFile(t, "tokens:\n"+entry))
		shown := s.do("GET", "/access", "", bearer("omcp_the-owner-of-all-this")...).body
		if !strings.Contains(shown, "phone") || !strings.Contains(shown, c.says) || strings.Contains(shown, c.lacks) {
			t.Errorf("%s:\n%s", c.setting, shown)
		}
	}
}

// TestPageWithoutHistory: the page names the setting as the reason, not the login.
func TestPageWithoutHistory(t *testing.T) {
	t.Parallel()
	s := startHTTP(t, vaultWith(t, nil), "OBSIDIAN_MCP_HISTORY=off")
	if got := s.do("GET", "/changes", ""); got.status != http.StatusNotFound || !strings.Contains(got.body, "OBSIDIAN_MCP_HISTORY is off") {
		t.Errorf("%d\n%s", got.status, got.body)
	}
}
