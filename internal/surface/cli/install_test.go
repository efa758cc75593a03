package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/testkit/skip"
	"obsidian-mcp/internal/tool"
)

// testHome is a home folder with vaults and clients.
type testHome struct {
	t    *testing.T
	home string
}

// newTestHome makes a home folder with Cursor and Gemini CLI, and registers vaults with Obsidian; the first few of them
// are open.
func newTestHome(t *testing.T, open int, vaults ...string) testHome {
	t.Helper()
	skip.ButOnLinux(t, "applications keep their files elsewhere on other systems")
	d := testHome{t, t.TempDir()}
	t.Setenv("HOME", d.home)
	t.Setenv("PATH", "")
	for _, variable := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "WSL_DISTRO_NAME"} {
		t.Setenv(variable, "")
	}
	for _, folder := range append([]string{".cursor", ".gemini"}, vaults...) {
		if err := os.MkdirAll(filepath.Join(d.home, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var registered []string
	for i, vault := range vaults {
		registered = append(registered, fmt.Sprintf(`"%d": {"path": %q, "open": %v}`, i, filepath.Join(d.home, vault), i < open))
	}
	d.write(".config/obsidian/obsidian.json", `{"vaults": {`+strings.Join(registered, ",")+`}}`)
	return d
}

func (d testHome) write(name, text string) string {
	d.t.Helper()
	file := filepath.Join(d.home, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
	return file
}

func (d testHome) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(d.home, name))
	return string(text)
}

// files lists the files in the home folder with their contents.
func (d testHome) files() string {
	var all strings.Builder
	_ = filepath.WalkDir(d.home, func(path string, _ os.DirEntry, _ error) error {
		content, _ := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %q\n", path, content)
		return nil
	})
	return all.String()
}

// run runs a command. With answers it runs as if a person typed them at a terminal.
func (d testHome) run(answers string, args ...string) (status int, out, messages string) {
	d.t.Helper()
	var stdout, stderr bytes.Buffer
	p := Program{
		Tools: tool.NewRegistry(nil), In: strings.NewReader(answers), Out: &stdout, Err: &stderr,
		IsTerminal: func() bool { return answers != "" }, Lookup: os.LookupEnv,
	}
	status = Run(d.t.Context(), p, args)
	return status, stdout.String(), stderr.String()
}

func TestInstallAsks(t *testing.T) {
	for name, c := range map[string]struct {
		open     int
		vaults   []string
		answers  string
		status   int
		cursor   string // the vault in Cursor's entry afterwards
		gemini   string
		messages string
	}{
		"all, one vault":      {0, []string{"Notes"}, "\ny\n", 0, "Notes", "Notes", "Which? Numbers such as 1 or 1-3, names, all, or q to leave [all]: "},
		"one client":          {0, []string{"Notes"}, "1\nyes\n", 0, "Notes", "", ""},
		"two, with a comma":   {0, []string{"Notes"}, "2, 1\ny\n", 0, "Notes", "Notes", ""},
		"the open vault":      {1, []string{"Notes", "Work"}, "all\n\ny\n", 0, "Notes", "Notes", "2  Work  "},
		"a range":             {0, []string{"Notes"}, "1-2\ny\n", 0, "Notes", "Notes", ""},
		"a loose range":       {0, []string{"Notes"}, "1 - 2\ny\n", 0, "Notes", "Notes", ""},
		"a name":              {0, []string{"Notes"}, "Gemini\ny\n", 0, "", "Notes", ""},
		"a range too far":     {0, []string{"Notes"}, "1-3\n2-1\n-1\n", 2, "", "", "'1-3' is not in the list"},
		"a number twice":      {0, []string{"Notes"}, "1 1\ny\n", 0, "Notes", "", ""},
		"the other vault":     {1, []string{"Notes", "Work"}, "1\n2\ny\n", 0, "Work", "", "Which vault? A number, or q to leave [1]: "},
		"two vaults are open": {2, []string{"Notes", "Work"}, "1\n\n2\ny\n", 0, "Work", "", "Which vault? A number, or q to leave: '' is not in the list"},
		"columns":             {1, []string{"Notes", "N"}, "1\n\ny\n", 0, "Notes", "", "1  N      /"},
		"why this vault":      {0, []string{"Notes"}, "1\ny\n", 0, "Notes", "", "obsidian-mcp: the vault is 'Notes' ("},
		"wrong, then right":   {0, []string{"Notes"}, "y\n,\n1\nmaybe\ny\n", 0, "Notes", "", "'y' is not in the list: answer with numbers from 1 to 2, or all\n"},
		"wrong three times":   {0, []string{"Notes"}, "y\ny\ny\ny\n", 2, "", "", "nothing was changed"},
		"left":                {0, []string{"Notes"}, "q\n1\ny\n", 1, "", "", "nothing was changed"},
		"left at the vaults":  {0, []string{"Notes", "Work"}, "1\nQuit\n1\ny\n", 1, "", "", "nothing was changed"},
		"no":                  {0, []string{"Notes"}, "1\nn\n", 1, "", "", "nothing was changed"},
		"no answer":           {0, []string{"Notes"}, "1\n\n", 1, "", "", "nothing was changed"},
		"end of input":        {0, []string{"Notes"}, "1\n", 2, "", "", "no answer was given"},
		"no such number":      {0, []string{"Notes"}, "3\n", 2, "", "", "'3' is not in the list"},
		"no vault":            {0, nil, "1\ny\n", 1, "", "", "Obsidian has no vault registered"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestHome(t, c.open, c.vaults...)
			status, out, messages := d.run(c.answers, "install")
			if status != c.status || !strings.Contains(messages, c.messages) || !strings.HasPrefix(out, "1  cursor          not set up\n") {
				t.Errorf("status %d\n%s\n%s", status, out, messages)
			}
			for file, vault := range map[string]string{".cursor/mcp.json": c.cursor, ".gemini/settings.json": c.gemini} {
				text := d.read(file)
				if vault == "" && text != "" || vault != "" && !strings.Contains(text, fmt.Sprintf(`"OBSIDIAN_VAULT_PATH": %q`, filepath.Join(d.home, vault))) {
					t.Errorf("%s: %s", file, text)
				}
			}
		})
	}
}

// A refused command prints one clear line and what to do, and changes nothing.
func TestInstallRefuses(t *testing.T) {
	d := newTestHome(t, 0, "Notes", "Work")
	vault := filepath.Join(d.home, "Notes")
	broken := d.write("broken.json", "{\n  \"a\": 1\n  \"b\": 2\n}")
	list := d.write("list.json", "[]")
	servers := d.write("servers.json", `{"mcpServers": "none"}`)
	other := d.write("other.json", `{"mcpServers": {"obsidian": {"command": "npx", "args": ["other"]}}}`)
	for name, c := range map[string]struct {
		args    []string
		status  int
		message string
	}{
		"not valid JSON":        {[]string{"install", "cursor", "--vault-path", vault, "--config-file", broken}, 2, broken + ": line 3, column 3: not valid JSON: a comma or a closing bracket is missing\nnothing was changed; fix"},
		"not an object":         {[]string{"install", "cursor", "--vault-path", vault, "--config-file", list}, 2, "line 1, column 1: the file must contain an object"},
		"servers not an object": {[]string{"install", "cursor", "--vault-path", vault, "--config-file", servers}, 2, "line 1, column 16: 'mcpServers' must contain an object"},
		"another program":       {[]string{"install", "cursor", "--vault-path", vault, "--config-file", other, "--yes"}, 6, "'obsidian' already exists and belongs to another program\nchoose another name with --name"},
		"another's, removed":    {[]string{"uninstall", "cursor", "--config-file", other, "--yes"}, 6, "belongs to another program"},
		"unknown client":        {[]string{"install", "cursr"}, 2, "did you mean 'cursor'?"},
		"two vaults":            {[]string{"install", "cursor"}, 1, "which vault? Obsidian knows " + vault + ", " + filepath.Join(d.home, "Work")},
		"two vaults, all":       {[]string{"install", "--all", "--yes"}, 1, "choose one with --vault-path"},
		"no vault's folder":     {[]string{"install", "cursor", "--vault-path", "/nowhere"}, 1, "--vault-path: there is no folder /nowhere"},
		"a file":                {[]string{"install", "cursor", "--vault-path", broken}, 1, "there is no folder "},
		"unknown vault":         {[]string{"install", "cursor", "--vault", "None"}, 1, "Obsidian knows no vault called 'None'"},
		"a secret":              {[]string{"install", "cursor", "--couchdb-base-url", "http://x", "--couchdb-database-name", "d", "--couchdb-user", "u", "--couchdb-password", "p"}, 2, "--couchdb-password is a secret"},
		"half a database":       {[]string{"install", "cursor", "--couchdb-base-url", "http://x"}, 1, "COUCHDB_DATABASE_NAME not set"},
		"a folder and database": {[]string{"install", "cursor", "--vault-path", vault, "--couchdb-base-url", "http://x", "--couchdb-database-name", "d"}, 1, "are both configured"},
		"for http alone":        {[]string{"install", "cursor", "--vault-path", vault, "--port", "1"}, 2, "--port is for serving over HTTP"},
		"not a URL":             {[]string{"install", "cursor", "--url", "127.0.0.1:1065"}, 2, "is not the address of a server"},
		"a URL for Claude":      {[]string{"install", "claude-desktop", "--url", "http://127.0.0.1:1065"}, 2, "takes no URL"},
		"ChatGPT":               {[]string{"install", "chatgpt", "--vault-path", vault}, 2, "ChatGPT keeps no configuration on this machine"},
		"a name":                {[]string{"install", "cursor", "--name", "a b"}, 2, "--name: 'a b' is not valid"},
		"whose file":            {[]string{"install", "cursor", "gemini", "--config-file", broken}, 2, "name that client"},
		"all and one":           {[]string{"install", "cursor", "--all"}, 2, "either --all"},
		"nothing confirmed":     {[]string{"install", "cursor", "--vault-path", vault}, 2, "the same command with --yes writes this"},
		"nothing chosen":        {[]string{"install"}, 2, "which? obsidian-mcp install cursor, or --all"},
		"a dry run":             {[]string{"install", "--all", "--vault-path", vault, "--dry-run", "--yes"}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			before := d.files()
			status, out, messages := d.run("", c.args...)
			if status != c.status || !strings.Contains(messages, c.message) || strings.Count(messages, "\n") > 2 {
				t.Errorf("status %d\n%s\n%s", status, out, messages)
			}
			if after := d.files(); after != before {
				t.Errorf("files changed:\n%s", after)
			}
		})
	}
}

// A list of vaults that cannot be read is not reported as empty.
func TestDamagedVaultList(t *testing.T) {
	d := newTestHome(t, 0)
	file := d.write(".config/obsidian/obsidian.json", "{bad")
	if status, _, messages := d.run("", "install", "cursor"); status != 1 || !strings.Contains(messages, "Obsidian's list of vaults, "+file+", cannot be read") {
		t.Errorf("status %d: %s", status, messages)
	}
}

// With --quiet and --yes only errors are printed, but --dry-run still shows the diff.
func TestQuietInstall(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	if status, out, messages := d.run("", "install", "cursor", "--dry-run"); status != 0 || !strings.HasSuffix(messages, "obsidian-mcp: nothing was written (--dry-run)\n") {
		t.Errorf("status %d\n%s\n%s", status, out, messages)
	}
	if status, out, messages := d.run("", "install", "cursor", "--dry-run", "--yes", "--quiet"); status != 0 || !strings.Contains(out, "+++ ") || messages != "" {
		t.Errorf("status %d\n%s\n%s", status, out, messages)
	}
	for _, command := range []string{"install", "install", "uninstall", "uninstall"} {
		if status, out, messages := d.run("", command, "cursor", "--yes", "--quiet", "--force"); status != 0 || out != "" || messages != "" {
			t.Errorf("%s: status %d\n%s\n%s", command, status, out, messages)
		}
	}
}

func TestNoHome(t *testing.T) {
	d := newTestHome(t, 0)
	t.Setenv("HOME", "")
	for _, command := range []string{"install", "uninstall"} {
		status, _, messages := d.run("", command)
		if status != 2 || !strings.Contains(messages, "no client can be found because the home folder is unknown\nset HOME\n") {
			t.Errorf("status %d: %s", status, messages)
		}
	}
}

func TestNoClients(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	t.Setenv("HOME", filepath.Join(d.home, "Notes"))
	status, _, messages := d.run("", "install", "--all")
	if status != 3 || !strings.Contains(messages, "no AI client was found on this machine\nname one") {
		t.Errorf("status %d: %s", status, messages)
	}
}

// Settings from flags and variables are written into the entry, with absolute paths. Settings in a file stay there.
func TestEntryCarriesSettings(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	t.Chdir(d.home)
	t.Setenv("OBSIDIAN_MCP_TOOLSETS", "all")
	t.Setenv("LOG_LEVEL", "debug")
	t.Setenv("PORT", "99")
	t.Setenv("VAULT_PASSPHRASE_FILE", "secret")
	d.write("secret", "s3cret\n")
	d.write("own.yaml", "vault_path: Notes\nread_only: true\ncouchdb_password: p4ssword\n")
	status, _, messages := d.run("", "install", "cursor", "--yes", "--config", "own.yaml", "--state-dir", "state", "--cache-dir", "off", "--log-format", "json")
	if status != 0 {
		t.Fatalf("status %d: %s", status, messages)
	}
	text := d.read(".cursor/mcp.json")
	for _, want := range []string{
		fmt.Sprintf(`"args": ["--config", %q]`, filepath.Join(d.home, "own.yaml")), fmt.Sprintf(`"OBSIDIAN_VAULT_PATH": %q`, filepath.Join(d.home, "Notes")),
		`"OBSIDIAN_MCP_TOOLSETS": "all"`, fmt.Sprintf(`"OBSIDIAN_MCP_STATE_DIR": %q`, filepath.Join(d.home, "state")),
		`"OBSIDIAN_MCP_CACHE_DIR": "off"`, `"LOG_FORMAT": "json"`, fmt.Sprintf(`"VAULT_PASSPHRASE_FILE": %q`, filepath.Join(d.home, "secret")),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	for _, unwanted := range []string{"s3cret", "p4ssword", "LOG_LEVEL", "PORT", "READ_ONLY"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("%s is in\n%s", unwanted, text)
		}
	}
}

// The token goes into the file and nowhere else.
func TestInstallURL(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	t.Setenv("OBSIDIAN_MCP_TOKEN", "t0ken,another")
	status, out, messages := d.run("", "install", "gemini", "--yes", "--url", "http://127.0.0.1:1065")
	if text := d.read(".gemini/settings.json"); status != 0 || !strings.Contains(text, `"httpUrl": "http://127.0.0.1:1065/mcp"`) || !strings.Contains(text, `"Bearer t0ken"`) {
		t.Errorf("status %d: %s\n%s", status, messages, text)
	}
	if strings.Contains(out+messages, "t0ken") || !strings.Contains(out, "[redacted]") {
		t.Errorf("the token is shown:\n%s%s", out, messages)
	}
	status, out, _ = d.run("", "install", "chatgpt", "--url", "https://notes.example.com/mcp")
	if status != 0 || !strings.Contains(out, "MCP server URL: https://notes.example.com/mcp") {
		t.Errorf("status %d: %s", status, out)
	}
}

func TestListShowsStates(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	d.write(".cursor/mcp.json", `{"mcpServers": {"obsidian": {"command": "/old/obsidian-mcp"}}}`)
	d.write(".gemini/settings.json", `{"mcpServers": {"obsidian": {"command": "npx"}}}`)
	d.write(".codex/config.toml", "a = ")
	_, out, _ := d.run("", "install")
	for _, want := range []string{"1  cursor          set up differently\n", "2  gemini          another program has the name\n", "3  codex           cannot be edited: "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	_, out, _ = d.run("", "uninstall")
	if !strings.Contains(out, "1  cursor          set up\n") {
		t.Error(out)
	}
}
