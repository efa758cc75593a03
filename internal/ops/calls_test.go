package ops_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/store/livesync/livesynctest"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/testkit/golden"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/text/meaning"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/vault/history"
)

// backend is a kind of store that transcripts run on. Its open returns the store, and a
// function that reads the files directly.
type backend struct {
	name string
	open func(t *testing.T, files, config map[string]string) (store.Store, func() map[string]string)
}

var backends = []backend{
	{"mem", func(_ *testing.T, files, config map[string]string) (store.Store, func() map[string]string) {
		s := mem.New(files)
		for name, text := range config {
			s.SetConfig(name, text)
		}
		return s, s.Files
	}},
	{"folder", func(t *testing.T, files, config map[string]string) (store.Store, func() map[string]string) {
		dir := memoryDir(t)
		for name, text := range files {
			writeFile(t, filepath.Join(dir, name), text)
		}
		for name, text := range config {
			writeFile(t, filepath.Join(dir, ".obsidian", name), text)
		}
		f, err := folder.Open(dir, folder.Options{State: memoryDir(t)})
		if err != nil {
			t.Fatal(err)
		}
		return f, func() map[string]string { return readVault(t, dir) }
	}},
	{"livesync", func(t *testing.T, files, config map[string]string) (store.Store, func() map[string]string) {
		return livesynctest.Open(t, files, config)
	}},
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readVault reads all files of a folder except Obsidian's settings.
func readVault(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, _ := filepath.Rel(dir, name)
		if content, err := os.ReadFile(name); err == nil && !strings.HasPrefix(relative, ".obsidian") {
			files[filepath.ToSlash(relative)] = string(content)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestCalls runs the transcripts: a vault, calls with their answers, and the files that
// differ afterwards. With -update, the in-memory store writes the answers. Most
// transcripts run on a LiveSync database, which is slow, only in the full form.
func TestCalls(t *testing.T) {
	names, err := filepath.Glob("testdata/calls/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	covered := map[string]bool{}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		title := strings.TrimSuffix(filepath.Base(name), ".txtar")
		maps.Copy(covered, coverage(archive))
		for _, backend := range backends {
			t.Run(title+"/"+backend.name, func(t *testing.T) {
				switch {
				case golden.Updating() && backend.name != "mem":
					t.Skip("the in-memory store writes the answers")
				case testing.Short() && backend.name != "mem":
					t.Skip("too slow for -short")
				case backend.name != "mem" && hasSides(archive):
					t.Skip("only the in-memory store can be put into a conflict here")
				case backend.name == "livesync" && !mode.Full() && !slices.Contains([]string{"canvas", "edit", "history_delete", "rename"}, title):
					t.Skip("only in the full form")
				}
				t.Parallel()
				golden.Check(t, name, txtar.Format(runTranscript(t, archive, backend)))
			})
		}
	}
	for _, definition := range ops.All() {
		name := definition.Name
		if definition.Needs != tool.NeedsNothing && definition.Needs != tool.NeedsApp {
			continue // internal/app calls it with what it needs
		}
		if !covered[name+" ok"] || !covered[name+" error"] && name != "get_help" && name != "find_broken_links" {
			t.Errorf("no transcript shows both success and failure of %s", name)
		}
	}
}

// coverage lists which tools a transcript shows succeeding ("name ok") and failing
// ("name error").
func coverage(archive *txtar.Archive) map[string]bool {
	shown, name := map[string]bool{}, ""
	for _, file := range archive.Files {
		switch file.Name {
		case "call":
			var request struct{ Tool string }
			_ = json.Unmarshal(file.Data, &request) // answerTo reports what is wrong with it
			name = request.Tool
		case "answer":
			if failure.Match(file.Data) {
				shown[name+" error"] = true
			} else {
				shown[name+" ok"] = true
			}
		}
	}
	return shown
}

// failure is the start of an answer that is an error.
var failure = regexp.MustCompile(`^[A-Z]+(_[A-Z]+)*: `)

// runTranscript makes the calls and returns the transcript with the real answers.
func runTranscript(t *testing.T, archive *txtar.Archive, backend backend) *txtar.Archive {
	files, config := map[string]string{}, map[string]string{}
	got := &txtar.Archive{Comment: archive.Comment}
	var calls, sides []txtar.File
	for _, file := range archive.Files {
		name, isVault := strings.CutPrefix(file.Name, "vault/")
		setting, isConfig := strings.CutPrefix(file.Name, "config/")
		switch {
		case isConfig:
			config[setting] = string(file.Data)
		case isVault:
			files[name] = unescape(file)
		case file.Name == "call":
			calls = append(calls, file)
			continue
		case strings.HasPrefix(file.Name, "side/"), strings.HasPrefix(file.Name, "base/"):
			sides = append(sides, file)
		default:
			continue
		}
		got.Files = append(got.Files, file)
	}
	s, after := backend.open(t, files, config)
	diverge(s, sides)
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{History: newHistory(t), Meaning: meaning.Builtin()})
	t.Cleanup(func() { v.Close() })
	_, registry := ops.New(v.Whole(), transcriptOptions(string(archive.Comment)))
	for _, call := range calls {
		answer := answerTo(t, registry, []byte(changeIDs(t, v).Replace(string(call.Data))))
		answer = moments.ReplaceAllString(numberChanges(t, v, answer), "<time>")
		got.Files = append(got.Files, call, txtar.File{Name: "answer", Data: []byte(answer + "\n")})
	}
	now := after()
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if old, existed := files[name]; !existed || old != now[name] {
			got.Files = append(got.Files, escape("after/"+name, now[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if _, exists := now[name]; !exists {
			got.Files = append(got.Files, txtar.File{Name: "gone/" + name})
		}
	}
	return got
}

// hasSides reports whether files of a transcript are in conflict at the start.
func hasSides(archive *txtar.Archive) bool {
	return slices.ContainsFunc(archive.Files, func(file txtar.File) bool { return strings.HasPrefix(file.Name, "side/") })
}

// diverge puts files of the in-memory store into conflict. What the transcript calls base is the common ancestor of the sides
// that follow it.
func diverge(s store.Store, sides []txtar.File) {
	bases := map[string][]byte{}
	for _, file := range sides {
		text := []byte(unescape(file))
		if name, isBase := strings.CutPrefix(file.Name, "base/"); isBase {
			bases[name] = text
		} else if name, isSide := strings.CutPrefix(file.Name, "side/"); isSide {
			s.(*mem.Store).DivergeFrom(vpath.Path(name), bases[name], text)
		}
	}
}

func newHistory(t *testing.T) *history.History {
	t.Helper()
	return history.Open(history.Options{Dir: memoryDir(t)})
}

// changes returns the ids of the changes so far, oldest first.
func changes(t *testing.T, v *vault.Vault) []string {
	t.Helper()
	var ids []string
	if err := v.Whole().EachPastChange(t.Context(), func(past vault.PastChange) bool {
		ids = append(ids, past.ID)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(ids)
	return ids
}

// changeIDs replaces <change 1> by the id of the first change, and so on.
func changeIDs(t *testing.T, v *vault.Vault) *strings.Replacer {
	t.Helper()
	var pairs []string
	for i, id := range changes(t, v) {
		pairs = append(pairs, fmt.Sprintf("<change %d>", i+1), id)
	}
	return strings.NewReplacer(pairs...)
}

// numberChanges is the inverse of changeIDs: ids differ from run to run.
func numberChanges(t *testing.T, v *vault.Vault, text string) string {
	t.Helper()
	for i, id := range changes(t, v) {
		text = strings.ReplaceAll(text, id, fmt.Sprintf("<change %d>", i+1))
	}
	return text
}

// moments differ from run to run.
var moments = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// onMonday is when transcripts happen, as far as tools tell the date.
func onMonday() time.Time { return time.Date(2026, 11, 16, 9, 30, 0, 0, time.UTC) }

// transcriptOptions reads "policy: strict", "confirm: 1" and "app: running" from a comment.
func transcriptOptions(comment string) ops.Options {
	ids := 0
	newBlockID := func() string { ids++; return fmt.Sprintf("%06x", ids) }
	options := ops.Options{NewBlockID: newBlockID, TagPolicy: ops.TagsNotes, TagRules: ops.DefaultTagRules, ConfirmOver: 100, Secret: []byte("test"), VaultID: "vault", Now: onMonday, Zone: time.UTC, ZoneSource: "test"}
	for line := range strings.Lines(comment) {
		if policy, ok := strings.CutPrefix(strings.TrimSpace(line), "policy: "); ok {
			options.TagPolicy = ops.TagPolicy(policy)
		}
		if over, ok := strings.CutPrefix(strings.TrimSpace(line), "confirm: "); ok {
			fmt.Sscan(over, &options.ConfirmOver)
		}
		if state, ok := strings.CutPrefix(strings.TrimSpace(line), "app: "); ok {
			options.App, options.AppCommands = fakeApp{isRunning: state == "running"}, []string{"daily-notes", "editor:save-file"}
		}
	}
	return options
}

// escapes let a transcript contain what txtar cannot: the end of a text without a
// final newline, carriage returns, NUL, a byte-order mark.
var escapes = strings.NewReplacer("\\r", "\r", "\\0", "\x00", "\\u{feff}", "\ufeff", "\\end\n", "")

func unescape(file txtar.File) string { return escapes.Replace(string(file.Data)) }

func escape(name, text string) txtar.File {
	text = strings.NewReplacer("\r", "\\r", "\x00", "\\0", "\ufeff", "\\u{feff}").Replace(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\\end\n"
	}
	return txtar.File{Name: name, Data: []byte(text)}
}

func answerTo(t *testing.T, registry *tool.Registry, data []byte) string {
	t.Helper()
	var request struct {
		Tool      string
		Session   string
		Arguments json.RawMessage
	}
	if err := json.Unmarshal(data, &request); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	called, err := registry.Find(request.Tool)
	if err != nil {
		t.Fatal(err)
	}
	ctx, _ := call.Begin(call.WithCaller(t.Context(), call.Caller{Client: "transcript", Session: request.Session}), request.Tool)
	answer, err := called.Call(ctx, request.Arguments)
	if err != nil {
		text := fault.KindOf(err).Code() + ": " + err.Error()
		if hint := fault.HintOf(err); hint != "" {
			text += " (" + hint + ")"
		}
		return maskConfirm(text) + hintLines(answer)
	}
	checkOutput(t, called, answer)
	if answer.JSON != nil {
		return answer.Text + mediaLines(answer) + hintLines(answer)
	}
	return strings.TrimSuffix(string(escape("", answer.Text).Data), "\n") + hintLines(answer)
}

// hintLines are the hints of an answer, as transcripts show them.
func hintLines(answer tool.Answer) string {
	lines := ""
	for _, hint := range answer.HintLines() {
		lines += "\nhint: " + maskConfirm(hint)
	}
	return lines
}

// mediaLines are the pictures, sounds and references that follow an answer, as transcripts show them.
func mediaLines(answer tool.Answer) string {
	lines := ""
	for _, media := range answer.Media {
		lines += fmt.Sprintf("\nmedia: %s %s%s", media.MIME, media.URI, strings.Repeat("*", len(media.Data)/1000))
	}
	return lines
}

// maskConfirm hides the part of a confirmation id that depends on the time.
func maskConfirm(text string) string {
	before, id, ok := strings.Cut(text, "confirm='")
	if !ok {
		return text
	}
	return before + "confirm='" + strings.Repeat("x", 4) + id[strings.IndexByte(id, '\''):]
}

// checkOutput validates an answer against the tool's own schema.
func checkOutput(t *testing.T, called tool.Tool, answer tool.Answer) {
	t.Helper()
	if called.Output == nil {
		if answer.JSON != nil {
			t.Errorf("%s answers in plain text, but also returns JSON", called.Name)
		}
		return
	}
	resolved, err := called.Output.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(answer.JSON))
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("%s: the answer does not match the schema: %v\n%s", called.Name, err, answer.JSON)
	}
}
