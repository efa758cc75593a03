package ops_test

import (
	"fmt"
	"maps"
	"testing"

	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/tool"
)

// canaryNames name open and closed notes, folders, and files that do not exist, as callers
// may spell them. The first is open, the second closed.
var canaryNames = []any{
	"Plan", "Hidden Note", "Ideas", "projects/Plan.md", "PROJECTS/ideas", "projects/sub/Lone", "claude", "projects/claude", "Board.canvas", "projects/data.txt", "projects/picture.png",
	"private/Hidden Note", "private/Hidden Note.md", "PRIVATE/hidden note", "/private/Hidden Note", "Qanaryname", "private/Qanaryfolder/Qanaryname.md", "private/claude.md", "img.png", "private/img.png", "Qanaryboard.canvas",
	"private", "private/", "private/Qanaryfolder", "qanaryonly", "qanaryonly/x.secret", "qanaryonly/y", "notes/Qanaryday.secret.md", "projects/Qanaryin.secret", "Qanaryroot", "other/Qanary.canvas", "devlog", "Qanaryalias", "Qanaryheading",
	"projects", "projects/", "projects/sub", "Absent", "Qanarytarget", "projects/New note", "New folder/New note", "", "..", "../private/Hidden Note", ".obsidian/app.json", "private~1/x", "Daily", "Home", "x.txt", "private/x.txt",
}

// canaryTexts are texts of closed notes, and queries with a special meaning.
var canaryTexts = []any{
	"apples", "qanarybody", "qanary", "apples qanarybody", "qanarybodi", "Qanaryheading", "tag:qanarytag", "[qanarykey]", "[qanarykey:qanaryvalue]", "path:private", "file:Hidden", "/qan.ry/", "-apples", "line:(apples pears)", "(?i)qanary\\w+", "apples|qanarybody", "Plan", "work", "qanarytag, work", "claude", "",
}

// canaryValues are the values of the tools' parameters. The first is used while other
// parameters vary; nil means not given.
var canaryValues = map[string][]any{
	"name": canaryNames, "path": canaryNames, "source": canaryNames, "target": append([]any{"projects/sub/Lone", "Plan#^goal", "Plan#^apples", "Hidden Note#^qanary"}, canaryNames...), "old_name": canaryNames,
	"uri":         append([]any{"mcp-obsidian://v/projects/Plan.md", "mcp-obsidian://v/private/Hidden%20Note.md", "mcp-obsidian://v/private/Qanaryfolder/Qanaryname.md"}, canaryNames...),
	"new_name":    {"Renamed", "private/Renamed", "private/Hidden Note", "Hidden Note", "projects/deep/Renamed", "/Renamed", "Ideas", "private/Qanaryfolder/Qanaryname", "projects/New.secret", "qanaryonly/z", "QanaryOnly/z", "/private", "Qanaryname", "CON", "projects/private~1/x"},
	"query":       canaryTexts,
	"folder":      append([]any{nil}, canaryNames...),
	"path_prefix": append([]any{nil}, canaryNames...),
	"path_filter": {nil, "*.md", "private/**", "!projects/", "**/*.secret.md", "["},
	"section":     {"Goals", "Qanaryheading", "More", "Goals/More", "", "^qanary"},
	"text":        {"More text", "[[Hidden Note]] #qanarytag", "[[Qanaryname]]", ""}, "content": {"Some [[Hidden Note]] text", "#qanarytag", "---\ntags: [qanarytag]\n---\n", ""},
	"old_text": {"apples", "qanarybody", "Hidden Note"}, "new_text": {"plums", "[[Qanaryname]]"},
	"before": {nil, "apples", "qanarybody"}, "after": {"Goals", "apples", "qanarybody", nil},
	"key": {"status", "qanarykey", "tags"}, "value": {"done", "[\"qanarytag\"]", "[\"SHARED\"]", "[\"work\"]", "null"},
	"tag": {"work", "qanarytag", "shared", "SHARED", "#qanaryinline", "claude", "new"}, "tags": {nil, []string{"work"}, []string{"qanarytag"}, []string{"shared", "work"}},
	"frontmatter": {nil, map[string]any{"tags": []string{"qanarytag"}}, map[string]any{"tags": []string{"shared"}}}, "properties": {nil, map[string]any{"qanarykey": "qanaryvalue"}, map[string]any{"status": "draft"}},
	"mode": {nil, "name", "content", "tag"}, "find_notes.mode": {nil, "words", "meaning"}, "similar_to": append([]any{nil}, canaryNames...), "tag_logic": {nil, "and"}, "direction": {nil, "in", "out", "none"}, "depth": {nil, 2, 3}, "sort_by": {nil, "modified", "created", "title"},
	"links": {nil, "unlink", "keep", "redirect"}, "redirect_to": append([]any{nil, "projects/sub/Lone"}, canaryNames...),
	"kind": {nil, "all", "heading", "block", "file", "image", "canvas"}, "suggest": {nil, true}, "blocks": {nil, true}, "embeds": {nil, true},
	"unused": {nil, true}, "page": {nil, 1}, "max_px": {nil, 64}, "data": {nil, "cWFuYXJ5"},
	"return_properties": {nil, []string{"status"}, []string{"qanarykey"}},
	"limit":             {nil, 0, 1, 1000}, "offset": {nil, 1, 100}, "start_line": {nil, 2, 100}, "max_lines": {nil, 1}, "max_words": {nil, 5, 2000}, "since_days": {nil, 1, 100000}, "until_days": {nil, 1}, "include_content": {nil, true, false},
	"exists_only": {nil, true}, "dry_run": {nil, true}, "overwrite": {nil, true}, "replace_all": {nil, true},
	"id": {newestChange, "none", nil}, "ids": {nil, newestChange, []string{"none"}}, "session": {nil, "this", "qanary"}, "change_id": {newestChange, "none"}, "force": {nil, true}, "since": {nil, "1h", "2001-01-01", "qanary"}, "note": append([]any{nil}, canaryNames...), "client": {nil, "qanary", "test"},
	"ops":   {canvasOps("text", "text", "Hello"), canvasOps("file", "file", "Hidden Note"), canvasOps("file", "file", "private/Hidden Note.md"), canvasOps("file", "file", "Plan"), canvasOps("file", "file", "Qanaryalias"), canvasOps("group", "background", "private/img.png"), []map[string]any{{"remove": "Hidden Note"}}, noteOps("append", "text", "More"), noteOps("add_tag", "tag", "qanarytag"), noteOps("append_section", "section", "Qanaryheading", "text", "x"), noteOps("replace_text", "old", "qanarybody", "new", "x"), nil},
	"where": {nil, map[string]any{"tags": []string{"work"}}, map[string]any{"query": "qanarybody OR apples"}, map[string]any{"path_prefix": "private/"}, map[string]any{"properties": map[string]any{"qanarykey": "qanaryvalue"}}, map[string]any{"path_prefix": "/"}},
	"edits": {nil, []map[string]any{{"name": "Hidden Note", "ops": noteOps("append", "text", "x")}}, []map[string]any{{"name": "Plan", "ops": noteOps("append", "text", "x")}}},
	"names": {nil, []string{"Plan", "Hidden Note"}, []string{"private/Hidden Note", "projects/Plan#Goals", "Qanaryname"}, []string{"Qanaryalias", "absent"}}, "outline": {nil, true}, "max_tokens": {nil, 5},
	"graph_report.kind": {"orphans", "dead_ends", "hubs", "path", "mentions", "clusters", "duplicates", "similar"}, "graph_report.to": append([]any{nil}, canaryNames...),
	"rename_in_vault.kind": {"tag", "folder", "property", "heading", "block"}, "settings": {nil, true},
	"from":   {"work", "qanarytag", "shared", "qanaryinline", "private/", "projects/", "private/Qanaryfolder/", "qanaryonly/", "status", "qanarykey", "Goals", "Qanaryheading", "^qanary"},
	"to":     {"shared", "qanarytag", "new", "private/", "projects/deep/", "private/Qanaryfolder/", "archive/", "qanaryonly/", "qanarykey", "stage"},
	"action": {"extract", "merge", "split"}, "compose_notes.note": canaryNames, "lines": {nil, "1-2"}, "level": {nil, 1}, "leave": {nil, "embed", "none"},
	"period": {"weekly", "daily", "monthly", "quarterly", "yearly"}, "date": {nil, "2026-W45", "last week", "2026-11-09..2026-11-12"}, "periodic_note.content": {nil, false},
	"at": {nil, "start"}, "carry_over": {nil, true}, "append_periodic_note.section": {nil, "Goals", "Qanaryheading"},
	"template": canaryNames, "into": append([]any{nil}, canaryNames...), "variables": {nil, map[string]any{"a": "#qanarytag"}},
	"create_from_template.name": {"projects/Made", nil, "private/Made", "Hidden Note", "Made"},
	"line":                      {nil, 1, 8, 9}, "set": {nil, map[string]any{"due": "tomorrow"}, map[string]any{"description": "x #qanarytag"}, map[string]any{"status": "Qanarystatus"}}, "lane": {nil, "Goals", "Qanaryheading"},
	"update_task.action": {"toggle", "done", "todo", "cancel", "set", "create", "move"}, "update_task.text": {"Grow apples", "qanarytask", "task", nil}, "update_task.note": append([]any{"Plan", nil}, canaryNames...), "update_task.section": {nil, "Goals", "Qanaryheading"},
	"find_tasks.query":  {"not done", "description includes qanary", "path includes private", "is blocked", "@Plan", "@Hidden Note", "@Ideas#1", "preset qanarypreset", "group by path; limit 2", "nonsense", "done; sort by random"},
	"query_vault.query": {nil, "TABLE file.tags, qanarykey, file.inlinks, file.outlinks, file.lists, file.starred", "LIST FROM #qanarytag", "LIST FROM \"private\"", "LIST FROM [[Hidden Note]]", "LIST FROM outgoing([[Hidden Note]])", "TASK GROUP BY file.folder", "TABLE rows.file.name, rows.status GROUP BY file.folder", "= [[Hidden Note]].qanarykey", "= [[Qanaryname]].file.path", "= link(\"Hidden Note\")", "CALENDAR file.day", "LIST WHERE number(qanarykey) + status > 1", "TABLE number(status) * 2 + null"},
	"query_vault.base":  {nil, "Plan#1", "Hidden Note#1", "Hidden.base", "private/Qanary.base", "views:\n  - type: table\n    order: [file.path, file.backlinks, file.links, file.tags, qanarykey, file.size]\n", "filters: file.hasLink(\"Hidden Note\")\n", "filters: file.hasTag(\"qanarytag\")\n", "formulas:\n  x: file(\"Hidden Note\").properties.qanarykey\n  y: link(\"Hidden Note\").asFile()\nviews:\n  - type: table\n    order: [formula.x, formula.y]\n    groupBy: {property: file.folder}\n    summaries: {status: Unique}\n", "filters: number(status) > 1\n"},
	"question":          append([]any{nil, "what about qanarybody, apples and the Hidden Note"}, canaryTexts...), "budget": {nil, 100, 300}, "notes": {nil, []string{"Plan"}, []string{"Hidden Note"}, []string{"private/Qanaryfolder/Qanaryname"}},
	"view": {nil, "Qanaryview"}, "this": append([]any{nil}, canaryNames...), "format": {nil, "markdown", "csv", "none"},
	"choose": {nil, canaryRevision, "text", "private/Hidden Note.sync-conflict-20261116-101010-QANARYX.md", "projects/Twice.md", "projects/Twice (conflicted copy).md"}, "resolve_conflict.text": {nil, "[[Hidden Note]] #qanarytag"},
	"resolve_conflict.note": append([]any{"projects/Twice", "projects/Twice (conflicted copy)", "private/Hidden Note.sync-conflict-20261116-101010-QANARYX"}, canaryNames...),
	"confirm":               {nil, "x", "zzzz-0123456789abcdef"}, "expected_hash": {nil, "0123"}, "revision": {nil, canaryRevision, "1-0123"},
}

// noteOps is an operation of edit_notes with keys and values.
func noteOps(op string, further ...string) []map[string]any {
	operation := map[string]any{"op": op}
	for i := 0; i < len(further); i += 2 {
		operation[further[i]] = further[i+1]
	}
	return []map[string]any{operation}
}

// canvasOps is an operation of edit_canvas that adds a card with one key.
func canvasOps(kind, key, value string) []map[string]any {
	return []map[string]any{{"add": kind, key: value}}
}

// arguments returns the calls to make of a tool: each value of each parameter, with all
// names, while the others keep their first value. A plain run makes a third of them, with -short a tenth.
func arguments(t *testing.T, called tool.Tool) []map[string]any {
	t.Helper()
	all := allArguments(t, called)
	every := mode.Pick(3, 1, 1)
	if testing.Short() {
		every = 10
	}
	var some []map[string]any
	for i := 0; i < len(all); i += every {
		some = append(some, all[i])
	}
	return some
}

// valuesOf returns the values for a parameter, which a tool may have for itself.
func valuesOf(called tool.Tool, param string) []any {
	if own := canaryValues[called.Name+"."+param]; own != nil {
		return own
	}
	return canaryValues[param]
}

func allArguments(t *testing.T, called tool.Tool) []map[string]any {
	t.Helper()
	first := map[string]any{}
	for _, param := range called.Params {
		values := valuesOf(called, param.Name)
		if len(values) == 0 {
			t.Fatalf("canaryValues has no values for %s of %s", param.Name, called.Name)
		}
		if values[0] != nil {
			first[param.Name] = values[0]
		}
	}
	with := func(args map[string]any, name string, value any) map[string]any {
		args = maps.Clone(args)
		delete(args, name)
		if value != nil {
			args[name] = value
		}
		return args
	}
	if len(called.Params) == 0 {
		return []map[string]any{{}}
	}
	main := called.Params[0].Name
	var all []map[string]any
	for i, value := range valuesOf(called, main) {
		args := with(first, main, value)
		all = append(all, args)
		for _, param := range called.Params[1:] {
			for _, other := range valuesOf(called, param.Name)[1:] {
				if i < 3 || param.Type == "boolean" {
					all = append(all, with(args, param.Name, other))
				}
			}
		}
	}
	return all
}

// TestClosedLooksAbsentInResources checks the context, resources and completion.
func TestClosedLooksAbsentInResources(t *testing.T) {
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			full, without, _ := twins(t, r)
			same := func(question string, ask func(*resource.Catalog) string) {
				t.Helper()
				got, want := ask(full.catalog), ask(without.catalog)
				if words := leaked(got, question); got != want || len(words) > 0 {
					t.Errorf("%s reveals %q:\n%s\nwithout closed files:\n%s", question, words, got, want)
				}
			}
			same("context", func(c *resource.Catalog) string { return transcript(c.Context(t.Context())) })
			same("resources", func(c *resource.Catalog) string { return transcript(c.List(t.Context())) })
			for _, uri := range canaryValues["uri"] {
				for _, uri := range []string{uri.(string), "mcp-obsidian://v/" + uri.(string)} {
					same("read "+uri, func(c *resource.Catalog) string { return transcript(c.Read(t.Context(), uri)) })
					same("key of "+uri, func(c *resource.Catalog) string { return transcript(c.Key(t.Context(), uri)) })
				}
			}
			for of := resource.CompleteNothing; of <= resource.CompleteStatus; of++ {
				for _, value := range append(canaryNames, "", "q", "p", "private/", "a") {
					same(fmt.Sprint("complete ", of, " ", value), func(c *resource.Catalog) string {
						return transcript(c.Complete(t.Context(), resource.Incomplete{Of: of, Value: value.(string), Property: "project"}))
					})
					same(fmt.Sprint("complete the headings of ", value), func(c *resource.Catalog) string {
						return transcript(c.Complete(t.Context(), resource.Incomplete{Of: resource.CompleteHeading, Note: value.(string)}))
					})
				}
			}
		})
	}
}

// TestProbingRevealsNothing: a caller that creates, moves and deletes notes around closed
// ones sees the same as if these did not exist.
func TestProbingRevealsNothing(t *testing.T) {
	type call struct {
		tool string
		args map[string]any
	}
	for name, calls := range map[string][]call{
		"a folder with a closed file": {
			{"create_note", map[string]any{"name": "qanaryonly/y"}}, {"list_notes", map[string]any{"folder": "qanaryonly"}}, {"delete_note", map[string]any{"name": "qanaryonly/y"}},
			{"list_notes", map[string]any{"folder": "qanaryonly"}}, {"note_read", map[string]any{"path": "qanaryonly"}}, {"create_note", map[string]any{"name": "QANARYONLY/z"}}, {"list_notes", map[string]any{"folder": "qanaryOnly"}},
			{"rename_note", map[string]any{"old_name": "z", "new_name": "qanaryonly/w"}}, {"list_notes", map[string]any{}},
		},
		"the last open note of a folder": {
			{"delete_note", map[string]any{"name": "Daily"}}, {"list_notes", map[string]any{"folder": "notes"}}, {"create_note", map[string]any{"name": "Notes/New"}}, {"list_notes", map[string]any{"folder": "notes"}},
		},
		"the name of a closed note": {
			{"create_note", map[string]any{"name": "projects/Qanaryname"}}, {"read_note", map[string]any{"name": "Qanaryname"}}, {"link_add", map[string]any{"source": "Ideas", "target": "Qanaryname"}}, {"read_note", map[string]any{"name": "Ideas"}},
			{"rename_note", map[string]any{"old_name": "Qanaryname", "new_name": "Qanarylog"}}, {"read_note", map[string]any{"name": "Ideas"}}, {"get_links", map[string]any{"name": "Qanarylog"}}, {"delete_note", map[string]any{"name": "Qanarylog"}}, {"read_note", map[string]any{"name": "Ideas"}},
		},
		"a link in a closed note": {
			{"create_note", map[string]any{"name": "projects/Hidden Note"}}, {"get_links", map[string]any{"name": "Hidden Note"}}, {"find_broken_links", map[string]any{}}, {"backlinks_search", map[string]any{"name": "Hidden Note"}},
		},
		"tags": {
			{"add_tag", map[string]any{"name": "Ideas", "tag": "shared"}}, {"add_tag", map[string]any{"name": "Ideas", "tag": "qanarytag"}}, {"search_notes", map[string]any{"query": "shared", "mode": "tag"}}, {"get_note_metadata", map[string]any{"name": "Ideas"}},
		},
	} {
		for _, r := range roles {
			t.Run(name+"/"+r.name, func(t *testing.T) {
				full, without, _ := twins(t, r)
				for _, call := range calls {
					got, want := full.ask(call.tool, call.args), without.ask(call.tool, call.args)
					if got != want {
						t.Errorf("%s %v:\n%s\nwithout closed files:\n%s", call.tool, call.args, got, want)
					}
				}
			})
		}
	}
}
