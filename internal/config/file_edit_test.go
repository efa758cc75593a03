package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

var (
	notes = config.LiveSync{URL: "https://couch.example.com", Database: "notes", User: "0123"}
	// named are the lines of the database of notes.
	named = "couchdb_base_url: https://couch.example.com\ncouchdb_database_name: notes\ncouchdb_user: \"0123\"\n" +
		"couchdb_password_file: pw\nvault_passphrase_file: pp\n"
)

func TestNameDatabase(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"no file":       {"", named},
		"comments":      {"# mine\n", "# mine\n" + named},
		"no line end":   {"read_only: true # for now", "read_only: true # for now\n" + named},
		"CRLF":          {"# a\r\nread_only: true\r\n", "# a\r\nread_only: true\r\n" + strings.ReplaceAll(named, "\n", "\r\n")},
		"the same":      {named, named},
		"another order": {"vault_passphrase_file: pp\ncouchdb_user: x\n", "vault_passphrase_file: pp\ncouchdb_user: \"0123\"\n" + without(named, "couchdb_user", "vault_passphrase_file")},
		"a folder": {
			"# vault\nvault_path: /notes # old\n\n# tags\ntag_rules:\n  a: {error: x}\nvault: V\nstyle: contract\n",
			"# vault\n\n# tags\ntag_rules:\n  a: {error: x}\nstyle: contract\n" + named,
		},
		"secrets in the file": {
			"couchdb_password: hunter2\n# end\nvault_passphrase: 'a b'\n", "# end\n" + named,
		},
		"another database": {
			"couchdb_base_url: http://x # home\nuse_path_obfuscation: true\nlivesync_cache: on\ncouchdb_database_name: y\n",
			"couchdb_base_url: https://couch.example.com # home\nlivesync_cache: on\ncouchdb_database_name: notes\n" + without(named, "couchdb_base_url", "couchdb_database_name"),
		},
		"an indent": {"  read_only: true\n", "  read_only: true\n  " + strings.ReplaceAll(strings.TrimSpace(named), "\n", "\n  ") + "\n"},
		"a list":    {"toolsets:\n  - find\n  - notes\ncouchdb_user: 'x'\n", "toolsets:\n  - find\n  - notes\ncouchdb_user: \"0123\"\n" + without(named, "couchdb_user")},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := config.NameDatabase([]byte(c.before), notes, "pw", "pp")
			if diff := cmp.Diff(c.after, string(got)); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

// without removes lines with keys.
func without(text string, keys ...string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		key, _, _ := strings.Cut(line, ":")
		if !strings.Contains(" "+strings.Join(keys, " ")+" ", " "+key+" ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// A text that cannot be changed safely is refused.
func TestNameDatabaseRefuses(t *testing.T) {
	for name, before := range map[string]string{
		"flow":               "{read_only: true}\n",
		"a broken file":      "a: b: c\n",
		"an unknown key":     "no_such_key: 1\n",
		"several lines":      "couchdb_user: one\n  two\nread_only: true\n",
		"a block":            "couchdb_password: |-\n  hunter2\nread_only: true\n",
		"the document's end": "read_only: true\n...\n",
		"an anchor":          "couchdb_user: &u x\nvault_id: *u\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := config.NameDatabase([]byte(before), notes, "pw", "")
			if err == nil {
				if name == "a block" || name == "several lines" { // what is left is refused, or nothing is left
					t.Errorf("%q", got)
				}
				t.Errorf("accepted: %q", got)
			} else if fault.KindOf(err) != fault.InvalidArgument || fault.HintOf(err) == "" || strings.Contains(err.Error(), "hunter2") {
				t.Error(err, fault.HintOf(err))
			}
		})
	}
}

// What is written is read as it was meant, whatever is in the values.
func TestNameDatabaseRoundTrip(t *testing.T) {
	yes, no := true, false
	for _, want := range []config.LiveSync{
		{URL: "http://127.0.0.1:5984/a'b", Database: "n", User: "yes", Obfuscated: &yes},
		{URL: "https://example.com", Database: "n/ä#x", User: "- 'a\" #b \\", Password: "pw", Obfuscated: &no},
		{URL: "https://example.com", Database: "1e3", User: strings.Repeat("long user ", 40) + "x", Password: "pw", Passphrase: "pp"},
		{URL: "https://example.com", Database: "null", User: "~", Passphrase: "pp"},
	} {
		dir := t.TempDir()
		files := map[string]string{"pw": want.Password.Reveal(), "pp": want.Passphrase.Reveal()}
		names := map[string]string{}
		for name, content := range files {
			if content != "" {
				names[name] = name
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		text, err := config.NameDatabase([]byte("read_only: true\n"), want, names["pw"], names["pp"])
		if err != nil {
			t.Error(err)
			continue
		}
		file := filepath.Join(dir, "c.yaml")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := config.Load(config.Source{File: file, Lookup: func(string) (string, bool) { return "", false }})
		if diff := cmp.Diff(want, got.LiveSync); err != nil || diff != "" || !got.ReadOnly {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
	}
}

func TestHideSecrets(t *testing.T) {
	got := config.HideSecrets("couchdb_user: me\r\n# couchdb_password: hunter2\r\n'token': |\n  hunter2\n  hunter2\nvault_passphrase_file: pp\n  \"vault_passphrase\" : hunter2")
	want := "couchdb_user: me\r\n# couchdb_password: [redacted]\r\n'token': [redacted]\n [redacted]\n [redacted]\nvault_passphrase_file: pp\n  \"vault_passphrase\" : [redacted]"
	if got != want {
		t.Errorf("%s", got)
	}
}
