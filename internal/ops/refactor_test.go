package ops_test

import (
	"cmp"
	"log/slog"
	"strings"
	"testing"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
)

// TestRefactoringOfAwkwardNotes makes one call on a small vault, and compares the files that it writes.
func TestRefactoringOfAwkwardNotes(t *testing.T) {
	compose := func(action string, more ...string) []string {
		return append([]string{"compose_notes", "action", action}, more...)
	}
	rename := func(kind, from, to string, more ...string) []string {
		return append([]string{"rename_in_vault", "kind", kind, "from", from, "to", to}, more...)
	}
	for name, test := range map[string]struct {
		files map[string]string
		call  []string
		want  map[string]string // "" for a file that is gone
	}{
		"links in merged properties": {
			map[string]string{"a/n.md": "---\nrel: \"[[../b/n]]\"\n---\nbody [[../b/n]]\n", "b/n.md": "", "m.md": "x [[b/n]]\n"},
			compose("merge", "note", "a/n", "target", "m"),
			map[string]string{"m.md": "---\nrel: \"[[n]]\"\naliases:\n  - n\n---\nx [[b/n]]\n\nbody [[n]]\n"},
		},
		"text that looks like frontmatter": {
			map[string]string{"n.md": "intro\n\n---\nfoo: bar\n---\n\nend\n"},
			compose("extract", "note", "n", "lines", "3-6", "target", "new"),
			map[string]string{"new.md": "\n---\nfoo: bar\n---\n", "n.md": "intro\n\n[[new]]\n\nend\n"},
		},
		"a rest that looks like frontmatter": {
			map[string]string{"n.md": "intro\n\n---\nSome text: here\n\n---\n\nend\n"},
			compose("extract", "note", "n", "lines", "1-2", "target", "new", "leave", "none"),
			map[string]string{"new.md": "intro\n", "n.md": "\n---\nSome text: here\n\n---\n\nend\n"},
		},
		"a byte-order mark": {
			map[string]string{"n.md": "\ufeffone\ntwo\nthree\n"},
			compose("extract", "note", "n", "lines", "1-2", "target", "new"),
			map[string]string{"new.md": "one\ntwo\n", "n.md": "\ufeff[[new]]\nthree\n"},
		},
		"definitions of several lines": {
			map[string]string{"n.md": "# One\nx [a] [b] [c][d][^1]\n\n# Two\n\n[a]: https://a\n  \"A\"\n[b]:\n  https://b\n[d]: <https://d> 'D'\n\"text\"\n\n[^1]: note\n    goes on\n\n    and on\n"},
			compose("extract", "note", "n", "section", "One", "target", "new", "leave", "none"),
			map[string]string{
				"n.md":   "# Two\n\n\"text\"\n\n",
				"new.md": "# One\nx [a] [b] [c][d][^1]\n\n[a]: https://a\n  \"A\"\n[b]:\n  https://b\n[d]: <https://d> 'D'\n[^1]: note\n    goes on\n\n    and on\n",
			},
		},
		"a tag in headings": {
			map[string]string{
				"n.md": "# About #old/one\n[[#About old one]]\n## Sub #old\n", "o.md": "[[n#About old one#Sub old]] [x](n.md#Sub%20old) #old ![[n#About old one]]\n",
				"p.md": "[[n#Sub old|shown]] [[n#Other]]\n", "b.canvas": `{"nodes":[{"id":"1","type":"file","file":"n.md","subpath":"#Sub old"}]}`,
			},
			rename("tag", "old", "new"),
			map[string]string{
				"n.md": "# About #new/one\n[[#About new/one]]\n## Sub #new\n", "o.md": "[[n#About new/one#Sub new]] [x](n.md#Sub%20new) #new ![[n#About new/one]]\n",
				"p.md": "[[n#Sub new|shown]] [[n#Other]]\n", "b.canvas": `{"nodes":[{"id":"1","type":"file","file":"n.md","subpath":"#Sub new"}]}`,
			},
		},
		"a heading of both notes": {
			map[string]string{"n.md": "# Log\nmine\n", "m.md": "# Log\ntheirs\n"},
			compose("extract", "note", "n", "section", "Log", "target", "m", "leave", "embed"),
			map[string]string{"n.md": "![[m]]\n", "m.md": "# Log\ntheirs\n\n# Log\nmine\n"},
		},
		"tags of both notes": {
			map[string]string{"n.md": "---\nTags: [\"#c\", D]\n---\n", "m.md": "---\ntags: [c]\n---\n"},
			compose("merge", "note", "n", "target", "m"),
			map[string]string{"m.md": "---\ntags: [c, D]\naliases:\n  - n\n---\n"},
		},
		"an id of a heading": {
			map[string]string{"N.md": "# Old ^b1\n", "S.md": "[[N#^b1]] [[N#Old b1]]\n"},
			rename("heading", "Old ^b1", "New", "note", "N"),
			map[string]string{"N.md": "# New ^b1\n", "S.md": "[[N#^b1]] [[N#New b1]]\n"},
		},
		"folders that differ in case": {
			map[string]string{"A/x.md": "x", "a/y.md": "y"},
			rename("folder", "A/", "B/"),
			map[string]string{"A/x.md": "", "B/x.md": "x", "a/y.md": "y"},
		},
		"a folder in another case": {
			map[string]string{"a/x.md": "[[a/y]]", "a/y.md": "y"},
			[]string{"rename_note", "old_name", "A/", "new_name", "A/"},
			map[string]string{"a/x.md": "", "A/x.md": "[[a/y]]", "A/y.md": "y"},
		},
		"a key in JSON": {
			map[string]string{"n.md": "---\n{\"old\": 1, \"x\": {\"old\": 2}}\n---\n"},
			rename("property", "old", "new"),
			map[string]string{"n.md": "---\n{\"new\": 1, \"x\": {\"old\": 2}}\n---\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := newLawVault(t, test.files)
			after := v.do(test.call[0], pairs(test.call[1:]))
			for path, want := range test.want {
				if got, exists := after[path]; got != want || exists != (want != "") {
					t.Errorf("%s is  %q\nwant %q", path, got, want)
				}
			}
		})
	}
}

func pairs(list []string) map[string]any {
	arguments := map[string]any{}
	for i := 0; i < len(list); i += 2 {
		arguments[list[i]] = list[i+1]
	}
	return arguments
}

// TestRefactoringRefuses: what cannot be done well is not done at all.
func TestRefactoringRefuses(t *testing.T) {
	files := map[string]string{
		"N.md": "Intro\n-----\ntext ^b1\n\n# Two\n", "Open.md": "```\ncode\n", "B": "a file", "A/x.md": "x", "L.md": "- a\n- b ^id\n  - child\n",
	}
	for want, call := range map[string][]string{
		"would no longer be a heading":     {"rename_in_vault", "kind", "heading", "note", "N", "from", "Intro", "to", "1. Intro"},
		"no link could point to a heading": {"rename_in_vault", "kind", "heading", "note", "N", "from", "Two", "to", "#^|"},
		"would have another meaning":       {"compose_notes", "action", "merge", "note", "N", "target", "Open"},
		"is a file, not a folder":          {"rename_in_vault", "kind", "folder", "from", "A/", "to", "B/"},
		"become the vault's root":          {"rename_in_vault", "kind", "folder", "from", "A/", "to", "/"},
		"section must be a heading":        {"compose_notes", "action", "extract", "note", "L", "section", "^id", "target", "new"},
		"is not a valid tag":               {"rename_in_vault", "kind", "tag", "from", "a", "to", "b/"},
	} {
		v := newLawVault(t, files)
		for _, dryRun := range []bool{true, false} {
			arguments := pairs(call[1:])
			arguments["dry_run"] = dryRun
			if _, err := invoke(t.Context(), t, v.tools, call[0], arguments); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %q", call, err, want)
			}
		}
	}
}

// TestRenamingFollowsInSettings: bookmarks and types follow, other settings only if the caller wants it, and none for a
// caller with limits but the bookmarks of the files it moves.
func TestRenamingFollowsInSettings(t *testing.T) {
	files := map[string]string{"a/x.md": "---\nold: 1\n---\n", "private/y.md": "y"}
	config := map[string]string{
		"bookmarks.json":                    `{"items":[{"type":"file","path":"a/x.md"},{"type":"folder","path":"a"},{"type":"file","path":"private/y.md"}]}`,
		"daily-notes.json":                  `{"folder":"a/daily"}`,
		"community-plugins.json":            `["one"]`,
		"plugins/one/data.json":             `{"templateFolder":"a","title":"a"}`,
		"plugins/not-enabled/data.json":     `{"templateFolder":"a"}`,
		"types.json":                        `{"types":{"old":"number"}}`,
		"plugins/periodic-notes/other.json": `{"folder":"a"}`,
	}
	folder := renameArguments("folder", "a/", "b/", "")
	withSettings := renameArguments("folder", "a/", "b/", "")
	withSettings["settings"] = true
	for name, test := range map[string]struct {
		arguments map[string]any
		limited   bool
		refused   bool
		changed   map[string]string
	}{
		"a folder": {arguments: folder, changed: map[string]string{
			"bookmarks.json": `{"items":[{"type":"file","path":"b/x.md"},{"type":"folder","path":"b"},{"type":"file","path":"private/y.md"}]}`,
		}},
		"a folder with settings": {arguments: withSettings, changed: map[string]string{
			"bookmarks.json":        `{"items":[{"type":"file","path":"b/x.md"},{"type":"folder","path":"b"},{"type":"file","path":"private/y.md"}]}`,
			"daily-notes.json":      `{"folder":"b/daily"}`,
			"plugins/one/data.json": `{"templateFolder":"b","title":"a"}`,
		}},
		"a property": {arguments: renameArguments("property", "old", "new", ""), changed: map[string]string{"types.json": `{"types":{"new":"number"}}`}},
		"a folder, with limits": {arguments: folder, limited: true, changed: map[string]string{
			"bookmarks.json": `{"items":[{"type":"file","path":"b/x.md"},{"type":"folder","path":"a"},{"type":"file","path":"private/y.md"}]}`,
		}},
		"a folder with settings, with limits": {arguments: withSettings, limited: true, refused: true},
		"a property, with limits":             {arguments: renameArguments("property", "old", "new", ""), limited: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := openCanary(t, files, scope.Scope{}, config)
			open := scope.Scope{}
			if test.limited {
				open = withoutPrivate(t)
			}
			_, tools := c.toolsFor(open, 0)
			if _, err := invoke(t.Context(), t, tools, "rename_in_vault", test.arguments); (err != nil) != test.refused {
				t.Fatal(err)
			}
			for file, was := range config {
				want := cmp.Or(test.changed[file], was)
				if got, err := c.store.Config(t.Context(), file); err != nil || string(got.Data) != want {
					t.Errorf("%s: %s, %v\nwant %s", file, got.Data, err, want)
				}
			}
		})
	}
}

// TestRenamingMentionsQueries: queries that use a folder's name are listed, in code blocks of every language of queries.
func TestRenamingMentionsQueries(t *testing.T) {
	v := newLawVault(t, map[string]string{
		"work/x.md": "x", "Query.md": "```query\npath:work\n```\n", "View.md": "```dataview\nLIST FROM \"work\"\n```\n", "All.base": "filters: 'file.inFolder(\"work\")'\n",
		"Code.md": "```go\npath:work\n```\n", "Other.md": "```query\npath:workshop\n```\n", "Text.md": "path:work in a query\n",
	})
	answer, err := invoke(t.Context(), t, v.tools, "rename_in_vault", renameArguments("folder", "work/", "job/", ""))
	want := `"mentioned":["All.base","Query.md","View.md"]`
	if err != nil || !strings.Contains(answer.Text, want) {
		t.Errorf("%v, %v, want %s", answer, err, want)
	}
}

// TestRenamingAsksForAllNewTags: the caller is asked once about all the tags that a renaming makes.
func TestRenamingAsksForAllNewTags(t *testing.T) {
	s := mem.New(map[string]string{"a.md": "---\ntags: [old/one]\n---\n", "b.md": "---\ntags: [old/two]\n---\n"})
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	_, tools := ops.New(v.Whole(), ops.Options{TagPolicy: ops.TagsNotes, Secret: []byte("x"), VaultID: "v"})
	_, err := invoke(t.Context(), t, tools, "rename_in_vault", renameArguments("tag", "old", "new", ""))
	if err == nil || !strings.Contains(err.Error(), "new/one") || !strings.Contains(err.Error(), "new/two") {
		t.Errorf("%v, want both tags", err)
	}
}

// TestDrawingsKeepTheirTags: a drawing has its texts twice, so its tags are not renamed. Its links and properties are.
func TestDrawingsKeepTheirTags(t *testing.T) {
	drawing := "---\nold: 1\n---\n#tag [[a/x]]\n"
	v := newLawVault(t, map[string]string{"d.excalidraw.md": drawing, "a/x.md": "#tag"})
	if after := v.do("rename_in_vault", renameArguments("tag", "tag", "other", "")); after["d.excalidraw.md"] != drawing || after["a/x.md"] != "#other" {
		t.Errorf("tag: %q", after)
	}
	if after := v.do("rename_in_vault", renameArguments("property", "old", "new", "")); after["d.excalidraw.md"] != strings.Replace(drawing, "old", "new", 1) {
		t.Errorf("property: %q", after)
	}
}
