package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/config"
)

func loadFile(t *testing.T, content string) (config.Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.Load(config.Source{File: file, Lookup: func(string) (string, bool) { return "", false }})
}

func TestOutside(t *testing.T) {
	got, err := loadFile(t, `
sync: {pull: git pull --rebase, push: [sh, -c, "git push 2>&1"], status: [git, status], timeout: 90s, every: 5m, environment: [RCLONE_CONFIG_PASS]}
adr: {folder: Decisions/, repo: acme/shop, token_file: /run/token}
app_commands: [daily-notes, "editor:save-file"]
app: true
`)
	want := config.Outside{
		Sync: &config.Sync{
			Pull: []string{"git", "pull", "--rebase"}, Push: []string{"sh", "-c", "git push 2>&1"}, Status: []string{"git", "status"},
			Timeout: 90 * time.Second, Every: 5 * time.Minute, Pass: []string{"RCLONE_CONFIG_PASS"},
		},
		ADR: &config.ADR{Folder: "Decisions", Repo: "acme/shop", Path: "docs/adr", Mode: "pr", TokenFile: "/run/token", API: "https://api.github.com"},
		App: &config.App{Commands: []string{"daily-notes", "editor:save-file"}},
	}
	if err != nil || !reflect.DeepEqual(got.Outside, want) {
		t.Errorf("%+v, %v", got.Outside, err)
	}
	if got, err = loadFile(t, "sync: git\napp: false\napp_commands: [x]"); err != nil || got.Outside.Sync.Preset != "git" || got.Outside.App != nil {
		t.Errorf("%+v, %v", got.Outside, err)
	}
	if got, err = loadFile(t, "adr: {repo: a/b, token_file: t, path: /, mode: commit, branch: main, api: http://127.0.0.1:8080/api/v3/}"); err != nil ||
		got.Outside.ADR.API != "http://127.0.0.1:8080/api/v3" || got.Outside.ADR.Path != "" {
		t.Errorf("%+v, %v", got.Outside.ADR, err)
	}
}

func TestOutsideRefusals(t *testing.T) {
	for content, want := range map[string]string{
		"sync: svn":                                                        "unknown preset 'svn'; use git, rclone, obsidian-headless",
		"sync: {}":                                                         "it needs preset",
		"sync: {every: 5m}":                                                "it needs preset",
		"sync: {status: [git, status]}":                                    "it needs preset",
		"sync: {preset: git, pull: [a]}":                                   "either preset, or pull, push and status",
		"sync: {preset: rclone}":                                           "needs remote",
		"sync: {preset: rclone, remote: --config}":                         "must not begin with a dash",
		"sync: {preset: git, remote: x}":                                   "remote is only for",
		"sync: {pull: git pull && git push}":                               "not run by a shell",
		"sync: {pull: [git, [pull]]}":                                      "its entries must be strings",
		"sync: {pull: ''}":                                                 "it is empty",
		"sync: {pull: []}":                                                 "must be a list",
		"sync: {preset: git, timeout: soon}":                               "timeout: 'soon' must be a time",
		"sync: {preset: git, every: 10ms}":                                 "of at least a second",
		"sync: {preset: git, pul: x}":                                      "unknown setting 'pul'",
		"adr: {repo: a/b}":                                                 "token_file",
		"adr: {repo: https://github.com/a/b, token_file: t}":               "must be owner/name",
		"adr: {repo: a/.., token_file: t}":                                 "must be owner/name",
		"adr: {repo: a/b, token_file: t, mode: push}":                      "must be pr or commit",
		"adr: {repo: a/b, token_file: t, path: ../x}":                      "must be a folder of the repository",
		"adr: {repo: a/b, token_file: t, branch: main}":                    "must contain {slug}",
		"adr: {repo: a/b, token_file: t, mode: commit, branch: 'x{slug}'}": "{slug} is for mode pr",
		"adr: {repo: a/b, token_file: t, api: http://example.com}":         "must begin with https://",
		"adr: {repo: a/b, token_file: t, api: 'https://u:p@example.com'}":  "must be an address",
		"adr: {repo: a/b, token_file: t, folder: .git}":                    "folder",
		"app: maybe":                           "app must be true or false",
		"app_commands: []":                     "app_commands: it is empty",
		`app_commands: [daily-notes, "a\\nb"]`: "app_commands: 'a\\nb' must be the id of a command",
		"app_commands: [--copy]":               "'--copy' must be the id of a command",
	} {
		if _, err := loadFile(t, content); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", content, err)
		}
	}
}
