package ops_test

import (
	"encoding/json"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// realVault is an open copy of a real vault, with its tools.
type realVault struct {
	t       *testing.T
	dir     string
	before  map[string]string
	tools   *tool.Registry
	respelt map[string]bool // files whose links a rename has written in another form
}

func openReal(t *testing.T, name string) *realVault {
	t.Helper()
	source, dir := cases.Shared(t, name), memoryDir(t)
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
	return openFolderVault(t, dir)
}

// openFolderVault opens a folder that the test may change.
func openFolderVault(t *testing.T, dir string) *realVault {
	t.Helper()
	store, err := folder.Open(dir, folder.Options{State: memoryDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	v := vault.Open(store, slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	_, tools := ops.New(v.Whole(), ops.Options{TagPolicy: ops.TagsOff, Secret: []byte("x")})
	return &realVault{t: t, dir: dir, before: readVault(t, dir), tools: tools, respelt: map[string]bool{}}
}

func (r *realVault) try(name string, arguments map[string]any) (string, error) {
	r.t.Helper()
	answer, err := invoke(r.t.Context(), r.t, r.tools, name, arguments)
	if called, _ := r.tools.Find(name); err == nil {
		checkOutput(r.t, called, answer)
	}
	return answer.Text, err
}

func (r *realVault) call(name string, arguments map[string]any) string {
	r.t.Helper()
	text, err := r.try(name, arguments)
	if err != nil {
		r.t.Errorf("%s %v: %v", name, arguments, err)
	}
	return text
}

// unchanged checks that a note has its original bytes.
func (r *realVault) unchanged(path, after string) {
	r.t.Helper()
	content, err := os.ReadFile(filepath.Join(r.dir, path))
	if err != nil {
		r.t.Fatal(err)
	}
	if diff := cmp.Diff(r.before[path], string(content)); diff != "" {
		r.t.Errorf("%s after %s and its inverse:\n%s", path, after, diff)
	}
}

// TestRealVaults reads every note of real vaults by every tool, makes every edit and its
// inverse, and renames every note there and back: in the end all bytes are the same.
func TestRealVaults(t *testing.T) {
	skipIfShort(t)
	for _, name := range []string{"vaults/tasks-demo/vault", "vaults/kepano-obsidian"} {
		t.Run(filepath.Base(filepath.Dir(name))+"/"+filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			r := openReal(t, name)
			notes := 0
			for path, text := range r.before {
				if strings.HasSuffix(path, ".md") && !strings.Contains("/"+path, "/.") {
					notes++
					r.read(path, text)
					r.edit(path, text)
				}
			}
			r.rename()
			after := readVault(t, r.dir)
			for path := range r.respelt {
				delete(after, path)
			}
			for path, text := range after {
				if r.before[path] != text {
					t.Errorf("%s has changed", path)
				}
			}
			t.Logf("%d notes; in %d files a rename wrote links in another form", notes, len(r.respelt))
		})
	}
}

// read calls every tool that reads a note.
func (r *realVault) read(path, text string) {
	if got := r.call("read_note", map[string]any{"name": path}); got != text {
		r.t.Errorf("%s reads %q", path, got)
	}
	var content struct {
		Content string
		Exists  bool
	}
	if err := json.Unmarshal([]byte(r.call("note_read", map[string]any{"path": path})), &content); err != nil || content.Content != text || !content.Exists {
		r.t.Errorf("%s: %v", path, err)
	}
	for _, tool := range []string{"get_links", "get_note_metadata", "get_headings", "backlinks_search", "graph_neighbors"} {
		r.call(tool, map[string]any{"name": path})
	}
	note := md.Scan([]byte(text))
	for i, heading := range note.Headings {
		name := string(heading.Text.Of(note.Source))
		got, err := r.try("read_section", map[string]any{"name": path, "section": name})
		if err == nil && note.FindHeading([]string{name}) == i {
			want := strings.Trim(string(note.SectionOf(i).Content.Of(note.Source)), "\r\n")
			if strings.TrimSpace(got) != strings.TrimSpace(want) {
				r.t.Errorf("%s, section %q reads\n%q\nwant\n%q", path, name, got, want)
			}
		}
	}
}

// edit makes each edit and then its inverse.
func (r *realVault) edit(path, text string) {
	note := md.Scan([]byte(text))
	body := text[note.Body:]
	restore := func(after string) {
		r.call("update_note", map[string]any{"name": path, "content": body})
		r.unchanged(path, after)
	}
	r.call("append_note", map[string]any{"name": path, "text": "appended\nlines"})
	restore("append_note")
	if _, err := r.try("append_section", map[string]any{"name": path, "section": "none such", "text": "x"}); err == nil {
		r.t.Errorf("%s: text was appended to a section that does not exist", path)
	}
	if len(note.Headings) > 0 {
		section := string(note.Headings[0].Text.Of(note.Source))
		for _, edit := range []map[string]any{{"text": "- new item"}, {"content": "other text"}, {}} {
			tool := map[int]string{0: "delete_section"}[len(edit)]
			if _, ok := edit["text"]; ok {
				tool = "append_section"
			} else if tool == "" {
				tool = "update_section"
			}
			edit["name"], edit["section"] = path, section
			if _, err := r.try(tool, edit); err == nil {
				restore(tool)
			}
		}
	}
	if word := longWord(body); word != "" {
		r.call("replace_text", map[string]any{"name": path, "old_text": word, "new_text": "ZZZ" + word + "ZZZ"})
		r.call("replace_text", map[string]any{"name": path, "old_text": "ZZZ" + word + "ZZZ", "new_text": word})
		r.unchanged(path, "replace_text")
		r.call("insert_text", map[string]any{"name": path, "text": "inserted", "after": word})
		restore("insert_text")
	}
	r.properties(path, text, note)
	r.call("note_upsert", map[string]any{"path": path, "content": "more"})
	restore("note_upsert")
}

func longWord(body string) string {
	for word := range strings.FieldsSeq(body) {
		if len(word) > 6 {
			return word
		}
	}
	return ""
}

// properties changes properties and changes them back.
func (r *realVault) properties(path, text string, note *md.Note) {
	block, err := front.Parse(note)
	if err != nil {
		if _, err := r.try("set_frontmatter", map[string]any{"name": path, "key": "x", "value": "y"}); err == nil {
			r.t.Errorf("%s: a property was set in frontmatter that cannot be read", path)
		}
		r.unchanged(path, "a refused set_frontmatter")
		return
	}
	if _, err := r.try("set_frontmatter", map[string]any{"name": path, "key": "zz_new", "value": "[1, \"two\"]"}); err != nil {
		if !strings.Contains(text, "{{") {
			r.t.Errorf("%s: %v", path, err)
		}
		r.unchanged(path, "a refused set_frontmatter") // template code is not YAML that can be edited
		return
	}
	r.call("create_note", map[string]any{"name": path, "content": text, "overwrite": true})
	r.unchanged(path, "set_frontmatter")
	if len(block.Tags()) > 0 {
		r.call("add_tag", map[string]any{"name": path, "tag": "zz/new"})
		r.call("remove_tag", map[string]any{"name": path, "tag": "zz/new"})
		if value, _ := block.Get("tags"); value.Kind == front.List {
			r.unchanged(path, "add_tag")
		} else {
			r.call("create_note", map[string]any{"name": path, "content": text, "overwrite": true})
		}
	}
}

// rename gives every note another name and then its old one again: all links point to
// the same notes. A link that was not in the form of the vault's settings is in that
// form afterwards, as Obsidian would write it.
func (r *realVault) rename() {
	links := r.allLinks()
	for path := range r.before {
		if !strings.HasSuffix(path, ".md") || strings.Contains("/"+path, "/.") {
			continue
		}
		away := strings.TrimSuffix(path, ".md") + " zz renamed"
		if _, err := r.try("rename_note", map[string]any{"old_name": path, "new_name": "/" + away}); err != nil {
			continue // a name that is no longer allowed for new notes
		}
		r.call("rename_note", map[string]any{"old_name": away, "new_name": "/" + path})
		if _, err := os.Stat(filepath.Join(r.dir, path)); err != nil {
			r.t.Fatal(err)
		}
	}
	if diff := cmp.Diff(links, r.allLinks()); diff != "" {
		r.t.Errorf("links point elsewhere after renaming back:\n%s", diff)
	}
	for path, text := range readVault(r.t, r.dir) {
		if text != r.before[path] {
			r.respelt[path] = true
		}
	}
	if len(r.respelt) > len(r.before)/4 {
		r.t.Errorf("%d of %d files changed", len(r.respelt), len(r.before))
	}
}

func (r *realVault) allLinks() map[string]string {
	all := map[string]string{}
	for path := range maps.Keys(r.before) {
		if strings.HasSuffix(path, ".md") && !strings.Contains("/"+path, "/.") {
			all[path] = r.call("get_links", map[string]any{"name": path})
		}
	}
	return all
}
