package obsidian

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSelector(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	alias := filepath.Join(t.TempDir(), "Alias")
	if err := os.Symlink(folder, alias); err != nil {
		t.Skip(err)
	}
	notes, other, byAlias := Known{"1", "Notes", folder}, Known{"2", "Notes", "/elsewhere/Notes"}, Known{"3", "Alias", alias}
	for _, test := range []struct {
		name, folder string
		known        []Known
		want, refuse string
	}{
		{"it is in the list", folder, []Known{notes}, "Notes", ""},
		{"its name is not unique", folder, []Known{other, notes}, "1", ""},
		{"the list has another path to it", folder, []Known{byAlias}, "Alias", ""},
		{"there is no list", folder, nil, "Notes", ""},
		{"the list has only others", folder, []Known{{"4", "Work", "/work"}}, "Notes", ""},
		{"another vault has its name", folder, []Known{other}, "", "Obsidian's vault 'Notes' is in '/elsewhere/Notes'"},
		{"a database with a known name", "", []Known{other}, "Notes", ""},
		{"a database with an unknown name", "", []Known{byAlias}, "Notes", ""},
		{"a database whose name two vaults have", "", []Known{notes, other}, "", "several vaults called 'Notes'"},
	} {
		vault := Vault{Folder: test.folder, Name: "Notes", Known: func() []Known { return test.known }}
		got, err := vault.selector()
		if got != test.want || (err != nil) != (test.refuse != "") || err != nil && !strings.Contains(err.Error(), test.refuse) {
			t.Errorf("%s: %q, %v", test.name, got, err)
		}
		if link := New(Options{Vault: vault}).Selector(); link == "" {
			t.Errorf("%s: a link needs the name in any case", test.name)
		}
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		File{Path: "Plans/Über & 1+1.md"}.Link("My vault"):      "obsidian://open?vault=My%20vault&file=Plans%2F%C3%9Cber%20%26%201%2B1",
		File{Path: "A.md", Part: "Next steps"}.Link("v"):        "obsidian://open?vault=v&file=A%23Next%20steps",
		File{Path: "A.md", Part: "^id", NewTab: true}.Link("v"): "obsidian://open?vault=v&file=A%23%5Eid&paneType=tab",
		File{Path: "map.canvas"}.Link("v"):                      "obsidian://open?vault=v&file=map.canvas",
		SearchLink("My vault", `tag:#a "b c"`):                  "obsidian://search?vault=My%20vault&query=tag%3A%23a%20%22b%20c%22",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
