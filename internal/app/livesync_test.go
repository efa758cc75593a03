package app

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/testkit/mode"
)

// TestPullOfFixtures: every file has the bytes that it has on the devices.
func TestPullOfFixtures(t *testing.T) {
	t.Parallel()
	for _, name := range allFixtures(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fixtureNamed(t, name)
			_, settings := f.load(t)
			dir := filepath.Join(t.TempDir(), "made", "by", "pull")
			for _, summary := range []string{" files created, 0 replaced, 0 the same;", "0 files created, 0 replaced, "} {
				got := runProgram(t, settings, "livesync", "pull", dir)
				if got.status != 0 || got.errors != "" || !strings.Contains(got.out, summary) {
					t.Fatalf("%+v", got)
				}
			}
			pulled := filesOf(t, dir)
			want := map[string]string{}
			for path, file := range f.Files {
				want[path] = file.SHA256
			}
			for path := range f.Conflicts { // either side may win
				want[path] = pulled[path]
			}
			if diff := cmp.Diff(want, pulled); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPushThenPull: the files of a folder come out of a new database unchanged.
func TestPushThenPull(t *testing.T) {
	t.Parallel()
	for name, more := range map[string][]string{
		"plain":      nil,
		"encrypted":  {"VAULT_PASSPHRASE=Correct-Horse 🐴 battery"},
		"obfuscated": {"VAULT_PASSPHRASE=x", "USE_PATH_OBFUSCATION=true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipUnlessFull(t, name, "obfuscated")
			settings := databaseSettings(couchtest.New(t), more...)
			from, to := t.TempDir(), t.TempDir()
			writeFiles(t, from, map[string]string{
				"A.md": "# A\n\n[[Ünïcode – 日本語 🧠]]\r\n", "Projects/deep/Ünïcode – 日本語 🧠.md": "b\n", "Empty.md": "",
				"x.bin": string([]byte{0, 1, 2, 255, 254, 10, 13}), "Long.md": strings.Repeat("a long line of a long note\n", 20_000),
			})
			want := filesOf(t, from)
			writeFiles(t, from, map[string]string{".obsidian/app.json": "{}", ".trash/Old.md": "old", ".hidden.md": "hidden"})
			got := runProgram(t, settings, "livesync", "push", from)
			if got.status != 0 || !strings.HasPrefix(got.out, "5 files created") || !strings.Contains(got.errors, "is empty; it becomes a new LiveSync vault") {
				t.Fatalf("push: %+v", got)
			}
			if got := runProgram(t, settings, "livesync", "push", from); got.status != 0 || got.errors != "" || !strings.HasPrefix(got.out, "0 files created, 0 replaced, 5 the same; 0 bytes") {
				t.Errorf("push again: %+v", got)
			}
			if got := runProgram(t, settings, "livesync", "verify"); got.status != 0 || !strings.Contains(got.out, "5 files") || !strings.Contains(got.out, "all is well") {
				t.Errorf("verify: %+v", got)
			}
			if got := runProgram(t, settings, "livesync", "pull", to); got.status != 0 {
				t.Errorf("pull: %+v", got)
			}
			if diff := cmp.Diff(want, filesOf(t, to)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCopyLeavesDifferentFilesAlone: pull and push replace a different file only with --overwrite.
func TestCopyLeavesDifferentFilesAlone(t *testing.T) {
	t.Parallel()
	settings := databaseSettings(couchtest.New(t))
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"A.md": "first", "B.md": "b"})
	runProgram(t, settings, "livesync", "push", dir)
	writeFiles(t, dir, map[string]string{"A.md": "second", "Z.md": "z"})
	for _, direction := range []string{"pull", "push"} {
		got := runProgram(t, settings, "livesync", direction, dir)
		if got.status != 6 || got.errors != "A.md: differs, left alone\n" || !strings.Contains(got.out, "1 different and left alone (--overwrite replaces them)") {
			t.Errorf("%s: %+v", direction, got)
		}
	}
	if got := runProgram(t, settings, "livesync", "push", dir, "--overwrite"); got.status != 0 || !strings.HasPrefix(got.out, "0 files created, 1 replaced, 2 the same; 6 bytes") {
		t.Errorf("push: %+v", got)
	}
	writeFiles(t, dir, map[string]string{"A.md": "third"})
	if got := runProgram(t, settings, "livesync", "pull", dir, "--overwrite"); got.status != 0 || !strings.HasPrefix(got.out, "0 files created, 1 replaced") {
		t.Errorf("pull: %+v", got)
	}
	if hash := filesOf(t, dir)["A.md"]; hash != store.Hash([]byte("second")) {
		t.Error("A.md is not what was pushed")
	}
}

func TestCopyErrors(t *testing.T) {
	t.Parallel()
	d := couchtest.New(t)
	settings := databaseSettings(d)
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"file": "x", "v/A.md": "a"})
	for name, c := range map[string]struct {
		settings []string
		args     []string
		status   int
		says     string
	}{
		"pull into a file":      {settings, []string{"pull", filepath.Join(dir, "file")}, 2, "is a file"},
		"push of a file":        {settings, []string{"push", filepath.Join(dir, "file")}, 1, "is not a folder"},
		"push of nothing":       {settings, []string{"push", filepath.Join(dir, "nowhere")}, 1, "cannot be opened"},
		"no folder":             {settings, []string{"pull"}, 2, "which folder?"},
		"two folders":           {settings, []string{"pull", dir, dir}, 2, "which folder?"},
		"no database":           {nil, []string{"pull", filepath.Join(dir, "new")}, 1, "COUCHDB_BASE_URL not set"},
		"a read-only push":      {append(slices.Clone(settings), "OBSIDIAN_MCP_READ_ONLY=true"), []string{"push", filepath.Join(dir, "v")}, 4, "READ_ONLY"},
		"a wrong password":      {append(slices.Clone(settings), wrongPassword(t, d, "hunter2")...), []string{"pull", filepath.Join(dir, "new")}, 4, "wrong user or password"},
		"another command":       {settings, []string{"pul", dir}, 2, "unknown command"},
		"a server that is away": {append(slices.Clone(settings), "COUCHDB_BASE_URL=http://127.0.0.1:1"), []string{"verify"}, 7, "cannot be reached"},
	} {
		got := runProgram(t, c.settings, append([]string{"livesync"}, c.args...)...)
		if got.status != c.status || !strings.Contains(got.errors, c.says) || !strings.HasPrefix(got.errors, "obsidian-mcp: ") || got.out != "" || strings.Contains(got.errors, "hunter2") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a folder was created for a vault that could not be opened")
	}
}

// TestLiveSyncCommandsIgnoreTheFolder: they use the database even if a folder is configured too.
func TestLiveSyncCommandsIgnoreTheFolder(t *testing.T) {
	t.Parallel()
	settings := databaseSettings(couchtest.New(t), "OBSIDIAN_VAULT_PATH="+t.TempDir())
	if got := runProgram(t, settings, "livesync", "verify"); got.status != 0 {
		t.Errorf("%+v", got)
	}
}

func TestVerifyOfFixtures(t *testing.T) {
	t.Parallel()
	for _, name := range allFixtures(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fixtureNamed(t, name)
			_, settings := f.load(t)
			got := runProgram(t, settings, "livesync", "verify")
			report := lines(got.out)
			if len(f.Conflicts) == 0 {
				if got.status != 0 || len(report) != 1 || !strings.HasSuffix(got.out, "all is well\n") {
					t.Errorf("%+v", got)
				}
				return
			}
			if got.status != 1 || len(report) != len(f.Conflicts)+1 {
				t.Errorf("%+v", got)
			}
			for path := range f.Conflicts {
				if !strings.Contains(got.out, path+": conflict") {
					t.Errorf("%s is not reported: %s", path, got.out)
				}
			}
		})
	}
}

// damages are ways to damage the note Victim.md, which shares no chunk with other notes.
var damages = map[string]struct {
	harm func(t *testing.T, d *couchtest.Database)
	says string
}{
	"a chunk is missing": {func(t *testing.T, d *couchtest.Database) {
		for _, id := range victimChunks(t, d) {
			document := getDocument(t, d, id)
			d.Do(t, "DELETE", "/"+id+"?rev="+document["_rev"].(string), nil)
		}
	}, "missing chunk"},
	"the size is wrong": {func(t *testing.T, d *couchtest.Database) {
		document := getDocument(t, d, "victim.md")
		document["size"] = 3
		d.Put(t, "victim.md", document)
	}, "wrong size"},
	"a chunk is invalid": {func(t *testing.T, d *couchtest.Database) {
		for _, id := range victimChunks(t, d) {
			document := getDocument(t, d, id)
			document["data"] = 5
			d.Put(t, id, document)
		}
	}, "damaged"},
}

func TestVerifyFindsDamage(t *testing.T) {
	t.Parallel()
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipUnlessFull(t, name, "a chunk is missing")
			d := couchtest.New(t)
			settings := databaseSettings(d)
			dir := t.TempDir()
			writeFiles(t, dir, map[string]string{"Good.md": "good", "Victim.md": "a text that no other note has\n"})
			if got := runProgram(t, settings, "livesync", "push", dir); got.status != 0 {
				t.Fatalf("%+v", got)
			}
			damage.harm(t, d)
			got := runProgram(t, settings, "livesync", "verify")
			report := lines(got.out)
			if got.status != 1 || len(report) != 2 || !strings.HasPrefix(report[0], "Victim.md: "+damage.says) || !strings.HasSuffix(report[1], "1 problem") {
				t.Errorf("verify: %+v", got)
			}
			wantLines(t, runProgram(t, settings, "doctor"), 0, `look +1 note: cannot be read: Victim\.md \(`+damage.says+`\); obsidian-mcp livesync verify says why$`)
			into := t.TempDir()
			pulled := runProgram(t, settings, "livesync", "pull", into)
			if pulled.status != 7 || !strings.HasPrefix(pulled.errors, "Victim.md: unreadable: ") || !strings.HasPrefix(pulled.out, "1 file created, 0 replaced, 0 the same, 1 unreadable") {
				t.Errorf("pull: %+v", pulled)
			}
			if files := filesOf(t, into); len(files) != 1 || files["Good.md"] == "" {
				t.Errorf("pulled %v", files)
			}
			if found := runProgram(t, settings, "doctor"); found.status != 0 {
				t.Errorf("doctor: %+v", found)
			}
		})
	}
}

// TestVerifyFindsGarbage: verify reports a document whose ciphertext was changed.
func TestVerifyFindsGarbage(t *testing.T) {
	t.Parallel()
	f := fixtureNamed(t, "e2ee-v2-obfuscated")
	d, settings := f.load(t)
	id := spoilPath(t, d)
	got := runProgram(t, settings, "livesync", "verify")
	if report := lines(got.out); got.status != 1 || len(report) != 2 || !strings.HasPrefix(report[0], id+": not decryptable") {
		t.Errorf("%+v", got)
	}
}

// victimChunks are the chunks of the note Victim.md.
func victimChunks(t *testing.T, d *couchtest.Database) (ids []string) {
	t.Helper()
	children, _ := getDocument(t, d, "victim.md")["children"].([]any)
	for _, id := range children {
		ids = append(ids, id.(string))
	}
	if len(ids) == 0 {
		t.Fatal("the note has no chunks")
	}
	return ids
}

// TestInterruptedCommands: Ctrl-C stops a command that waits for the database, and the command says so.
func TestInterruptedCommands(t *testing.T) {
	t.Parallel()
	f := fixtureNamed(t, "plain")
	for _, args := range [][]string{{"verify"}, {"pull", t.TempDir()}} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			d, settings := f.load(t)
			proxy := couchtest.NewProxy(t, d.URL, "")
			for _, after := range []int{0, 8} {
				asked := make(chan struct{})
				count := 0
				proxy.Script(func(*http.Request) couchtest.Fault {
					if count++; count == after+1 {
						close(asked)
					}
					if count > after {
						return couchtest.Hang()
					}
					return nil
				})
				got := interrupt(t, asked, append(settings, "COUCHDB_BASE_URL="+proxy.URL), append([]string{"livesync"}, args...)...)
				if got.status != 1 || !strings.HasPrefix(got.errors, "obsidian-mcp: stopped\n") {
					t.Errorf("after %d requests: %+v", after, got)
				}
			}
		})
	}
}

// interrupt runs the program, and sends Ctrl-C when the channel is closed.
func interrupt(t *testing.T, when <-chan struct{}, settings []string, args ...string) ended {
	t.Helper()
	cmd := command(t, "", args...)
	cmd.Env = append(cmd.Env, settings...)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	patience := time.AfterFunc(mode.Patience, func() { cmd.Process.Kill() })
	defer patience.Stop()
	<-when
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	return finish(t, cmd, cmd.Wait(), &out, &messages)
}
