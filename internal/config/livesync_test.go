package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

func TestLiveSyncSettings(t *testing.T) {
	yes, no := true, false
	for name, c := range map[string]struct {
		file      string
		variables map[string]string
		want      config.LiveSync
	}{
		"none": {want: config.LiveSync{}},
		"all by variables": {
			variables: map[string]string{
				"COUCHDB_BASE_URL": "https://example.com/couchdb/", "COUCHDB_DATABASE_NAME": "notes", "COUCHDB_USER": "me", "COUCHDB_PASSWORD": "a: b",
				"VAULT_PASSPHRASE": "Correct-Horse 🐴 battery", "USE_PATH_OBFUSCATION": "true", "OBSIDIAN_MCP_LIVESYNC_CACHE": "on",
			},
			want: config.LiveSync{
				URL: "https://example.com/couchdb", Database: "notes", User: "me", Password: "a: b",
				Passphrase: "Correct-Horse 🐴 battery", Obfuscated: &yes, Cache: true,
			},
		},
		"all by the file": {
			file: "couchdb_base_url: http://127.0.0.1:5984\ncouchdb_database_name: notes/main\ncouchdb_user: me\ncouchdb_password: 0123\n" +
				"vault_passphrase: ' x '\nuse_path_obfuscation: false\nlivesync_cache: off\n",
			want: config.LiveSync{URL: "http://127.0.0.1:5984", Database: "notes/main", User: "me", Password: "0123", Passphrase: " x ", Obfuscated: &no},
		},
		"a variable wins over the file": {
			file: "couchdb_database_name: theirs\n", variables: map[string]string{"COUCHDB_DATABASE_NAME": "mine"},
			want: config.LiveSync{Database: "mine"},
		},
		"spaces around an address": {
			variables: map[string]string{"COUCHDB_BASE_URL": " https://example.com "}, want: config.LiveSync{URL: "https://example.com"},
		},
		"auto": {variables: map[string]string{"USE_PATH_OBFUSCATION": "AUTO"}},
		"1":    {variables: map[string]string{"USE_PATH_OBFUSCATION": "1"}, want: config.LiveSync{Obfuscated: &yes}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := load(t, c.file, c.variables)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.LiveSync); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A line break at the end of the file is not part of the secret.
func TestLiveSyncSecretsFromFiles(t *testing.T) {
	dir := t.TempDir()
	variables := map[string]string{}
	for _, name := range []string{"COUCHDB_USER", "COUCHDB_PASSWORD", "VAULT_PASSPHRASE"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("of "+name+"\r\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		variables[name+"_FILE"] = file
	}
	got, err := load(t, "", variables)
	want := config.LiveSync{User: "of COUCHDB_USER", Password: "of COUCHDB_PASSWORD", Passphrase: "of VAULT_PASSPHRASE"}
	if diff := cmp.Diff(want, got.LiveSync); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// The config file may name the files of secrets. The file is read only if its value counts.
func TestSecretFilesInConfigFile(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"password": "hunter2\n", "c/passphrase": " Correct-Horse 🐴 \r\n", "c/empty": "\n"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "c", "c.yaml")
	absolute := "couchdb_password_file: '" + filepath.Join(dir, "password") + "'\n"
	for name, c := range map[string]struct {
		yaml, variable string
		want           config.LiveSync
		refused        string
	}{
		"both kinds of path":    {yaml: absolute + "vault_passphrase_file: passphrase\n", want: config.LiveSync{Password: "hunter2", Passphrase: " Correct-Horse 🐴 "}},
		"a variable wins":       {yaml: "couchdb_password_file: none\n", variable: "x", want: config.LiveSync{Password: "x"}},
		"a missing file":        {yaml: "couchdb_password_file: none\n", refused: "couchdb_password_file in " + file + ": open " + filepath.Join(dir, "c", "none")},
		"an empty file":         {yaml: "couchdb_password_file: empty\n", refused: "the file is empty"},
		"no name":               {yaml: "couchdb_password_file: ''\n", refused: "line 1: 'couchdb_password_file' must name a file"},
		"a list":                {yaml: "couchdb_password_file: [a]\n", refused: "line 1: 'couchdb_password_file' must be a text"},
		"given twice":           {yaml: absolute + "couchdb_password: y\n", refused: "line 2: 'couchdb_password' is set twice, directly and as a file"},
		"given twice, reversed": {yaml: "couchdb_password: y\n" + absolute, refused: "line 2: 'couchdb_password' is set twice, directly and as a file"},
		"the same key twice":    {yaml: absolute + absolute, refused: "line 2: 'couchdb_password_file' is set twice"},
		"not a secret":          {yaml: "couchdb_user_file: x\n", refused: "unknown setting 'couchdb_user_file'"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(c.yaml), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := config.Load(config.Source{File: file, Lookup: func(name string) (string, bool) {
				return c.variable, name == "COUCHDB_PASSWORD" && c.variable != ""
			}})
			if c.refused != "" {
				if fault.KindOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), c.refused) || fault.HintOf(err) == "" {
					t.Errorf("%v; %s", err, fault.HintOf(err))
				}
				return
			}
			if diff := cmp.Diff(c.want, got.LiveSync); err != nil || diff != "" {
				t.Error(err, diff)
			}
			if from := got.From("vault_passphrase"); c.want.Passphrase != "" && from != "vault_passphrase_file in "+file {
				t.Errorf("from %s", from)
			}
		})
	}
}

// The error names the setting, but not its value, which may be or contain a secret.
func TestInvalidLiveSyncSettings(t *testing.T) {
	for _, c := range []struct{ variable, value, want string }{
		{"COUCHDB_BASE_URL", "https://me:hunter2@example.com", "must not contain a user or password"},
		{"COUCHDB_BASE_URL", "https://hunter2@example.com", "must not contain a user or password"},
		{"COUCHDB_BASE_URL", "ftp://hunter2.example.com", "must begin with https:// or http://"},
		{"COUCHDB_BASE_URL", "hunter2.example.com", "must begin with https:// or http://"},
		{"COUCHDB_BASE_URL", "localhost:5984/hunter2", "must begin with https:// or http://"},
		{"COUCHDB_BASE_URL", "https://", "name a host"},
		{"COUCHDB_BASE_URL", "https://example.com/?p=hunter2", "query"},
		{"COUCHDB_BASE_URL", "https://example.com/#hunter2", "fragment"},
		{"COUCHDB_BASE_URL", "https://example.com:hunter2/", "must be a URL"},
		{"COUCHDB_BASE_URL", "https://example.com/\x1b[2Jhunter2", "control characters"},
		{"COUCHDB_DATABASE_NAME", "hunter2 notes", "spaces"},
		{"COUCHDB_DATABASE_NAME", "_hunter2", "leading _"},
		{"COUCHDB_DATABASE_NAME", "..", "the name of a vault's database"},
		{"COUCHDB_DATABASE_NAME", "hunter2\x00", "control characters"},
		{"COUCHDB_USER", "hunter2:x", "colon"},
		{"COUCHDB_USER", "hunter2\r\nX-Evil: 1", "control characters"},
		{"COUCHDB_PASSWORD", "hunter2\n", "line breaks"},
		{"VAULT_PASSPHRASE", "hunter2\n", "line breaks"},
		{"USE_PATH_OBFUSCATION", "perhaps", "must be auto, true or false"},
		{"OBSIDIAN_MCP_LIVESYNC_CACHE", "perhaps", "must be true or false"},
	} {
		_, err := load(t, "", map[string]string{c.variable: c.value})
		switch {
		case err == nil:
			t.Errorf("%s=%q was accepted", c.variable, c.value)
		case !strings.Contains(err.Error(), c.want), !strings.HasPrefix(err.Error(), c.variable), strings.ContainsAny(err.Error(), "\r\n\x1b"):
			t.Errorf("%s=%q: %q", c.variable, c.value, err)
		case strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%s: the value is shown: %q", c.variable, err)
		}
	}
}

func TestFolderOrDatabase(t *testing.T) {
	const url, database = "COUCHDB_BASE_URL", "COUCHDB_DATABASE_NAME"
	for _, c := range []struct {
		variables  string
		configured bool
		oneVault   string // part of the error; "" for none
		check      string
	}{
		{"", false, "", "COUCHDB_BASE_URL not set"},
		{url + " " + database, true, "", ""},
		{url, true, "", "COUCHDB_DATABASE_NAME not set"},
		{database, true, "", "COUCHDB_BASE_URL not set"},
		{url + " " + database + " COUCHDB_PASSWORD", true, "", "COUCHDB_USER not set"},
		{"COUCHDB_USER COUCHDB_PASSWORD", false, "", "COUCHDB_BASE_URL not set"},
		{"VAULT_PATH COUCHDB_USER COUCHDB_PASSWORD", false, "", "COUCHDB_BASE_URL not set"},
		{"VAULT_PATH " + url + " " + database, true, "OBSIDIAN_VAULT_PATH=x) and a CouchDB (COUCHDB_BASE_URL=http://x)", ""},
		{"OBSIDIAN_VAULT " + database, true, "OBSIDIAN_VAULT=x) and a CouchDB (COUCHDB_DATABASE_NAME=x)", "COUCHDB_BASE_URL not set"},
	} {
		variables := map[string]string{}
		for _, name := range strings.Fields(c.variables) {
			variables[name] = "x"
			if name == url {
				variables[name] = "http://x"
			}
		}
		got, err := load(t, "", variables)
		if err != nil {
			t.Fatalf("%s: %v", c.variables, err)
		}
		if got.LiveSync.Configured() != c.configured {
			t.Errorf("%s: configured: %t", c.variables, !c.configured)
		}
		wantFault(t, c.variables+": OneVault", got.OneVault(), c.oneVault)
		wantFault(t, c.variables+": Check", got.LiveSync.Check(), c.check)
	}
}

// A folder given by a flag does not hide that a database is configured, too.
func TestFolderByFlagConflictsWithDatabase(t *testing.T) {
	got, err := config.Load(config.Source{Flags: map[string]string{"vault_path": "v"}, Lookup: func(name string) (string, bool) {
		return "https://example.com", name == "COUCHDB_BASE_URL"
	}})
	if err != nil || got.OneVault() == nil {
		t.Errorf("%v, %v", err, got.OneVault())
	}
}

// wantFault expects a VaultNotFound error that contains want; "" for no error.
func wantFault(t *testing.T, what string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", what, err)
	case want != "" && (!errors.Is(err, fault.VaultNotFound) || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	settings := config.LiveSync{Password: "hunter2", Passphrase: "hunter2"}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if text := fmt.Sprintf(verb, settings); strings.Contains(text, "hunter2") || strings.Contains(text, "68756e74657232") {
			t.Errorf("%s: %s", verb, text)
		}
	}
}
