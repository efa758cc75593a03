package config_test

import (
	"strings"
	"testing"
)

func TestFileVersion(t *testing.T) {
	for text, want := range map[string]string{
		"version: 1\nread_only: true\n": "",
		"read_only: true\n":             "",
		"version: 2\nunheard_of: 1\n":   "line 1: the file is for a newer version of obsidian-mcp: it has format 2, and this program reads 1",
		"version: 0\n":                  "version is the file's format",
		"version: new\n":                "version is the file's format",
	} {
		_, err := loadFile(t, text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
