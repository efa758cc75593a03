package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// Settings come from flags, variables and the file; --quiet changes the default log level.
func TestWhereSettingsComeFrom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("read_only: true\nstyle: contract\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	environment := map[string]string{
		"OBSIDIAN_VAULT_PATH": "/v", "OBSIDIAN_MCP_STYLE": "plain",
		"OBSIDIAN_MCP_TOOLSETS": "${user_config.toolsets}", "OBSIDIAN_MCP_HISTORY_DAYS": "${user_config.days}", // fields that were left empty
	}
	lookup := func(name string) (string, bool) { value, ok := environment[name]; return value, ok }
	got, err := config.Load(config.Source{File: file, Lookup: lookup, Flags: map[string]string{"port": "7"}, Quiet: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"port": "--port", "vault_path": "OBSIDIAN_VAULT_PATH", "style": "OBSIDIAN_MCP_STYLE", "read_only": "read_only in " + file, "host": "HOST", "none": "none",
	} {
		if from := got.From(name); from != want {
			t.Errorf("%s is from %q, want %q", name, from, want)
		}
	}
	if got.File != file || got.LogLevel != "error" || got.Toolsets != "default" || got.History.Days != 30 || len(got.Given()) != 4 {
		t.Errorf("%+v", got)
	}
	blamed := got.Blame("port", fault.Conflict.Errorf("taken").WithHint("choose"))
	if !errors.Is(blamed, fault.Conflict) || blamed.Error() != "--port: taken" || fault.HintOf(blamed) != "choose" || got.Blame("port", nil) != nil {
		t.Errorf("%v", blamed)
	}
	environment["LOG_LEVEL"] = "debug"
	if loud, err := config.Load(config.Source{File: file, Lookup: lookup, Quiet: true}); err != nil || loud.LogLevel != "debug" {
		t.Errorf("%v, %v", loud.LogLevel, err)
	}
}

// Each error is one line, with the position of the mistake.
func TestConfigFileErrors(t *testing.T) {
	for text, want := range map[string]string{
		"style: plain\n\tread_only: [\n": "c.yaml, line 2: it is not valid YAML: ",
		"\tvault_path: /v\n":             "c.yaml, line 1: it is not valid YAML: the line is indented with a tab; use spaces",
		"tokens:\n  \t- name: a\n":       "c.yaml, line 2: it is not valid YAML: the line is indented with a tab",
		"style: plain\nvault: @home\n":   "c.yaml, line 2: it is not valid YAML: a value begins with a special character",
		"a: b: c\n":                      "c.yaml: it is not valid YAML: mapping values",
		"styel: plain\n":                 "c.yaml, line 1: unknown setting 'styel' (did you mean 'style'?)",
		"style: plain\ntag_rules:\n  x: {requires: {a: b}}\n":   "c.yaml, line 2: ",
		"tokens:\n  - {name: a, sha256: b, read_only: maybe}\n": "c.yaml, line 1: tokens, entry 1 on line 2: read_only: cannot take str `maybe` for true or false",
		"[1]": "c.yaml: the file must contain keys and values",
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := config.Load(config.Source{File: file, Lookup: func(string) (string, bool) { return "", false }})
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n") || fault.HintOf(err) == "" || strings.Contains(err.Error(), "unmarshal") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A byte order mark and a final line break are not part of the value.
func TestValueFileIsTrimmed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("\ufeffomcp_ABC\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := config.Load(config.Source{File: os.DevNull, Lookup: func(name string) (string, bool) { return file, name == "OBSIDIAN_MCP_TOKEN_FILE" }})
	if err != nil || got.HTTP.Token.Reveal() != "omcp_ABC" {
		t.Errorf("%q, %v", got.HTTP.Token.Reveal(), err)
	}
}
