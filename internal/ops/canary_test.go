package ops_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/text/meaning"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// role is a caller that sees only a part of the vault.
type role struct {
	name        string
	allow, deny []string
	more        map[string]string // files besides those of every role
}

var roles = []role{
	{"with denied folders", nil, []string{"private/", "**/*.secret.md"}, map[string]string{
		"Home.md": "[[Plan]] and [[Ideas]] #work #Shared\n", "notes/Daily.md": "---\nproject: Garden\n---\nToday [[Plan#Goals]], [[Qabsent]].\n",
		"notes/Qanaryday.secret.md": "qanarysecret [[Plan]] #qanarysecrettag\n", "qanaryonly/x.secret.md": "qanaryonlytext\n", "notes/Qanaryday.secret (conflicted copy).md": "qanarycopied\n", "projects/Qanaryin.secret.md": "---\nqanarykey2: [qanaryvalue2]\n---\n[[Ideas]]\n",
	}},
	{"with allowed folders", []string{"projects/"}, nil, map[string]string{
		"Qanaryroot.md": "qanaryroottext [[Plan]] #qanaryroottag\n", "devlog/Qanarytopic.md": "---\nproject: Qanaryproject\n---\n[[Ideas]]\n", "other/Qanary.canvas": `{"nodes":[{"type":"file","file":"projects/Plan.md"},{"type":"text","text":"qanarycard [[Ideas]]"}]}`,
	}},
}

// commonFiles are in the vault of every role: those in projects are open, those in
// private are closed.
var commonFiles = map[string]string{
	"projects/Plan.md":                    "---\ntags: [work, Shared]\naliases: [The plan]\nstatus: draft\n---\n# Goals\nSee [[Ideas]], [[Hidden Note]] and [that](../private/Hidden%20Note.md). ^goal\n## More\nGrow apples and pears. [[Absent]] ![[img.png]]\n- [ ] Grow apples ⛔ q1 📅 2026-11-20\n- [x] Pick pears\n",
	"projects/Ideas.md":                   "# Ideas\nBack to [[Plan]] and [[projects/Plan|the plan]], or [[#Ideas]]. Apples and pears grow. #work/garden\n```tasks\nnot done\n```\n",
	"projects/claude.md":                  "---\ntags: [claude]\ndescription: how to plan\n---\nRead [[Plan]].\n",
	"projects/sub/Lone.md":                "---\nproject: Garden\nup: \"[[Plan]]\"\n---\nLonely pears.\n",
	"projects/Board.canvas":               `{"nodes":[{"type":"file","file":"projects/Plan.md"},{"type":"text","text":"[[Ideas]] apples"}]}`,
	"projects/data.txt":                   "apples,pears\n",
	"projects/Twice.md":                   "one [[Plan]]\n",
	"projects/Twice (conflicted copy).md": "one [[Plan]]\ntwo\n",
	"private/Hidden Note.sync-conflict-20261116-101010-QANARYX.md": "qanarycopy [[projects/Twice (conflicted copy)]]\n",
	"projects/picture.png":               "\x89PNG\x00",
	"private/Hidden Note.md":             "---\ntags: [qanarytag, SHARED, work]\naliases: [Qanaryalias]\nqanarykey: qanaryvalue\nproject: Qanaryproject2\nstatus: draft\n---\n# Qanaryheading\nqanarybody apples pears [[Plan]] [[Qanarytarget]] #qanaryinline ^qanaryblock\n- [ ] qanarytask 🆔 q1\n```tasks\ndescription includes qanarybody\n```\n",
	"private/Qanaryfolder/Qanaryname.md": "---\nup: \"[[Plan]]\"\nmore: ['[[Ideas|x]]']\n---\n[[Plan#Goals|qanarytext]] [m](../../projects/Plan.md) ![[Ideas]] [[Hidden Note]]\n",
	"private/Qanaryboard.canvas":         `{"nodes":[{"type":"file","file":"projects/Plan.md"},{"type":"text","text":"[[Plan]] qanarycanvas"}]}`,
	"private/claude.md":                  "---\ntags: [claude]\ndescription: qanarydescription\n---\nqanaryinstruction\n",
	"private/img.png":                    "\x89PNG\x00qanarypixels",
	"private/devlog/Qanarylog.md":        "- qanarylogline\n",
}

// canaries matches words that only closed files contain.
var canaries = regexp.MustCompile(`(?i)qanary\w*`)

// fixedTimes derives the times of files from their paths, so that two vaults differ only
// in their files.
type fixedTimes struct{ *mem.Store }

func fixed(info store.Info) store.Info {
	hash := fnv.New32()
	hash.Write([]byte(info.Path))
	info.Modified = time.Unix(1_600_000_000+int64(hash.Sum32()%100_000), 0)
	info.Created = info.Modified
	return info
}

func (s fixedTimes) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	return s.Store.Scan(ctx, want, func(found store.Found) {
		found.Info = fixed(found.Info)
		visit(found)
	})
}

func (s fixedTimes) Stat(ctx context.Context, path vpath.Path) (store.Info, error) {
	info, err := s.Store.Stat(ctx, path)
	return fixed(info), err
}

func (s fixedTimes) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	return mem.ReadEach(ctx, s, paths, limit)
}

func (s fixedTimes) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	file, err := s.Store.Read(ctx, path, limit)
	file.Info = fixed(file.Info)
	return file, err
}

func (s fixedTimes) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	results, err := s.Store.Commit(ctx, changes)
	for i := range results {
		results[i].Info = fixed(results[i].Info)
	}
	return results, err
}

// canaryVault is a vault with the tools of one role.
type canaryVault struct {
	t       *testing.T
	files   map[string]string // at the start
	scope   scope.Scope
	store   *mem.Store
	vault   *vault.Vault
	catalog *resource.Catalog
	tools   *tool.Registry
}

func openCanary(t *testing.T, files map[string]string, open scope.Scope, config map[string]string) *canaryVault {
	t.Helper()
	s := mem.New(files)
	for name, text := range config {
		s.SetConfig(name, text)
	}
	v := vault.Open(fixedTimes{s}, slog.New(slog.DiscardHandler), vault.Options{History: newHistory(t), Meaning: meaning.Builtin()})
	c := &canaryVault{t: t, files: files, scope: open, store: s, vault: v}
	t.Cleanup(func() { c.vault.Close() })
	_, c.tools = c.toolsFor(open, 0)
	c.catalog = resource.New(c.vault.View(open), resource.Options{VaultID: "v"})
	return c
}

// toolsFor returns the tools of a caller that must confirm changes of more notes than
// confirmOver.
func (c *canaryVault) toolsFor(open scope.Scope, confirmOver int) (*ops.Ops, *tool.Registry) {
	return ops.New(c.vault.View(open), ops.Options{NewBlockID: func() string { return "newone" }, TagPolicy: ops.TagsNotes, TagRules: ops.DefaultTagRules, ConfirmOver: confirmOver, Secret: []byte("test"), VaultID: "v", Now: onMonday, Zone: time.UTC})
}

// twins returns a role's vault, and one without the closed files.
func twins(t *testing.T, r role) (full, without *canaryVault, open scope.Scope) {
	t.Helper()
	open, err := scope.New(r.allow, r.deny)
	if err != nil {
		t.Fatal(err)
	}
	files, openFiles := maps.Clone(commonFiles), map[string]string{}
	maps.Copy(files, r.more)
	for path, text := range files {
		if open.Open(vpath.Path(path)) {
			openFiles[path] = text
			if canaries.MatchString(path + text) {
				t.Fatalf("%s is open but contains a canary", path)
			}
		} else if !canaries.MatchString(path + text) {
			t.Fatalf("%s is closed but contains no canary", path)
		}
	}
	config := map[string]string{
		"app.json":         `{"userIgnoreFilters":["qanaryfilter/"],"newFileLocation":"folder","newFileFolderPath":"private/Qanarynew","attachmentFolderPath":"private/Qanaryfiles"}`,
		"daily-notes.json": `{"folder":"private/Qanarydaily","format":"[qanaryday]YYYY","template":"private/Qanaryname"}`, "templates.json": `{"folder":"private/Qanaryfolder"}`,
		"community-plugins.json": `["periodic-notes","templater-obsidian","obsidian-tasks-plugin"]`, "plugins/templater-obsidian/data.json": `{"templates_folder":"private","trigger_on_file_creation_mode":"folder","folder_templates":[{"folder":"projects","template":"private/Qanaryname"}]}`,
		"plugins/periodic-notes/data.json":        `{"weekly":{"enabled":true,"folder":"projects","format":"gggg-[W]ww","template":"Qanaryname"},"yearly":{"enabled":true,"folder":"private","format":"[qanaryyear]"},"monthly":{"enabled":true,"folder":"../qanaryout"}}`,
		"plugins/obsidian-tasks-plugin/data.json": `{"globalQuery":"path does not include qanaryquery","presets":{"qanarypreset":"qanary nonsense"},"statusSettings":{"coreStatuses":[{"symbol":" ","name":"Todo","nextStatusSymbol":"x","type":"TODO"},{"symbol":"x","name":"Qanarydone","nextStatusSymbol":" ","type":"DONE"}],"customStatuses":[]}}`,
		"types.json":     `{"types":{"qanarykey":"number","status":"checkbox","qanarytype":"text"}}`,
		"bookmarks.json": `{"items":[{"type":"file","path":"projects/Plan.md"},{"type":"file","path":"private/Qanarymark.md"}]}`,
	}
	full, without = openCanary(t, files, open, config), openCanary(t, openFiles, open, config)
	full.store.Diverge("private/Hidden Note.md", []byte(canarySide))
	return full, without, open
}

// canarySide is the other side of a closed note in conflict, canaryRevision its
// revision.
const canarySide = "qanaryside [[Plan]]\n"

var canaryRevision = string(mem.New(nil).Diverge("any.md", []byte(canarySide)))

// ask makes a call and returns everything that comes back.
func (c *canaryVault) ask(name string, args map[string]any) string {
	c.t.Helper()
	return transcript(c.call(c.tools, name, args))
}

func (c *canaryVault) call(tools *tool.Registry, name string, args map[string]any) (tool.Answer, error) {
	c.t.Helper()
	for _, parameter := range []string{"id", "change_id"} {
		if args[parameter] == newestChange {
			args = maps.Clone(args)
			args[parameter] = c.newest()
		}
	}
	if args["ids"] == newestChange {
		args = maps.Clone(args)
		args["ids"] = []string{c.newest()}
	}
	return invoke(c.t.Context(), c.t, tools, name, args)
}

// newestChange stands for the id of the last change that a role may see.
const newestChange = "newest-change"

func (c *canaryVault) newest() string {
	c.t.Helper()
	id := newestChange
	if err := c.vault.View(c.scope).EachPastChange(c.t.Context(), func(past vault.PastChange) bool {
		id = past.ID
		return false
	}); err != nil {
		c.t.Fatal(err)
	}
	return id
}

// transcript returns an answer or an error, with its causes and hints, as text.
func transcript(answer any, err error) string {
	data, _ := json.Marshal(answer) // of an error: its hints
	if err == nil {
		return maskIDs.ReplaceAllString(string(data), "…")
	}
	text := fault.KindOf(err).Code() + "\n" + string(data)
	for ; err != nil; err = errors.Unwrap(err) {
		text += "\n" + err.Error() + "\n" + fault.HintOf(err)
	}
	return maskIDs.ReplaceAllString(text, "…")
}

// maskIDs matches ids of confirmations and changes, and the times of changes.
var maskIDs = regexp.MustCompile(`confirm='[^']*'|\b[0-9a-z]{8}-[0-9a-z]{4}\b|\b20[2-9]\d-\d\d-\d\dT[0-9:]+Z`)

// leaked returns the canaries of an answer that were not in the question.
func leaked(answer, question string) []string {
	return slices.DeleteFunc(canaries.FindAllString(answer, -1), func(word string) bool {
		return strings.Contains(strings.ToLower(question), strings.ToLower(word))
	})
}

// restore gives the vault its files back, except for those in the trash.
func (c *canaryVault) restore() {
	c.t.Helper()
	var changes []store.Change
	files := c.store.Files()
	for path, text := range files {
		if old, existed := c.files[path]; strings.HasPrefix(path, ".trash/") || existed && old == text {
			continue
		} else if existed {
			changes = append(changes, store.Change{Path: vpath.Path(path), Base: store.Rev(store.Hash([]byte(text))), Data: []byte(old)})
		} else {
			changes = append(changes, store.Change{Op: store.Trash, Path: vpath.Path(path), Base: store.Rev(store.Hash([]byte(text)))})
		}
	}
	for path, text := range c.files {
		if _, exists := files[path]; !exists {
			changes = append(changes, store.Change{Path: vpath.Path(path), Data: []byte(text)})
		}
	}
	slices.SortFunc(changes, func(a, b store.Change) int { return strings.Compare(string(a.Path), string(b.Path)) })
	if len(changes) > 0 {
		if _, err := c.vault.Commit(c.t.Context(), changes); err != nil {
			c.t.Fatal(err)
		}
	}
}

// TestClosedLooksAbsent: every call answers, and changes open files, as if the closed
// files did not exist; it does not touch closed files, except for links that follow a
// renamed or deleted note.
func TestClosedLooksAbsent(t *testing.T) {
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			full, without, open := twins(t, r)
			calls := 0
			for _, called := range full.tools.All() {
				for _, args := range arguments(t, called) {
					checkCall(t, full, without, open, called, args)
					calls++
				}
			}
			if calls < 1000 && !testing.Short() {
				t.Errorf("only %d calls", calls)
			}
		})
	}
}

func checkCall(t *testing.T, full, without *canaryVault, open scope.Scope, called tool.Tool, args map[string]any) {
	t.Helper()
	question := called.Name + fmt.Sprint(args)
	got, want := full.ask(called.Name, args), without.ask(called.Name, args)
	if words := leaked(got, question); len(words) > 0 && called.Toolset != "history" { // which repeats what the caller wrote before
		t.Errorf("%s reveals %q:\n%s", question, words, got)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: without closed files (-), with them (+):\n%s", question, diff)
	}
	if called.Effect == tool.Reads {
		return
	}
	after := full.store.Files()
	openAfter := map[string]string{}
	for path, text := range after {
		if strings.HasPrefix(path, ".trash/") || open.Open(vpath.Path(path)) {
			openAfter[path] = text
		} else if old, existed := full.files[path]; !existed || old != text && !followsLinks(called.Name, args) {
			t.Errorf("%s: the closed %s became %q", question, path, text)
		}
	}
	for path := range full.files {
		if _, exists := after[path]; !exists && !open.Open(vpath.Path(path)) {
			t.Errorf("%s: the closed %s is gone", question, path)
		}
	}
	if diff := cmp.Diff(withoutTrash(without.store.Files()), withoutTrash(openAfter)); diff != "" {
		t.Errorf("%s: open files without closed ones (-), with them (+):\n%s", question, diff)
	}
	full.restore()
	without.restore()
}

// followsLinks reports whether a call may rewrite links in closed notes.
func followsLinks(name string, args map[string]any) bool {
	switch name {
	case "rename_note", "delete_note", "compose_notes", "append_periodic_note", "resolve_conflict":
		return true
	case "rename_in_vault":
		return args["kind"] != "tag" && args["kind"] != "property"
	}
	return false
}

// withoutTrash leaves out the trash.
func withoutTrash(files map[string]string) map[string]string {
	maps.DeleteFunc(files, func(path, _ string) bool { return strings.HasPrefix(path, ".trash/") })
	return files
}
