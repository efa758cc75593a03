package app

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/testkit/formats"
)

// TestConfirmKeysOfAllVersions reads the key of each version. A key of another size than ours is a newer version's, which
// keeps it.
func TestConfirmKeysOfAllVersions(t *testing.T) {
	formats.Check(t, formats.Format{Name: "confirm-key", Oldest: 1, Newest: 1}, func(t *testing.T, dir string) {
		localKey(dir)
	}, func(t *testing.T, dir string, _ int) {
		stored, err := os.ReadFile(filepath.Join(dir, "confirm.key"))
		if err != nil || !bytes.Equal(localKey(dir), stored) {
			t.Errorf("another key, %v", err)
		}
	})
	dir := t.TempDir()
	name, newer := filepath.Join(dir, "confirm.key"), []byte("v2 ed25519 0123456789abcdef0123456789abcdef")
	for _, stored := range [][]byte{newer, newer[:7], nil} { // the latter two were torn
		if err := os.WriteFile(name, stored, 0o600); err != nil {
			t.Fatal(err)
		}
		key := localKey(dir)
		now, err := os.ReadFile(name)
		want := stored
		if len(stored) < confirmKeySize {
			want = key
		}
		if err != nil || len(key) != confirmKeySize || !bytes.Equal(now, want) {
			t.Errorf("after %q: %q, %v", stored, now, err)
		}
	}
}

// TestConfigFilesOfAllVersions reads a config file of each version, with every kind of key.
func TestConfigFilesOfAllVersions(t *testing.T) {
	formats.Check(t, formats.Format{Name: "config-file", Oldest: 1, Newest: config.FileVersion}, func(t *testing.T, dir string) {
		if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(configVersion1), 0o644); err != nil {
			t.Fatal(err)
		}
	}, func(t *testing.T, dir string, _ int) {
		settings, err := config.Load(config.Source{File: filepath.Join(dir, config.FileName), Lookup: func(string) (string, bool) { return "", false }})
		if err != nil {
			t.Fatal(err)
		}
		if !settings.ReadOnly || len(settings.HTTP.Tokens) != 1 || settings.HTTP.Tokens[0].Name != "phone" || len(settings.TagRules) != 1 || settings.Outside.ADR == nil {
			t.Errorf("%+v", settings)
		}
	})
}

const configVersion1 = `version: 1
vault_path: .
read_only: true
toolsets: [notes, find]
log_level: warn
tokens:
  - name: phone
    sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    read_only: true
    deny: [private/]
tag_rules:
  Person: {name_prefix: "@", error: "A person's note starts with @."}
daily: {folder: Journal, format: YYYY-MM-DD}
adr: {folder: Decisions, repo: acme/shop, token_file: /run/token}
`
