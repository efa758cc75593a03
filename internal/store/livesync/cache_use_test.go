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
	"obsidian-mcp/internal/testkit/mode"
)

// TestRestartReadsOnlyWhatChanged restarts several times with a cache. Only the chunks of changed notes are fetched again.
func TestRestartReadsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	notes := mode.Pick(50, 200, 200)
	for sort, options := range plainAndSealed() {
		t.Run(sort, func(t *testing.T) {
			database := couchtest.New(t)
			fill(t, database, options, manyNotes(notes))
			cached := options
			cached.Cache = filepath.Join(t.TempDir(), "cache", "vault")
			first, _ := start(t, database, cached)
			second, files := start(t, database, cached)
			for path, text := range manyNotes(notes) {
				if string(files[path].Data) != text {
					t.Errorf("%s from the cache is %q", path, files[path].Data)
				}
			}
			t.Logf("first start: %s; second start: %s", first, second)
			if second.by["POST _all_docs"] > 0 || second.received > first.received/2 {
				t.Errorf("requests of the second start: %v", second.by)
			}
			edit := outside(t, open(t, database, options))
			edit("Folder 1/Note 1.md", []byte("changed since"))
			edit("New.md", []byte("new since"))
			edit("Folder 2/Note 2.md", nil)
			third, files := start(t, database, cached)
			if string(files["Folder 1/Note 1.md"].Data) != "changed since" || string(files["New.md"].Data) != "new since" || len(files) != notes {
				t.Errorf("%d files, %q, %q", len(files), files["Folder 1/Note 1.md"].Data, files["New.md"].Data)
			}
			if chunks := third.by["POST _all_docs"]; chunks < 1 || chunks > 2 || third.sent > 500 { // the ids of the chunks of two notes
				t.Errorf("requests of the third start: %v, %s", third.by, third)
			}
		})
	}
}

// start reads a whole vault as a new process does, and measures the traffic.
func start(t *testing.T, database *couchtest.Database, options livesync.Options) (traffic, map[string]store.File) {
	t.Helper()
	counted := newTrafficMeter()
	options.Couch.Transport = counted
	s := openAs(t, database, options)
	files := scanAll(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return counted.take(), files
}

// TestCacheRevealsNothing looks into all files of the cache, while it is in use and afterwards.
func TestCacheRevealsNothing(t *testing.T) {
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
				t.Errorf("these files are left: %v", found)
			}
		})
	}
}

// noise returns a text that cannot be compressed, so that it would be visible if it were stored in plain text.
func noise() string {
	var text strings.Builder
	for x := uint32(1); text.Len() < 2000; x = x*1664525 + 1013904223 {
		text.WriteByte('a' + byte(x>>24)%26)
	}
	return text.String()
}

// checkHidden fails if any file in a folder contains parts of notes, paths, ids or secrets. It returns the files.
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
				t.Errorf("%s contains %q", name, secret)
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

// TestCacheServesOneVault opens other vaults with the same cache file. Their documents have the same ids and revisions,
// but other contents.
func TestCacheServesOneVault(t *testing.T) {
	t.Parallel()
	if !mode.Full() {
		t.Skip("deriving the keys of three databases is slow; the full form does")
	}
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
	for _, vault := range vaults {
		vault.database.Delete(t)
		vault.database.Create(t)
		fill(t, vault.database, vault.options, nil)
		putAsRevision(t, vault.database, vault.options.Passphrase, path, "of "+vault.name)
		vault.options.Cache = cache
		for _, chunks := range []int{1, 0} { // requests for chunks: the second time the cache has them
			cost, files := start(t, vault.database, vault.options)
			if string(files[path].Data) != "of "+vault.name || cost.by["POST _all_docs"] != chunks {
				t.Errorf("%s: read %q, with the requests %v", vault.name, files[path].Data, cost.by)
			}
		}
	}
	// A wrong passphrase does not open the cache either.
	options := livesync.Options{Passphrase: "wrong", Cache: cache}
	s := openAs(t, vaults[1].database, options)
	if file, err := s.Read(t.Context(), path, 1<<20); err == nil {
		t.Errorf("a wrong passphrase reads %q", file.Data)
	}
}

// putAsRevision writes a note with the same revision in every database.
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

// TestNoFilesWithoutACache runs without a cache, and looks for files in all usual folders.
func TestNoFilesWithoutACache(t *testing.T) {
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
