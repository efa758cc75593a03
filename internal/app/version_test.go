package app

import (
	"strings"
	"testing"
)

func TestVersionOfARelease(t *testing.T) {
	releaseVersion, releaseCommit, releaseDate = "v1.2.3", "0123abcd", "2026-01-02T03:04:05Z"
	t.Cleanup(func() { releaseVersion, releaseCommit, releaseDate = "", "", "" })
	if moduleVersion() != "v1.2.3" {
		t.Errorf("the version is %q", moduleVersion())
	}
	want := "obsidian-mcp v1.2.3\ncommit 0123abcd\ndate 2026-01-02T03:04:05Z\ngo"
	if !strings.HasPrefix(version(), want) {
		t.Errorf("version is\n%s\nwant it to begin with\n%s", version(), want)
	}
}

func TestVersionOfAnotherBuild(t *testing.T) {
	if got := version(); !strings.HasPrefix(got, "obsidian-mcp ") || !strings.Contains(got, "\ncommit ") || !strings.Contains(got, "\nMCP 20") {
		t.Errorf("version is\n%s", got)
	}
}
