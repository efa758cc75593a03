package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/config"
)

func TestLayoutInConfigFile(t *testing.T) {
	got, err := load(t, `
timezone: Asia/Kathmandu
locale: en-GB
daily: {folder: /Journal/, format: "YYYY/MM-DD", template: ""}
periods:
  weekly: {folder: ""}
  yearly: {format: YYYY}
templates_folder: Templates
attachment_folder: ./assets
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Layout{
		Periods: map[string]config.PeriodNotes{
			"daily":  {Folder: new("Journal"), Format: new("YYYY/MM-DD"), Template: new("")},
			"weekly": {Folder: new("")},
			"yearly": {Format: new("YYYY")},
		},
		Templates: new("Templates"), Attachments: new("./assets"),
	}
	if diff := cmp.Diff(want, got.Layout); diff != "" || got.Timezone.String() != "Asia/Kathmandu" || got.Locale != "en-gb" {
		t.Errorf("%v, %q (-want +got)\n%s", got.Timezone, got.Locale, diff)
	}
	if got, err := load(t, "", nil); err != nil || got.Timezone != nil || got.Locale != "en" {
		t.Errorf("by default: %v, %q, %v", got.Timezone, got.Locale, err)
	}
}

func TestInvalidLayout(t *testing.T) {
	for text, want := range map[string]string{
		"timezone: Europe/Atlantis":         "timezone in ",
		"timezone: Local":                   "must be a time zone such as Europe/Berlin or UTC",
		"locale: de":                        "'de' is not valid",
		"daily: Journal":                    "daily: it must contain keys and values",
		"daily: {folders: x}":               "daily: unknown setting 'folders' (did you mean 'folder'?)",
		"daily: {format: \"\"}":             "'format' must not be empty",
		"daily: {folder: [a]}":              "'folder' must be a text",
		"daily: {folder: ../out}":           `'folder': path contains ".."`,
		"daily: {template: .obsidian/x}":    "is hidden",
		"periods: {daily: {folder: x}}":     "periods: unknown setting 'daily'",
		"periods: {weekly: {folder: a\\b}}": "periods: weekly: 'folder': path",
		"templates_folder:":                 "'templates_folder' must be a text",
		"attachment_folder: ./../x":         `path contains ".."`,
		"daily: {}\ndaily: {}":              "'daily' is set twice",
	} {
		if _, err := load(t, text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
