//go:build unix

package app

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"obsidian-mcp/internal/cases"
)

// maxMemory is what the server may need, whatever it is sent.
const maxMemory = 256 << 20

// buildFixture makes the tree of fixture.json and gives the vault's folder.
func buildFixture(t *testing.T) (base, vault string) {
	t.Helper()
	base = t.TempDir()
	content, err := os.ReadFile(cases.Path(t, "hostile/fixture.json"))
	if err != nil {
		t.Fatal(err)
	}
	var items []struct{ Type, Path, Content, Target string }
	if err := json.Unmarshal(content, &items); err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		path := filepath.Join(base, item.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		target := strings.ReplaceAll(item.Target, "{{BASE}}", base)
		switch item.Type {
		case "file":
			err = os.WriteFile(path, []byte(item.Content), 0o644)
		case "dir":
			err = os.MkdirAll(path, 0o755)
		case "symlink":
			err = os.Symlink(target, path)
		case "hardlink":
			err = os.Link(filepath.Join(base, target), path)
		case "fifo":
			err = syscall.Mkfifo(path, 0o644)
		case "socket":
			err = makeSocket(path)
		}
		if err != nil {
			t.Fatalf("%s: %v", item.Path, err)
		}
	}
	return base, filepath.Join(base, "vault")
}

// makeSocket leaves a socket behind; its path may be too long to bind to.
func makeSocket(path string) error {
	dir, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
	if err != nil {
		return err
	}
	listener.SetUnlinkOnClose(false)
	listener.Close()
	return os.Rename(filepath.Join(dir, "s"), path)
}

// treeOf hashes every file below a folder.
func treeOf(t *testing.T, base string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(base, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, _ := filepath.Rel(base, name)
		tree[relative] = entry.Type().String()
		if entry.Type().IsRegular() {
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			tree[relative] = fmt.Sprintf("%x", sha256.Sum256(content))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// changedFiles lists what differs between two trees; new folders do not count.
func changedFiles(before, after map[string]string) []string {
	var changed []string
	for name := range maps.Keys(after) {
		if before[name] != after[name] && after[name] != fs.ModeDir.String() {
			changed = append(changed, name)
		}
	}
	for name := range before {
		if _, still := after[name]; !still {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// TestHostilePaths reads and writes every hostile path through the program.
func TestHostilePaths(t *testing.T) {
	file, err := os.Open(cases.Path(t, "hostile/paths.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ran := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		columns := strings.Split(lines.Text(), "\t")
		if strings.HasPrefix(lines.Text(), "#") || len(columns) < 4 {
			continue
		}
		ran++
		for column, verb := range []string{"", "read", "write"} {
			if column > 0 && columns[column] != "-" {
				t.Run(fmt.Sprintf("%s/%03d %s", verb, ran, columns[3]), func(t *testing.T) {
					t.Parallel()
					checkPath(t, columns[0], verb, columns[column])
				})
			}
		}
	}
	if ran < 100 {
		t.Fatalf("only %d cases", ran)
	}
}

const written = "WRITTEN BY THE TEST\n"

func checkPath(t *testing.T, quoted, verb, verdict string) {
	base, vault := buildFixture(t)
	before := treeOf(t, base)
	c := start(t, vault, "OBSIDIAN_MCP_CONTEXT=off")
	c.initialize("2025-06-18")
	line := `{"jsonrpc":"2.0","id":"case","method":"tools/call","params":{"name":"read_note","arguments":{"name":` + quoted + `}}}`
	if verb == "write" {
		text, _ := json.Marshal(written)
		line = `{"jsonrpc":"2.0","id":"case","method":"tools/call","params":{"name":"create_note","arguments":{"name":` + quoted + `,"overwrite":true,"content":` + string(text) + `}}}`
	}
	begun := time.Now()
	c.send(line)
	answer := c.read()
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	failed := answer.Error != nil || decodeResult(t, answer).IsError
	for _, secret := range []string{"OUTSIDE-SECRET", "HIDDEN-SECRET", base} {
		if strings.Contains(string(answer.raw), secret) {
			t.Errorf("%s is in the answer: %s", secret, answer.raw)
		}
	}
	if after := c.call("list_notes", map[string]any{}); after.IsError {
		t.Errorf("the server does not answer any more: %+v", after)
	}
	c.end()
	checkVerdict(t, quoted, verdict, failed, answer, changedFiles(before, treeOf(t, base)))
}

func checkVerdict(t *testing.T, quoted, verdict string, failed bool, answer message, changed []string) {
	for _, name := range changed {
		inVault, ok := strings.CutPrefix(name, "vault/")
		if !ok || strings.HasPrefix(inVault, ".") || strings.Contains(inVault, "/.") {
			t.Errorf("%s was changed", name)
		}
	}
	if failed && len(changed) > 0 {
		t.Errorf("an error, but %v changed", changed)
	}
	want, detail, _ := strings.Cut(verdict, ":")
	switch want {
	case "refuse", "absent":
		if !failed {
			t.Errorf("%s was not refused: %s", quoted, answer.raw)
		}
	case "ambiguous":
		if !failed || !strings.Contains(string(answer.raw), "Projects/Alpha/Plan.md") || !strings.Contains(string(answer.raw), "Projects/Beta/Plan.md") {
			t.Errorf("the candidates are not named: %s", answer.raw)
		}
	case "ok":
		if failed || !strings.Contains(string(answer.raw), detail) {
			t.Errorf("%s is not in the answer: %s", detail, answer.raw)
		}
	case "create":
		var path string
		if err := json.Unmarshal([]byte(quoted), &path); err != nil {
			t.Fatal(err)
		}
		if failed || len(changed) != 1 || changed[0] != "vault/"+path {
			t.Errorf("failed %v, changed %v: %s", failed, changed, answer.raw)
		}
	case "same":
		if !failed && (len(changed) != 1 || changed[0] != "vault/"+detail) {
			t.Errorf("a second note was made: %v", changed)
		}
	case "either":
	default:
		t.Fatalf("unknown verdict %s", verdict)
	}
}

// hostileRequest is a case of requests.jsonl.
type hostileRequest struct {
	Name, Expect, Raw, B64              string
	Prefix, Fill, Middle, Fill2, Suffix string
	Count, Count2, Times, Answers       int
	Echo                                json.RawMessage
	EchoIfOK                            json.RawMessage `json:"echo_if_ok"`
	Forbid                              []string
}

func (r hostileRequest) line(t *testing.T) string {
	line := r.Raw
	if r.B64 != "" {
		decoded, err := base64.StdEncoding.DecodeString(r.B64)
		if err != nil {
			t.Fatal(err)
		}
		line = string(decoded)
	}
	if r.Count > 0 {
		line = r.Prefix + strings.Repeat(r.Fill, r.Count) + r.Middle + strings.Repeat(r.Fill2, r.Count2) + r.Suffix
	}
	line = strings.ReplaceAll(line, "{{TOOL}}", "read_note")
	return strings.ReplaceAll(line, "{{ARG}}", "name")
}

// TestHostileRequests sends every hostile request to one server.
func TestHostileRequests(t *testing.T) {
	base, vault := buildFixture(t)
	before := treeOf(t, base)
	content, err := os.ReadFile(cases.Path(t, "hostile/requests.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, vault, "OBSIDIAN_MCP_CONTEXT=off")
	c.initialize("2025-11-25")
	ran := 0
	for line := range strings.Lines(string(content)) {
		var one hostileRequest
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		ran++
		t.Run(one.Name, func(t *testing.T) { checkRequest(t, c, one) })
	}
	if peak := c.peakMemory(); peak > maxMemory {
		t.Errorf("the server needed %d MB", peak>>20)
	} else {
		t.Logf("%d hostile requests, peak memory %d MB", ran, peak>>20)
	}
	c.end()
	if changed := changedFiles(before, treeOf(t, base)); len(changed) > 0 {
		t.Errorf("files changed: %v", changed)
	}
	if ran < 90 {
		t.Errorf("only %d cases", ran)
	}
}

func checkRequest(t *testing.T, c *client, one hostileRequest) {
	line := one.line(t)
	go func() { // what is sent may be more than the pipes hold
		for i := range max(1, one.Times) {
			if _, err := c.in.Write([]byte(strings.ReplaceAll(line, "{{N}}", fmt.Sprint(i)) + "\n")); err != nil {
				return
			}
		}
		c.in.Write([]byte(`{"jsonrpc":"2.0","id":"after ` + one.Name + `","method":"tools/list"}` + "\n"))
	}()
	var answers []message
	marker := fmt.Sprintf("%q", "after "+one.Name)
	for {
		answer := c.read()
		if string(answer.ID) == marker {
			break
		}
		answers = append(answers, answer)
	}
	// The marker's answer may overtake that of a slower call.
	for want := one.wanted(); len(answers) < want; {
		answers = append(answers, c.read())
	}
	one.check(t, answers)
}

// wanted is how many answers there must be, at least.
func (r hostileRequest) wanted() int {
	switch {
	case r.Answers > 0:
		return r.Answers
	case slices.Contains(strings.Split(r.Expect, "|"), "silent"):
		return 0
	}
	return 1
}

func (r hostileRequest) check(t *testing.T, answers []message) {
	seen := map[string]bool{}
	for _, answer := range answers {
		class := classOf(answer)
		if !matchesClass(r.Expect, class) {
			t.Errorf("%s: got %s, want %s", answer.raw[:min(300, len(answer.raw))], class, r.Expect)
		}
		for _, text := range append(r.Forbid, "OUTSIDE-SECRET", "HIDDEN-SECRET") {
			if strings.Contains(string(answer.raw), text) {
				t.Errorf("the answer holds %q: %s", text, answer.raw)
			}
		}
		if r.Echo != nil && !sameJSON(r.Echo, answer.ID) || class == "ok" && r.EchoIfOK != nil && !sameJSON(r.EchoIfOK, answer.ID) {
			t.Errorf("the id is %s", answer.ID)
		}
		if r.Answers > 0 && seen[string(answer.ID)] {
			t.Errorf("%s was answered twice", answer.ID)
		}
		seen[string(answer.ID)] = true
	}
	if r.Answers > 0 && len(answers) != r.Answers {
		t.Errorf("%d answers, want %d", len(answers), r.Answers)
	}
	if r.Expect == "silent" && len(answers) > 0 {
		t.Errorf("not silent: %s", answers[0].raw)
	}
}

func sameJSON(a, b json.RawMessage) bool {
	if string(a) == string(b) {
		return true
	}
	var x, y string
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x == y
}

func classOf(answer message) string {
	if answer.Error != nil {
		switch answer.Error.Code {
		case -32700:
			return "parse_error"
		case -32600:
			return "invalid_request"
		case -32601:
			return "method_not_found"
		case -32602:
			return "invalid_params"
		}
		return fmt.Sprintf("error %d", answer.Error.Code)
	}
	var result struct{ IsError bool }
	if json.Unmarshal(answer.Result, &result) == nil && result.IsError {
		return "tool_error"
	}
	return "ok"
}

func matchesClass(expect, class string) bool {
	for want := range strings.SplitSeq(expect, "|") {
		switch {
		case want == class,
			want == "any_error" && class != "ok",
			want == "invalid_request" && class == "parse_error":
			return true
		}
	}
	return false
}

// TestHostileFrontmatter reads, appends to and sets a property of every
// hostile note through the program.
func TestHostileFrontmatter(t *testing.T) {
	dir := cases.Path(t, "hostile/frontmatter")
	vault := t.TempDir()
	names, _ := filepath.Glob(filepath.Join(dir, "*.md"))
	if len(names) < 30 {
		t.Fatalf("only %d notes", len(names))
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(vault, filepath.Base(name)), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := start(t, vault, "OBSIDIAN_MCP_CONTEXT=off")
	c.initialize("2025-06-18")
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			c.t = t
			checkHostileNote(t, c, filepath.Join(vault, filepath.Base(name)))
		})
	}
	c.t = t
	if peak := c.peakMemory(); peak > maxMemory {
		t.Errorf("the server needed %d MB", peak>>20)
	}
	c.end()
}

func checkHostileNote(t *testing.T, c *client, file string) {
	begun := time.Now()
	name := filepath.Base(file)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if read := c.call("read_note", map[string]any{"name": name}); read.IsError {
		t.Errorf("read: %s", read.Content[0].Text)
	}
	if known := c.call("get_note_metadata", map[string]any{"name": name}); known.IsError || len(known.Content[0].Text) > 2<<20 {
		t.Errorf("metadata of %d bytes", len(known.Content[0].Text))
	}
	appended := c.call("append_note", map[string]any{"name": name, "text": "MORE"})
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if appended.IsError && string(after) != string(before) {
		t.Errorf("appending failed, but the note changed: %s", appended.Content[0].Text)
	}
	if !appended.IsError && !strings.HasPrefix(string(after), string(before)) {
		t.Error("appending changed earlier bytes")
	}
	set := c.call("set_frontmatter", map[string]any{"name": name, "key": "added_by_test", "value": "yes"})
	final, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if set.IsError {
		if string(final) != string(after) {
			t.Errorf("setting failed, but the note changed: %s", set.Content[0].Text)
		}
	} else if !withoutLine(string(final), string(after)) {
		t.Errorf("setting a property changed more than one line")
	}
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
}

// withoutLine reports that b is a without the added property, and without the
// fences where it had none.
func withoutLine(a, b string) bool {
	for _, eol := range []string{"\n", "\r\n"} {
		line := "added_by_test: yes" + eol
		for _, quoted := range []string{line, "added_by_test: \"yes\"" + eol} {
			if strings.Replace(a, quoted, "", 1) == b || strings.Replace(a, "---"+eol+quoted+"---"+eol, "", 1) == b {
				return true
			}
		}
	}
	return false
}
