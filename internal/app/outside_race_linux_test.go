package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/vault/history"
)

// TestRacingOutsiders edits notes from several clients of two processes, while another program rewrites, renames, evicts
// and deletes the same notes as Obsidian, Syncthing and iCloud do. Every write leaves a token. In the end each token is in
// the vault, or an edit that had read it removed it on purpose, or the outsider reports that it overwrote it. The history
// contains the token of every acknowledged edit.
func TestRacingOutsiders(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	r.edit(mode.Pick(100, 300, 10_000))
	r.endOutsider()
	r.checkIndex()
	r.stop()
	r.check()
}

// race is a vault that two processes of the program and an outsider change.
type race struct {
	t       *testing.T
	base    string
	vault   string
	state   string
	server  *httpServer
	stdio   *client
	outside *exec.Cmd
	leave   io.Closer // the outsider's input
	account bytes.Buffer
	callers []rpcCaller

	mu      sync.Mutex // guards the fields below
	made    map[string]toolEdit
	refused map[string]int // by the first words of the reason
}

// toolEdit is an edit that a client asks for.
type toolEdit struct {
	tool      string
	arguments map[string]any
	leaves    leaves
	began     time.Time
}

// leaves says how long the token of an edit stays in the vault.
type leaves int

const (
	leavesLasting leaves = iota // it stays, whatever other edits do
	leavesPassing               // a later edit may take its place
	leavesNothing               // the edit has no token
)

func newRace(t *testing.T) *race {
	r := &race{t: t, base: t.TempDir(), made: map[string]toolEdit{}, refused: map[string]int{}}
	r.vault, r.state = filepath.Join(r.base, "vault"), filepath.Join(r.base, "state")
	var hub strings.Builder
	for note := range contested {
		writeFiles(t, r.vault, map[string]string{contestedPath(note, note%2 == 0): contestedNote(note, fmt.Sprintf("tok-old-0-%d", note))})
		fmt.Fprintf(&hub, "- [[Note %02d]]\n", note)
	}
	writeFiles(t, r.base, map[string]string{"cloud/.keep": "", "vault/Hub.md": hub.String()})
	settings := []string{"OBSIDIAN_MCP_STATE_DIR=" + r.state, "OBSIDIAN_MCP_CONTEXT=off", "LOG_LEVEL=error"}
	r.server = startHTTP(t, r.vault, append(settings, "LOG_LEVEL=info")...)
	r.stdio = start(t, r.vault, settings...)
	r.stdio.initialize("2025-11-25")
	r.callers = []rpcCaller{r.stdio}
	for range 3 {
		r.callers = append(r.callers, r.server.session(""))
	}
	r.startOutsider()
	return r
}

func (r *race) startOutsider() {
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	r.outside = exec.Command(self)
	r.outside.Env = append(os.Environ(), asOutsider+"="+r.base)
	r.outside.Stdout, r.outside.Stderr = &r.account, os.Stderr
	if r.leave, err = r.outside.StdinPipe(); err != nil {
		r.t.Fatal(err)
	}
	if err := r.outside.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = r.outside.Process.Kill() }) // in case the test fails early
}

// edit makes edits with all clients at once.
func (r *race) edit(edits int) {
	var clients sync.WaitGroup
	for number, caller := range r.callers {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(uint64(number), 1))
			for n := range edits / len(r.callers) {
				r.editOnce(caller, random, fmt.Sprintf("tok-tool-%d-%d", number, n))
			}
		})
	}
	clients.Wait()
}

// editOnce makes one edit, and records its outcome.
func (r *race) editOnce(caller rpcCaller, random *rand.Rand, token string) {
	edit := raceEdit(random, token)
	edit.began = time.Now()
	answer := caller.request("tools/call", map[string]any{"name": edit.tool, "arguments": edit.arguments})
	result := decodeResult(r.t, answer)
	r.mu.Lock()
	defer r.mu.Unlock()
	if answer.Error == nil && !result.IsError {
		r.made[token] = edit
		return
	}
	reason := string(answer.raw)
	if answer.Error == nil {
		reason = result.Content[0].Text
	}
	reason = anyNumber.ReplaceAllString(reason[:min(len(reason), 90)], "Note N")
	r.refused[edit.tool+": "+reason]++
}

// anyNumber matches the part that differs between refusals for the same reason.
var anyNumber = regexp.MustCompile(`(Moved/)?Note \d\d`)

// raceEdit chooses an edit that leaves a token, unless it moves or deletes.
func raceEdit(random *rand.Rand, token string) toolEdit {
	note := random.IntN(contested)
	name := fmt.Sprintf("Note %02d", note)
	path := contestedPath(note, random.IntN(2) == 0)
	switch random.IntN(20) {
	case 0:
		return toolEdit{tool: "delete_note", arguments: map[string]any{"name": name}, leaves: leavesNothing}
	case 1, 2:
		return toolEdit{tool: "rename_note", arguments: map[string]any{"old_name": name, "new_name": "/" + path}, leaves: leavesNothing}
	case 3, 4:
		return toolEdit{tool: "create_note", arguments: map[string]any{"name": path, "content": contestedNote(note, token)}}
	case 5, 6, 7:
		return toolEdit{tool: "update_section", arguments: map[string]any{"name": name, "section": "Status", "content": token}, leaves: leavesPassing}
	case 8, 9, 10:
		return toolEdit{tool: "set_frontmatter", arguments: map[string]any{"name": name, "key": "last", "value": token}, leaves: leavesPassing}
	case 11, 12, 13:
		return toolEdit{tool: "replace_text", arguments: map[string]any{"name": name, "old_text": "marker", "new_text": token + "\nmarker"}}
	}
	return toolEdit{tool: "append_note", arguments: map[string]any{"name": name, "text": token}}
}

func (r *race) endOutsider() {
	r.leave.Close()
	if err := r.outside.Wait(); err != nil {
		r.t.Fatalf("the outsider failed: %v", err)
	}
}

// checkIndex waits until the index has the notes that the outsider has left.
func (r *race) checkIndex() {
	r.t.Helper()
	want := 0
	for path := range r.files() {
		if strings.HasSuffix(path, ".md") && !strings.HasPrefix(path, ".") {
			want++
		}
	}
	var got string
	for begun := time.Now(); time.Since(begun) < mode.Patience; time.Sleep(50 * time.Millisecond) {
		got = r.stdio.call("list_notes", map[string]any{"limit": 0}).Content[0].Text
		if strings.Contains(got, fmt.Sprintf(`"total":%d`, want)) {
			return
		}
	}
	r.t.Errorf("there are %d notes, but the program lists %s", want, got)
}

func (r *race) stop() {
	r.stdio.end()
	r.server.stop()
}

// files are all files of the vault, hidden ones and the trash included.
func (r *race) files() map[string]string {
	r.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(r.vault, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		relative, _ := filepath.Rel(r.vault, path)
		files[relative] = string(content)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return files
}

// check looks for tokens that are lost.
func (r *race) check() {
	there := map[string]bool{}
	for path, text := range r.files() {
		if strings.Contains(path, ".obsidian-mcp-") {
			r.t.Errorf("%s was left behind", path)
		}
		for _, token := range tokenPattern.FindAllString(text, -1) {
			there[token] = true
		}
	}
	wrote, took := r.readAccount()
	var lost []string
	for token, act := range wrote {
		if !there[token] && !took[token] {
			lost = append(lost, act+" "+token)
		}
	}
	overwritten, recorded := 0, r.recorded()
	for token, edit := range r.made {
		if edit.leaves != leavesNothing && !recorded[token] {
			lost = append(lost, edit.tool+" "+token+" (from the history)")
		}
		switch {
		case there[token] || edit.leaves != leavesLasting:
		case took[token]:
			overwritten++
		default:
			lost = append(lost, edit.tool+" "+token)
		}
	}
	slices.Sort(lost)
	r.t.Logf("%d edits acknowledged (%d of them overwritten by others), %d refused; %d writes by others; %d lost",
		len(r.made), overwritten, sum(r.refused), len(wrote), len(lost))
	for _, reason := range slices.Sorted(maps.Keys(r.refused)) {
		r.t.Logf("refused %4d × %s", r.refused[reason], reason)
	}
	if len(lost) > 0 {
		r.t.Errorf("lost without a trace: %q", lost)
	}
}

// recorded are the tokens of edits in the history.
func (r *race) recorded() map[string]bool {
	r.t.Helper()
	tokens := map[string]bool{}
	past := history.Open(history.Options{Dir: filepath.Join(r.state, folder.ID(r.vault), "history")})
	err := past.Each(r.t.Context(), func(change history.Change) bool {
		if !change.Made {
			r.t.Errorf("the outcome of change %s by %s is unknown", change.ID, change.Tool)
		}
		for _, file := range change.Files {
			if file.After.Hash == "" {
				continue
			}
			content, err := past.Content(r.t.Context(), change, file.After)
			if err != nil {
				r.t.Error(err)
			}
			for _, token := range tokenPattern.FindAllString(string(content), -1) {
				tokens[token] = true
			}
		}
		return true
	})
	if err != nil {
		r.t.Error(err)
	}
	return tokens
}

// readAccount returns the tokens that were there at first or that the outsider wrote, each with the act that wrote it, and
// the tokens that it removed.
func (r *race) readAccount() (wrote map[string]string, took map[string]bool) {
	wrote, took = map[string]string{}, map[string]bool{}
	for note := range contested {
		wrote[fmt.Sprintf("tok-old-0-%d", note)] = "begin"
	}
	acts := map[string]int{}
	for lines := json.NewDecoder(&r.account); ; {
		var act outsideAct
		if err := lines.Decode(&act); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			r.t.Fatal(err)
		}
		acts[act.Act]++
		if act.Wrote != "" {
			wrote[act.Wrote] = act.Act
		}
		for _, token := range act.Took {
			took[token] = true
		}
		r.checkBeside(act)
	}
	r.t.Logf("the outsider's acts: %v", acts)
	return wrote, took
}

// checkBeside finds notes that were created although a placeholder was already there.
func (r *race) checkBeside(act outsideAct) {
	for _, token := range act.Beside {
		if edit, ok := r.made[token]; ok && edit.began.UnixNano() > act.Since {
			r.t.Errorf("%s made a note beside an iCloud placeholder: %s", edit.tool, token)
		}
	}
}

func sum(counts map[string]int) (total int) {
	for _, count := range counts {
		total += count
	}
	return total
}
