package livesync_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
)

// TestLaterStartReadsWhatChanged starts again and again with a cache, which
// saves all chunks but those of notes that changed.
func TestLaterStartReadsWhatChanged(t *testing.T) {
	t.Parallel()
	const notes = 200
	for sort, options := range plainAndSealed() {
		t.Run(sort, func(t *testing.T) {
			database := couchtest.New(t)
			fill(t, database, options, manyNotes(notes))
			kept := options
			kept.Cache = filepath.Join(t.TempDir(), "cache", "vault")
			first, _ := start(t, database, kept)
			second, files := start(t, database, kept)
			for path, text := range manyNotes(notes) {
				if string(files[path].Data) != text {
					t.Errorf("%s comes from the cache as %q", path, files[path].Data)
				}
			}
			t.Logf("the first start: %s; the second: %s", first, second)
			if second.by["POST _all_docs"] > 0 || second.received > first.received/2 {
				t.Errorf("the second start: %v", second.by)
			}
			edit := outside(t, open(t, database, options))
			edit("Folder 1/Note 1.md", []byte("changed since"))
			edit("New.md", []byte("new since"))
			edit("Folder 2/Note 2.md", nil)
			third, files := start(t, database, kept)
			if string(files["Folder 1/Note 1.md"].Data) != "changed since" || string(files["New.md"].Data) != "new since" || len(files) != notes {
				t.Errorf("%d files, %q, %q", len(files), files["Folder 1/Note 1.md"].Data, files["New.md"].Data)
			}
			if chunks := third.by["POST _all_docs"]; chunks < 1 || chunks > 2 || third.sent > 500 { // the ids of the chunks of two notes
				t.Errorf("the third start: %v, %s", third.by, third)
			}
		})
	}
}

// start reads a whole vault as a new process does, and counts what that takes.
func start(t *testing.T, database *couchtest.Database, options livesync.Options) (traffic, map[string]store.File) {
	t.Helper()
	counted := newMeter()
	options.Couch.Transport = counted
	s := openAs(t, database, options)
	files := scanAll(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return counted.take(), files
}

// TestCacheShowsNothing looks into all files of the cache, while it is being
// made and afterwards.
func TestCacheShowsNothing(t *testing.T) {
	t.Parallel()
	for sort, options := range plainAndSealed() {
		t.Run(sort, func(t *testing.T) {
			database := couchtest.New(t)
			fill(t, database, options, map[string]string{secretName + "/" + secretName + ".md": strings.Repeat(secretText+"\n", 3), "Random.md": noise()})
			folder := filepath.Join(t.TempDir(), "cache")
			options.Cache = filepath.Join(folder, "vault")
			s := openAs(t, database, options)
			scanAll(t, s)
			commit(t, s, store.Change{Path: "Also.md", Data: []byte("also " + secretText)})
			scanAll(t, s)
			checkHidden(t, folder, database)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if found := checkHidden(t, folder, database); len(found) != 1 {
				t.Errorf("what is left is %v", found)
			}
		})
	}
}

// noise is a text that cannot be compressed, so that it would show if it were
// there.
func noise() string {
	var text strings.Builder
	for x := uint32(1); text.Len() < 2000; x = x*1664525 + 1013904223 {
		text.WriteByte('a' + byte(x>>24)%26)
	}
	return text.String()
}

// checkHidden wants nothing of notes, paths, ids and secrets in any file of a
// folder, and gives the files.
func checkHidden(t *testing.T, folder string, database *couchtest.Database) []string {
	t.Helper()
	secrets := append(strings.Fields(secretText), secretName, "Random", noise()[1000:1020], "f:", database.Name, database.Password, string(v1Passphrase))
	var names []string
	err := filepath.WalkDir(folder, func(name string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() {
			return err
		}
		names = append(names, name)
		data, err := os.ReadFile(name)
		for _, secret := range secrets {
			if len(secret) > 2 && bytes.Contains(bytes.ToLower(append(data, name[len(folder):]...)), []byte(strings.ToLower(secret))) {
				t.Errorf("%s shows %q", name, secret)
			}
		}
		if info, statErr := file.Info(); statErr != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), statErr)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Errorf("%d files, %v", len(names), err)
	}
	return names
}

// TestCacheIsOfOneVault opens other vaults with the same file. Their documents
// have the same ids and revisions, but not the same content.
func TestCacheIsOfOneVault(t *testing.T) {
	t.Parallel()
	const path = "Note.md"
	cache := filepath.Join(t.TempDir(), "cache", "vault")
	first := couchtest.New(t)
	vaults := []struct {
		name     string
		database *couchtest.Database
		options  livesync.Options
	}{
		{"a vault", first, livesync.Options{Passphrase: v1Passphrase}},
		{"another database", couchtest.New(t), livesync.Options{Passphrase: v1Passphrase}},
		{"no passphrase", first, livesync.Options{}},
	}
	for _, one := range vaults {
		one.database.Delete(t)
		one.database.Create(t)
		fill(t, one.database, one.options, nil)
		putAsRevision(t, one.database, one.options.Passphrase, path, "of "+one.name)
		one.options.Cache = cache
		for _, chunks := range []int{1, 0} { // requests for them: the second time its own cache serves
			cost, files := start(t, one.database, one.options)
			if string(files[path].Data) != "of "+one.name || cost.by["POST _all_docs"] != chunks {
				t.Errorf("%s reads %q, with %v", one.name, files[path].Data, cost.by)
			}
		}
	}
	// A wrong passphrase gets nothing out of it either.
	options := livesync.Options{Passphrase: "wrong", Cache: cache}
	s := openAs(t, vaults[1].database, options)
	if file, err := s.Read(t.Context(), path, 1<<20); err == nil {
		t.Errorf("a wrong passphrase reads %q", file.Data)
	}
}

// putAsRevision writes a note as the same revision in whatever database.
func putAsRevision(t *testing.T, database *couchtest.Database, pass format.Passphrase, path, text string) {
	t.Helper()
	upload, err := readRaw(t, database, pass).codec.Write(nil, format.Change{Path: path, Content: []byte(text), Now: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range upload.Leaves {
		database.Put(t, leaf.ID, json.RawMessage(leaf.Body))
	}
	var document map[string]any
	if err := json.Unmarshal(upload.Body, &document); err != nil {
		t.Fatal(err)
	}
	document["_rev"] = "1-11111111111111111111111111111111"
	database.Branches(t, document)
}

// TestNothingIsKeptUnasked runs without a cache, and looks at all places where
// something could have been left.
func TestNothingIsKeptUnasked(t *testing.T) {
	database, options := couchtest.New(t), plainAndSealed()["encrypted and obfuscated"]
	fill(t, database, options, manyNotes(20))
	folder := t.TempDir()
	for _, variable := range []string{"HOME", "TMPDIR", "TMP", "TEMP", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA", "APPDATA", "USERPROFILE"} {
		t.Setenv(variable, folder)
	}
	t.Chdir(folder)
	s := open(t, database, options)
	files := scanAll(t, s)
	for path := range files {
		commit(t, s, store.Change{Op: store.Move, Path: vpath.Path(path), To: "Moved.md", Base: read(t, s, path).Rev, Data: []byte(secretText)})
		break
	}
	look := func(when string) {
		t.Helper()
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%s: %v, %v", when, left, err)
		}
	}
	look("while it runs")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	look("afterwards")
}
