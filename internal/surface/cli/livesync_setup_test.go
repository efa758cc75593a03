package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// setupRun is a run of livesync setup, without a database.
type setupRun struct {
	input    string
	terminal []string // what a person types or pastes, one answer a question
	lookup   map[string]string
	settings config.Config // that the command passed on
	link     SetupOptions
	device   DeviceOptions
}

// found is the database that every link leads to.
var found = config.LiveSync{URL: "https://couch.example.com", Database: "notes", User: "me", Password: "hunter2", Passphrase: "hunter3"}

// run runs the command. A folder of its own is the user's home.
func (r *setupRun) run(t *testing.T, args ...string) (status int, out, messages string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := Program{
		Tools: tool.NewRegistry(nil), In: strings.NewReader(r.input), Out: &stdout, Err: &stderr,
		IsTerminal: func() bool { return r.terminal != nil }, Watched: func() bool { return false }, Coloured: func() bool { return false },
		Lookup: func(name string) (string, bool) { value, ok := r.lookup[name]; return value, ok },
		Hidden: func(_ context.Context, question string) (string, error) {
			if len(r.terminal) == 0 {
				return "", io.EOF
			}
			answer := r.terminal[0]
			r.terminal = r.terminal[1:]
			return answer, nil
		},
		LiveSync: LiveSync{
			Setup: func(_ context.Context, settings config.Config, o SetupOptions) (config.LiveSync, error) {
				r.settings, r.link = settings, o
				switch o.Link {
				case "bad":
					return config.LiveSync{}, fault.PermissionDenied.Errorf("no \x1b").WithHint("try")
				case "stop":
					return config.LiveSync{}, context.Canceled
				}
				o.Report(doctor.Finding{Mark: doctor.OK, Text: "server: fine"})
				o.Report(doctor.Finding{Mark: doctor.Look, Text: "link: differs", Remedy: "look"})
				return found, nil
			},
			Device: func(_ context.Context, settings config.Config, o DeviceOptions) (DeviceLink, error) {
				r.settings, r.device = settings, o
				return DeviceLink{Link: "obsidian://link", Format: "end-to-end encrypted, V2", Fresh: o.Passphrase == "fresh"}, nil
			},
		},
	}
	status = Run(t.Context(), p, append([]string{"livesync", "setup"}, args...))
	return status, stdout.String(), stderr.String()
}

// setupHome makes a home folder, and returns the folder of config files in it.
func setupHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "APPDATA", "USERPROFILE"} {
		t.Setenv(name, home)
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestSetupReadsLinkAndPassphrase(t *testing.T) {
	folder := setupHome(t)
	file := filepath.Join(t.TempDir(), "passphrase")
	if err := os.WriteFile(file, []byte(" p w \r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		run        setupRun
		args       []string
		link, pass config.Secret
		refused    string
	}{
		"both on standard input":     {setupRun{input: "ab\ncd\n p w \n"}, nil, "ab\ncd", " p w ", ""},
		"with a dash":                {setupRun{input: "ab\r\npw\r\n"}, []string{"-"}, "ab\r", "pw", ""},
		"the link as an argument":    {setupRun{input: "pw\n"}, []string{"ab"}, "ab", "pw", ""},
		"the passphrase in a file":   {setupRun{input: "ab\ncd\n"}, []string{"--passphrase-file", file}, "ab\ncd", " p w ", ""},
		"nothing on standard input":  {setupRun{}, []string{"ab", "--passphrase-file", file}, "ab", " p w ", ""},
		"a terminal":                 {setupRun{terminal: []string{"ab\ncd\n", "pw"}}, nil, "ab\ncd", "pw", ""},
		"a terminal and an argument": {setupRun{terminal: []string{"pw"}}, []string{"ab"}, "ab", "pw", ""},
		"a terminal and a file":      {setupRun{terminal: []string{"ab"}}, []string{"--passphrase-file", file}, "ab", " p w ", ""},
		"no link":                    {setupRun{input: "\n"}, nil, "", "", "the setup link is missing"},
		"no passphrase":              {setupRun{input: "obsidian://setuplivesync?settings=a\n"}, nil, "", "", "the link's passphrase is missing"},
		"a link on two lines only":   {setupRun{input: "x\nobsidian://setuplivesync?settings=a"}, nil, "", "", "the link's passphrase is missing"},
		"no passphrase for the link": {setupRun{}, []string{"ab"}, "", "", "the link's passphrase is missing"},
		"two lines for a passphrase": {setupRun{input: "a\nb\n"}, []string{"ab"}, "", "", "the link's passphrase is missing"},
		"no file of the passphrase":  {setupRun{}, []string{"ab", "--passphrase-file", file + "x"}, "", "", "--passphrase-file: open "},
		"an empty file":              {setupRun{}, []string{"ab", "--passphrase-file", os.DevNull}, "", "", "--passphrase-file: the file is empty"},
		"the end of the terminal":    {setupRun{terminal: []string{}}, nil, "", "", "no answer was given"},
		"an address, but no device":  {setupRun{}, []string{"ab", "--device-url", "https://x"}, "", "", "--device-url belongs to --new-device"},
		"a link for a device's link": {setupRun{}, []string{"ab", "--new-device"}, "", "", "--new-device makes a link; it takes none"},
		"a broken config file":       {setupRun{input: "ab\npw"}, []string{"--config", file}, "", "", file + ": the file must contain keys and values"},
		"a folder for a config file": {setupRun{input: "ab\npw"}, []string{"--config", filepath.Dir(file)}, "", "", "--config: "},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, messages := c.run.run(t, append(c.args, "--remote", "R")[:len(c.args)+2*min(1, len(c.link))]...)
			if c.refused != "" {
				if status != 2 || !strings.HasPrefix(messages, "obsidian-mcp: "+c.refused) || out != "" || c.run.link.Link != "" {
					t.Errorf("%d %q %q", status, out, messages)
				}
				return
			}
			if status != 0 || c.run.link.Link != c.link || c.run.link.Passphrase != c.pass || c.run.link.Remote != "R" {
				t.Errorf("%d %q %q %q %s", status, c.run.link.Link.Reveal(), c.run.link.Passphrase.Reveal(), c.run.link.Remote, messages)
			}
			if strings.Contains(out+messages, "hunter") || strings.Contains(out+messages, "p w") {
				t.Errorf("a secret is shown: %s%s", out, messages)
			}
			os.RemoveAll(folder)
		})
	}
}

// TestSetupWrites: a new config file is written at once, an existing one only when the person agrees. Its other lines stay.
func TestSetupWrites(t *testing.T) {
	folder := setupHome(t)
	named := "couchdb_base_url: https://couch.example.com\ncouchdb_database_name: notes\ncouchdb_user: me\n" +
		"couchdb_password_file: obsidian-mcp.couchdb-password\nvault_passphrase_file: obsidian-mcp.vault-passphrase\n"
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err.Error()
		}
		if info, err := os.Stat(filepath.Join(folder, name)); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
		return string(content)
	}
	want := func(file string) {
		t.Helper()
		if got := read("obsidian-mcp.yaml"); got != file {
			t.Errorf("%s", got)
		}
		if got := read("obsidian-mcp.couchdb-password") + read("obsidian-mcp.vault-passphrase"); got != "hunter2\nhunter3\n" {
			t.Errorf("%s", got)
		}
	}
	status, out, messages := (&setupRun{input: "ab\npw"}).run(t)
	if status != 0 || messages != "" || !strings.Contains(out, "ok      server: fine\nlook    link: differs; look\n") ||
		!strings.Contains(out, "written: "+filepath.Join(folder, "obsidian-mcp.yaml")+"\nnext: obsidian-mcp install puts ") {
		t.Errorf("%d\n%s%s", status, out, messages)
	}
	want(named)
	if status, out, messages = (&setupRun{input: "ab\npw"}).run(t); status != 0 || messages != "" || !strings.Contains(out, "already set up in ") {
		t.Errorf("%d\n%s%s", status, out, messages)
	}
	other := "# mine\nvault_path: /notes\ncouchdb_password: hunter1\n"
	password := filepath.Join(folder, "obsidian-mcp.couchdb-password")
	for name, content := range map[string]string{filepath.Join(folder, "obsidian-mcp.yaml"): other, password: "old\n"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(password, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		run    setupRun
		args   []string
		status int
		says   string
	}{
		"a script":   {setupRun{input: "ab\npw"}, nil, 2, "nothing was written; the same command with --yes writes this"},
		"a dry run":  {setupRun{input: "ab\npw"}, []string{"--dry-run"}, 0, "nothing was written (--dry-run)"},
		"a person":   {setupRun{terminal: []string{"ab", "pw"}, input: "n\n"}, nil, 1, "nothing was changed"},
		"a bad link": {setupRun{input: "bad\npw"}, []string{"--yes"}, 4, "no ␛"},
		"Ctrl-C":     {setupRun{input: "stop\npw"}, []string{"--yes"}, 130, "interrupted; nothing was changed"},
	} {
		status, out, messages := c.run.run(t, c.args...)
		if status != c.status || !strings.Contains(messages, c.says) || strings.Contains(out+messages, "hunter") {
			t.Errorf("%s: %d\n%s%s", name, status, out, messages)
		}
		if c.run.link.Link == "ab" && (!strings.Contains(out, "\n-vault_path: /notes\n-couchdb_password: [redacted]\n+couchdb_base_url: https:") ||
			!strings.Contains(messages, password+" is replaced too")) {
			t.Errorf("%s: %s%s", name, out, messages)
		}
		if got, err := os.ReadFile(filepath.Join(folder, "obsidian-mcp.yaml")); string(got) != other {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	status, out, messages = (&setupRun{input: "ab\npw"}).run(t, "--yes", "--quiet")
	if status != 0 || strings.Contains(out, "written") || !strings.Contains(out, "look    link: differs") || strings.Contains(out, "server") {
		t.Errorf("%d\n%s%s", status, out, messages)
	}
	want("# mine\n" + named)
	if backups, _ := filepath.Glob(filepath.Join(folder, "*backup*")); len(backups) != 2 {
		t.Error(backups)
	}
}

// TestSetupNamesWhatOverrides: variables win over the config file, so a person must know of them.
func TestSetupNamesWhatOverrides(t *testing.T) {
	setupHome(t)
	for variable, says := range map[string]string{
		"OBSIDIAN_VAULT_PATH": "a folder (OBSIDIAN_VAULT_PATH=" + os.TempDir() + ") and a CouchDB",
		"COUCHDB_USER":        "the settings in this shell name another database or login than the config file",
	} {
		value := map[string]string{"OBSIDIAN_VAULT_PATH": os.TempDir(), "COUCHDB_USER": "ada"}[variable]
		status, _, messages := (&setupRun{input: "ab\npw", lookup: map[string]string{variable: value}}).run(t)
		if status != 0 || !strings.Contains(messages, "the config file is written, but: "+says) {
			t.Errorf("%d %s", status, messages)
		}
	}
}

// If one file cannot be written, none is.
func TestSetupTakesBack(t *testing.T) {
	folder := setupHome(t)
	name := filepath.Join(folder, "obsidian-mcp.vault-passphrase")
	if err := os.MkdirAll(name, 0o700); err != nil {
		t.Fatal(err)
	}
	status, _, messages := (&setupRun{input: "ab\npw"}).run(t)
	if status != 2 || !strings.Contains(messages, "it is not a regular file") {
		t.Errorf("%d %s", status, messages)
	}
	if left, _ := os.ReadDir(folder); len(left) != 1 {
		t.Error(left)
	}
}

func TestNewDevice(t *testing.T) {
	setupHome(t)
	database := map[string]string{"COUCHDB_BASE_URL": "https://couch.example.com", "COUCHDB_DATABASE_NAME": "notes", "COUCHDB_USER": "me", "COUCHDB_PASSWORD": "hunter2"}
	with := func(address string) map[string]string {
		all := map[string]string{"COUCHDB_BASE_URL": address, "COUCHDB_DATABASE_NAME": "notes"}
		return all
	}
	for name, c := range map[string]struct {
		run    setupRun
		args   []string
		status int
		says   string
		url    string
	}{
		"a script":                 {setupRun{input: "pw\n", lookup: database}, nil, 0, "the link contains the address of the database, the login of 'me', the vault's passphrase; send", "https://couch.example.com"},
		"a person":                 {setupRun{terminal: []string{"pw", "pw"}, lookup: database}, nil, 0, "the vault is end-to-end encrypted, V2", "https://couch.example.com"},
		"an empty database":        {setupRun{input: "fresh\n", lookup: database}, nil, 0, "the database is still empty", "https://couch.example.com"},
		"another address":          {setupRun{input: "pw\n", lookup: with("http://127.0.0.1:5984")}, []string{"--device-url", "https://c.example/x/"}, 0, "the link contains the address of the database, the vault's passphrase", "https://c.example/x"},
		"this machine":             {setupRun{input: "pw\n", lookup: with("http://127.0.0.1:5984")}, nil, 0, "other devices cannot reach http://127.0.0.1:5984", "http://127.0.0.1:5984"},
		"a short name":             {setupRun{input: "pw\n", lookup: with("http://couchdb:5984")}, nil, 0, "devices may not know the name 'couchdb'", "http://couchdb:5984"},
		"no TLS":                   {setupRun{input: "pw\n", lookup: with("http://192.168.0.7:5984")}, nil, 0, "Obsidian on phones and tablets needs an address with https://", "http://192.168.0.7:5984"},
		"no database":              {setupRun{input: "pw\n"}, nil, 1, "COUCHDB_BASE_URL not set", ""},
		"no passphrase":            {setupRun{lookup: database}, nil, 2, "the link's passphrase is missing", ""},
		"an empty answer":          {setupRun{terminal: []string{"", ""}, lookup: database}, nil, 2, "the link needs a passphrase", ""},
		"two different answers":    {setupRun{terminal: []string{"a", "b"}, lookup: database}, nil, 2, "the two passphrases differ", ""},
		"a wrong address":          {setupRun{input: "pw\n", lookup: database}, []string{"--device-url", "c.example"}, 2, "--device-url: must begin with https:// or http://", ""},
		"a login in the address":   {setupRun{input: "pw\n", lookup: database}, []string{"--device-url", "https://u:hunter2@c.example"}, 2, "--device-url: must not contain a user or password", ""},
		"a question without a yes": {setupRun{terminal: []string{"pw"}, lookup: database}, nil, 2, "no answer was given", ""},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, messages := c.run.run(t, append(c.args, "--new-device")...)
			if status != c.status || !strings.Contains(messages, "obsidian-mcp: "+c.says) || strings.Contains(out+messages, "hunter") {
				t.Errorf("%d\n%s%s", status, out, messages)
			}
			if want := map[bool]string{true: "obsidian://link\n"}[c.status == 0]; out != want || c.run.device.URL != c.url {
				t.Errorf("%q %q", out, c.run.device.URL)
			}
		})
	}
	if _, _, messages := (&setupRun{input: "pw", lookup: database}).run(t, "--new-device", "--quiet"); messages != "" {
		t.Error(messages)
	}
}
