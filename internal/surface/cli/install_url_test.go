package cli

import (
	"strings"
	"testing"
)

const notes = "https://notes.example.com/mcp"

// Settings that would be dropped silently are refused, and no message repeats a secret.
func TestInstallURLRefuses(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	for name, c := range map[string]struct {
		args    []string
		message string
	}{
		"a limit":        {[]string{"--url", notes, "--read-only"}, "--read-only has no effect on the server at the address of --url, which has its own settings\nleave it out"},
		"another":        {[]string{"--url", notes, "--toolsets", "find"}, "--toolsets has no effect"},
		"a file":         {[]string{"--url", notes, "--audit-log", "x"}, "--audit-log has no effect"},
		"a vault":        {[]string{"--url", notes, "--vault-path", d.home}, "--vault-path has no effect"},
		"a token alone":  {[]string{"--token", "t0ken", "--vault-path", d.home}, "--token is for serving over HTTP"},
		"a login":        {[]string{"--url", "https://me:s3cret@example.com/mcp"}, "--url: the address has a login before '@example.com/mcp'\nleave out what is before the host; a token is given by --token"},
		"an odd login":   {[]string{"--url", "https://me:s3cret/@x%@example.com/mcp"}, "before '@example.com/mcp'"},
		"no address":     {[]string{"--url", "example.com/mcp?key=s3cret"}, "--url: 'example.com/mcp' is not the address of a server"},
		"two lines":      {[]string{"--url", notes, "--token", "omcp_s3cret\nb"}, "--token: the token may contain only letters, digits"},
		"two words":      {[]string{"--url", notes, "--token", "omcp s3cret"}, "--token: the token may contain only letters, digits"},
		"a whole header": {[]string{"--url", notes, "--token", "Bearer s3cret"}, "token new` makes one"},
	} {
		t.Run(name, func(t *testing.T) {
			before := d.files()
			status, out, messages := d.run("", append([]string{"install", "cursor", "--yes"}, c.args...)...)
			if status != 2 || !strings.Contains(messages, c.message) || strings.Contains(out+messages, "s3cret") {
				t.Errorf("status %d\n%s\n%s", status, out, messages)
			}
			if after := d.files(); after != before {
				t.Errorf("files changed:\n%s", after)
			}
		})
	}
}

// Variables may be meant for a server on the same machine, so they are not refused beside --url.
func TestVariablesBesideURL(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	t.Setenv("OBSIDIAN_MCP_READ_ONLY", "true")
	if status, _, messages := d.run("", "install", "cursor", "--yes", "--url", notes, "--config", d.write("own.yaml", "token: t0ken\n")); status != 0 || !strings.Contains(d.read(".cursor/mcp.json"), `"Bearer t0ken"`) {
		t.Errorf("status %d: %s", status, messages)
	}
}

func TestAddressMatchesWithoutPath(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	short := strings.TrimSuffix(notes, "/mcp")
	if status, _, messages := d.run("", "install", "--all", "--yes", "--url", short, "--token", "t0ken"); status != 0 {
		t.Fatalf("status %d: %s", status, messages)
	}
	if _, out, _ := d.run("", "install", "--url", short, "--token", "t0ken"); !strings.Contains(out, "1  cursor          set up\n") {
		t.Error(out)
	}
	if status, _, messages := d.run("", "uninstall", "cursor", "--yes"); status != 6 || !strings.Contains(messages, "--url "+notes+" removes it") {
		t.Errorf("status %d: %s", status, messages)
	}
	if status, out, messages := d.run("", "uninstall", "--all", "--yes", "--url", short); status != 0 || strings.Contains(d.read(".cursor/mcp.json")+d.read(".gemini/settings.json"), "obsidian") {
		t.Errorf("status %d: %s%s", status, out, messages)
	}
}

// Settings that are lost when a URL replaces a program are listed without their values, even with --quiet. A token for
// another server is dropped and reported.
func TestReportsLostSettings(t *testing.T) {
	const settings = "obsidian-mcp: Cursor: the settings of the earlier entry are lost (--read-only, --toolsets, OBSIDIAN_MCP_CONFIRM_OVER, envFile); the server at the address has its own\n"
	for name, c := range map[string]struct {
		entry, want string
		quiet       bool
	}{
		"limits": {`{"command": "/old/obsidian-mcp", "args": ["stdio", "--read-only", "--toolsets", "s3cret", "--vault-path=/x"], "envFile": "/s3cret",
			"env": {"OBSIDIAN_VAULT_PATH": "/x", "OBSIDIAN_MCP_CONFIRM_OVER": "s3cret"}}`, settings, true},
		"the vault alone": {`{"command": "/old/obsidian-mcp", "env": {"OBSIDIAN_VAULT_PATH": "/x"}}`, "", true},
		"another server":  {`{"url": "http://127.0.0.1:1065/mcp", "headers": {"Authorization": "Bearer s3cret"}}`, "obsidian-mcp: Cursor: fields that belonged to another address are left out (Authorization)\n", false},
		"the same server": {`{"url": "` + notes + `", "headers": {"Authorization": "Bearer s3cret"}}`, "", false},
	} {
		for _, quiet := range []bool{false, true} {
			d := newTestHome(t, 0, "Notes")
			d.write(".cursor/mcp.json", `{"mcpServers": {"obsidian": `+c.entry+`}}`)
			args, want := []string{"install", "cursor", "--yes", "--url", notes}, c.want
			if quiet {
				args = append(args, "--quiet")
			}
			if quiet && !c.quiet {
				want = ""
			}
			if status, out, messages := d.run("", args...); status != 0 || messages != want {
				t.Errorf("%s: status %d\n%s\n%s", name, status, out, messages)
			}
		}
	}
}

// Installing the same address again keeps its token.
func TestReinstallKeepsToken(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	for _, args := range [][]string{{"--token", "t0ken"}, nil} {
		if status, _, messages := d.run("", append([]string{"install", "cursor", "--yes", "--url", notes}, args...)...); status != 0 || !strings.Contains(d.read(".cursor/mcp.json"), `"Bearer t0ken"`) {
			t.Errorf("%d %s\n%s", status, messages, d.read(".cursor/mcp.json"))
		}
	}
}
