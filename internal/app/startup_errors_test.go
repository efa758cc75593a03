package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/testkit/mode"
)

// badStart is a start that must fail.
type badStart struct {
	args   []string
	env    []string
	status int
	names  string   // the setting, flag or file that the first line names
	says   []string // other parts of the message or its hint
}

// badStarts lists mistakes in settings and arguments. $HOME is the user's folder, as userFolder fills it; $PORT is a port
// that another program has, $OURS a port that another obsidian-mcp has, $CLOSED a folder that the user may not open.
func badStarts() map[string]badStart {
	stdio, vault := []string{"stdio"}, "OBSIDIAN_VAULT_PATH=$HOME/vault"
	on := func(env ...string) []string { return append([]string{vault}, env...) }
	return map[string]badStart{
		"no vault":                 {stdio, nil, 1, "OBSIDIAN_VAULT_PATH not set", []string{"OBSIDIAN_VAULT ", "COUCHDB_BASE_URL", "obsidian-mcp install"}},
		"no vault, one is known":   {stdio, []string{"XDG_CONFIG_HOME=$HOME/one"}, 1, "OBSIDIAN_VAULT_PATH not set", []string{"Obsidian knows the vault 'vault': set OBSIDIAN_VAULT_PATH=$HOME/vault"}},
		"no vault, two are known":  {stdio, []string{"XDG_CONFIG_HOME=$HOME/two"}, 1, "OBSIDIAN_VAULT_PATH not set", []string{"Obsidian knows the vaults 'Notes' ($HOME/a/Notes), 'Notes' ($HOME/b/Notes)"}},
		"no vault, a spaced name":  {stdio, []string{"XDG_CONFIG_HOME=$HOME/spaced"}, 1, "OBSIDIAN_VAULT_PATH not set", []string{"Obsidian knows the vault 'my notes': set OBSIDIAN_VAULT_PATH='$HOME/my notes'; "}},
		"no vault, one is gone":    {stdio, []string{"XDG_CONFIG_HOME=$HOME/gone"}, 1, "OBSIDIAN_VAULT_PATH not set", []string{"set it (or --vault-path) to the vault's folder"}},
		"a damaged registry":       {stdio, []string{"OBSIDIAN_VAULT=Notes", "XDG_CONFIG_HOME=$HOME/damaged"}, 1, "OBSIDIAN_VAULT", []string{"$HOME/damaged/obsidian/obsidian.json, cannot be read"}},
		"no folder":                {stdio, []string{"OBSIDIAN_VAULT_PATH=$HOME/none"}, 1, "OBSIDIAN_VAULT_PATH ($HOME/none)", []string{"there is no such folder", "VAULT_NOT_FOUND", "correct the path"}},
		"no folder, by a flag":     {[]string{"stdio", "--vault-path", "$HOME/none"}, nil, 1, "--vault-path ($HOME/none)", []string{"there is no such folder"}},
		"no folder, by the file":   {[]string{"stdio", "--config", "$HOME/none.yaml"}, nil, 1, "vault_path in $HOME/none.yaml", []string{"there is no such folder"}},
		"a file":                   {stdio, []string{"VAULT_PATH=$HOME/vault/A.md"}, 1, "VAULT_PATH", []string{"is not a folder", "VAULT_NOT_FOUND"}},
		"closed":                   {stdio, []string{"OBSIDIAN_VAULT_PATH=$CLOSED"}, 1, "OBSIDIAN_VAULT_PATH", []string{"this user may not open the folder", "owner or mode"}},
		"two paths":                {stdio, on("VAULT_PATH=$HOME/other"), 2, "OBSIDIAN_VAULT_PATH and VAULT_PATH", []string{"both set, and differ", "set one of them"}},
		"a folder and a database":  {stdio, on("COUCHDB_BASE_URL=http://127.0.0.1:1", "COUCHDB_DATABASE_NAME=x"), 1, "OBSIDIAN_VAULT_PATH=$HOME/vault", []string{"COUCHDB_BASE_URL=http://127.0.0.1:1", "unset the other"}},
		"a name and a path":        {stdio, []string{"OBSIDIAN_VAULT=Nots", "VAULT_PATH=$HOME/vault"}, 2, "VAULT_PATH and OBSIDIAN_VAULT", []string{"both set, and differ", "set one of them"}},
		"a variable as a key":      {stdio, on("XDG_CONFIG_HOME=$HOME/variable"), 2, "$HOME/variable/obsidian-mcp.yaml, line 1", []string{"unknown setting 'OBSIDIAN_VAULT_PATH' (did you mean 'vault_path'?)"}},
		"unknown name":             {stdio, []string{"OBSIDIAN_VAULT=Nots", "XDG_CONFIG_HOME=$HOME/one"}, 1, "OBSIDIAN_VAULT", []string{"no vault called 'Nots'", "it knows vault"}},
		"unknown name, none known": {stdio, []string{"OBSIDIAN_VAULT=Nots"}, 1, "OBSIDIAN_VAULT", []string{"no list of vaults", "set OBSIDIAN_VAULT_PATH"}},
		"two of a name":            {stdio, []string{"OBSIDIAN_VAULT=Notes", "XDG_CONFIG_HOME=$HOME/two"}, 1, "OBSIDIAN_VAULT", []string{"several vaults called 'Notes': $HOME/a/Notes, $HOME/b/Notes", "set OBSIDIAN_VAULT_PATH to one of them"}},
		"no database name":         {stdio, []string{"COUCHDB_BASE_URL=http://127.0.0.1:1"}, 1, "COUCHDB_DATABASE_NAME", []string{"set it"}},
		"state in the vault":       {stdio, on("OBSIDIAN_MCP_STATE_DIR=$HOME/vault/state"), 2, "OBSIDIAN_MCP_STATE_DIR", []string{"inside the vault", "outside"}},
		"index in the vault":       {[]string{"stdio", "--cache-dir", "$HOME/vault/cache"}, on(), 2, "--cache-dir", []string{"inside the vault", "outside"}},

		"no config file":      {[]string{"stdio", "--config", "$HOME/nowhere.yaml"}, on(), 2, "--config", []string{"$HOME/nowhere.yaml", "no such file"}},
		"invalid YAML":        {[]string{"stdio", "--config", "$HOME/syntax.yaml"}, on(), 2, "$HOME/syntax.yaml, line 2", []string{"not valid YAML"}},
		"an unknown key":      {[]string{"stdio", "--config", "$HOME/typo.yaml"}, on(), 2, "$HOME/typo.yaml, line 2", []string{"read_onyl", "did you mean 'read_only'?"}},
		"a list as the whole": {[]string{"stdio", "--config", "$HOME/list.yaml"}, on(), 2, "$HOME/list.yaml", []string{"keys and values"}},
		"a map for a value":   {[]string{"stdio", "--config", "$HOME/map.yaml"}, on(), 2, "$HOME/map.yaml, line 1", []string{"'style' must be a value"}},
		"a text for a bool":   {[]string{"stdio", "--config", "$HOME/truth.yaml"}, on(), 2, "read_only in $HOME/truth.yaml", []string{"'maybe' must be true or false"}},
		"a token's typo":      {[]string{"http", "--config", "$HOME/token.yaml"}, on(), 2, "$HOME/token.yaml, line 1", []string{"tokens, entry 1 on line 2", "read_only"}},
		"the user's own file": {stdio, on("XDG_CONFIG_HOME=$HOME/own"), 2, "$HOME/own/obsidian-mcp.yaml, line 1", []string{"unknown setting 'styel' (did you mean 'style'?)"}},

		"an unknown value":     {stdio, on("OBSIDIAN_MCP_STYLE=fancy"), 2, "OBSIDIAN_MCP_STYLE", []string{"'fancy' is not valid", "use plain, contract"}},
		"not a bool":           {stdio, on("OBSIDIAN_MCP_READ_ONLY=perhaps"), 2, "OBSIDIAN_MCP_READ_ONLY", []string{"must be true or false"}},
		"not a time":           {stdio, on("OBSIDIAN_MCP_CALL_TIMEOUT=soon"), 2, "OBSIDIAN_MCP_CALL_TIMEOUT", []string{"must be a time such as 30s"}},
		"not a number":         {stdio, on("OBSIDIAN_MCP_CONFIRM_OVER=many"), 2, "OBSIDIAN_MCP_CONFIRM_OVER", []string{"must be a whole number"}},
		"too few days":         {stdio, on("OBSIDIAN_MCP_HISTORY_DAYS=0"), 2, "OBSIDIAN_MCP_HISTORY_DAYS", []string{"from 1 to 36500"}},
		"not a port":           {stdio, on("PORT=http"), 2, "PORT", []string{"must be a port from 0 to 65535"}},
		"not a URL":            {stdio, []string{"COUCHDB_BASE_URL=couch"}, 2, "COUCHDB_BASE_URL", []string{"must begin with https://"}},
		"an unknown toolset":   {stdio, on("OBSIDIAN_MCP_TOOLSETS=nots"), 2, "OBSIDIAN_MCP_TOOLSETS", []string{"did you mean 'notes'?"}},
		"a missing value file": {stdio, []string{"OBSIDIAN_VAULT_PATH_FILE=$HOME/nofile"}, 2, "OBSIDIAN_VAULT_PATH_FILE", []string{"set OBSIDIAN_VAULT_PATH instead"}},
		"an empty secret":      {stdio, on("OBSIDIAN_MCP_TOKEN_FILE=$HOME/empty"), 2, "OBSIDIAN_MCP_TOKEN_FILE", []string{"the file is empty"}},

		"a port that is taken": {[]string{"http"}, on("PORT=$PORT"), 6, "PORT", []string{"another program already listens on port $PORT", "--port"}},
		"another obsidian-mcp": {[]string{"http", "--port", "$OURS"}, on(), 6, "--port", []string{"another obsidian-mcp (ready) already serves on port $OURS", "http://127.0.0.1:$OURS/mcp"}},
		"a foreign address":    {[]string{"http"}, on("HOST=192.0.2.1", "OBSIDIAN_MCP_TOKEN="+strings.Repeat("t", 32)), 2, "HOST", []string{"cannot listen on 192.0.2.1", "127.0.0.1"}},
		"beyond loopback":      {[]string{"http"}, on("HOST=0.0.0.0"), 2, "HOST", []string{"OBSIDIAN_MCP_TOKEN", "--insecure-no-auth"}},
		"the origin *":         {[]string{"http", "--port", "0", "--allowed-origins", "*"}, on(), 2, "--allowed-origins", []string{"is not a valid web origin"}},
		"an invalid host":      {[]string{"http", "--port", "0", "--host", "no such host"}, on(), 2, "--host", nil},
		"a URL without https":  {[]string{"http", "--port", "0"}, on("OBSIDIAN_MCP_PUBLIC_URL=notes.example.com"), 2, "OBSIDIAN_MCP_PUBLIC_URL", nil},
		"an invalid issuer":    {[]string{"http", "--port", "0", "--oauth-issuer", "login"}, on("OBSIDIAN_MCP_OAUTH_USERS=a", "OBSIDIAN_MCP_PUBLIC_URL=https://notes.example"), 2, "--oauth-issuer", []string{"must begin with https://"}},
		"no TLS for OAuth":     {[]string{"http", "--port", "0"}, on("OBSIDIAN_MCP_OAUTH_ISSUER=https://login.example", "OBSIDIAN_MCP_OAUTH_USERS=a", "OBSIDIAN_MCP_PUBLIC_URL=http://notes.example"), 2, "OBSIDIAN_MCP_PUBLIC_URL", []string{"must begin with https://"}},
		"an invalid host name": {[]string{"http", "--port", "0"}, on("OBSIDIAN_MCP_ALLOWED_HOSTS=http://x/y"), 2, "OBSIDIAN_MCP_ALLOWED_HOSTS", nil},
		"an invalid proxy":     {[]string{"http", "--port", "0"}, on("OBSIDIAN_MCP_TRUSTED_PROXIES=home", "OBSIDIAN_MCP_TOKEN="+strings.Repeat("t", 32)), 2, "OBSIDIAN_MCP_TRUSTED_PROXIES", []string{"neither an address nor a network"}},

		"an unknown flag":       {[]string{"stdio", "--vault-pth", "x"}, nil, 2, "--vault-pth", []string{"did you mean --vault-path?", "--help"}},
		"an unknown command":    {[]string{"htttp"}, nil, 2, `"htttp"`, []string{`did you mean "http"?`}},
		"an unknown subcommand": {[]string{"livesync", "pul"}, nil, 2, `"pul"`, []string{`did you mean "pull"?`}},
		"an unknown tool":       {[]string{"call", "raed_note"}, on(), 2, "raed_note", []string{"did you mean 'read_note'?"}},
		"an argument too many":  {[]string{"doctor", "now"}, on(), 2, "'now'", []string{"takes no arguments"}},
		"a flag without value":  {[]string{"stdio", "--port"}, on(), 2, "--port", nil},
		"a missing batch file":  {[]string{"batch", "$HOME/none.jsonl"}, on(), 2, "none.jsonl", []string{"stdin"}},
	}
}

// TestStartErrorsNameTheSetting: whatever is wrong, the first line names the setting, it or a second line says what to do,
// and nothing is written to disk.
func TestStartErrorsNameTheSetting(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() }) // parallel subtests run after this function has returned
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	ours := startHTTP(t, t.TempDir())
	_, ownPort, _ := net.SplitHostPort(strings.TrimPrefix(ours.url, "http://"))
	for name, c := range badStarts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := userFolder(t)
			fill := strings.NewReplacer("$HOME", home, "$PORT", port, "$OURS", ownPort, "$CLOSED", closedFolder(t))
			before := treeOf(t, home)
			got := runBadStart(t, home, c, fill)
			if got.status != c.status || got.out != "" {
				t.Errorf("status %d, want %d; stdout %q", got.status, c.status, got.out)
			}
			message := lines(got.errors)
			if len(message) > 2 || !strings.HasPrefix(message[0], "obsidian-mcp: ") || !strings.Contains(message[0], fill.Replace(c.names)) {
				t.Errorf("want one line that names %s, and at most one more:\n%s", c.names, got.errors)
			}
			for _, part := range c.says {
				if !strings.Contains(got.errors, fill.Replace(part)) {
					t.Errorf("want %q in:\n%s", fill.Replace(part), got.errors)
				}
			}
			for _, jargon := range []string{"goroutine", "panic", "unmarshal", " yaml:", "%!", "fault.", "strconv", "dial tcp"} {
				if strings.Contains(got.errors, jargon) {
					t.Errorf("%q means nothing to a user:\n%s", jargon, got.errors)
				}
			}
			if after := treeOf(t, home); !maps.Equal(before, after) {
				t.Errorf("something was written: %v", slices.Sorted(maps.Keys(after)))
			}
		})
	}
}

// userFolder is the folder of a user with two vaults and some config files.
func userFolder(t *testing.T) string {
	t.Helper()
	home := realFolder(t.TempDir())
	registry := func(paths ...string) string {
		var entries []string
		for i, path := range paths {
			entries = append(entries, fmt.Sprintf(`"%d":{"path":%q}`, i, filepath.Join(home, path)))
		}
		return `{"vaults":{` + strings.Join(entries, ",") + `}}`
	}
	writeFiles(t, home, map[string]string{
		"vault/A.md": "text", "other/B.md": "text", "empty": "", "a/Notes/A.md": "", "b/Notes/B.md": "",
		"one/obsidian/obsidian.json": registry("vault"), "two/obsidian/obsidian.json": registry("a/Notes", "b/Notes"),
		"my notes/A.md": "", "spaced/obsidian/obsidian.json": registry("my notes", "none"), "gone/obsidian/obsidian.json": registry("none"), "damaged/obsidian/obsidian.json": "{bad",
		"unclosed/A.md": "", "unclosed/.obsidian/app.json": "{\"newFileLocation\": \"folder\",\n", "partly/A.md": "", "partly/secret/B.md": "", "partly/shut.md": "",
		"none.yaml": "vault_path: " + filepath.Join(home, "none"), "syntax.yaml": "style: plain\n\tread_only: [\n", "typo.yaml": "style: plain\nread_onyl: true\n",
		"list.yaml": "- style\n", "map.yaml": "style: {a: b}\n", "truth.yaml": "read_only: maybe\n", "token.yaml": "tokens:\n  - {name: a, sha256: b, read_only: maybe}\n",
		"own/obsidian-mcp.yaml": "styel: plain\n", "variable/obsidian-mcp.yaml": "OBSIDIAN_VAULT_PATH: /x\n",
	})
	giveToNobody(t, home)
	return home
}

// closedFolder is a folder that nobody but the superuser may open.
func closedFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(dir, 0); err != nil {
		t.Fatal(err)
	}
	giveToNobody(t, dir)
	return dir
}

// runBadStart runs the program with an input that stays open, as a client does.
func runBadStart(t *testing.T, home string, c badStart, fill *strings.Replacer) ended {
	t.Helper()
	name := programPath(t)
	ctx, cancel := context.WithTimeout(t.Context(), mode.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name)
	for _, arg := range c.args {
		cmd.Args = append(cmd.Args, fill.Replace(arg))
	}
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	for _, variable := range c.env {
		cmd.Env = append(cmd.Env, fill.Replace(variable))
	}
	asNobody(cmd)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	err = cmd.Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return ended{failed.ExitCode(), out.String(), messages.String()}
	}
	t.Fatalf("it ended with %v\n%s", err, &messages)
	return ended{}
}
