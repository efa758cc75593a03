// Package livesynctest provides tests of other packages with a vault in a LiveSync database on the server of package
// couchtest. It is encrypted and its paths are obfuscated.
package livesynctest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/formattest"
)

const passphrase = "of no importance"

// Open makes a vault with files, those under .trash/ in the trash, and files of Obsidian's own settings. The function
// that it returns reads the files from the database without the store.
func Open(t testing.TB, files, config map[string]string) (*livesync.Store, func() map[string]string) {
	t.Helper()
	database := couchtest.New(t)
	obfuscated := true
	Initialize(t, database, format.Settings{
		Encrypt: true, Algorithm: format.EncryptV2, ObfuscatePaths: true, CaseSensitive: hasTwins(files),
		HashAlg: format.XXHash64, Split: format.SplitRule{MinimumChunkSize: 20},
	}, bytes.Repeat([]byte{1}, 32))
	s, err := livesync.Open(livesync.Options{
		Couch:      couch.Options{URL: database.URL, Database: database.Name, User: database.User, Password: couch.Secret(database.Password)},
		Passphrase: passphrase, Obfuscated: &obfuscated, DeriveKey: formattest.DeriveKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, s, files)
	codec := Codec(t, database, passphrase)
	for name, text := range config {
		putConfig(t, database, codec, name, text)
	}
	return s, func() map[string]string { return read(t, database, codec) }
}

// hasTwins reports whether two names differ only in case, which only a case-sensitive database can hold.
func hasTwins(files map[string]string) bool {
	keys := map[vpath.Key]bool{}
	for name := range files {
		keys[vpath.FoldKey(name)] = true
	}
	return len(keys) < len(files)
}

// Initialize makes an empty database ready for devices with the given settings.
func Initialize(t testing.TB, database *couchtest.Database, settings format.Settings, salt []byte) {
	t.Helper()
	parameters, err := format.NewParameters(nil, salt)
	if err != nil {
		t.Fatal(err)
	}
	for id, body := range map[string][]byte{
		format.VersionID: format.NewVersion(), format.SyncParametersID: parameters,
		format.MilestoneID: format.NewMilestone(settings, time.Now().UnixMilli()),
	} {
		if status, answer := database.Do(t, http.MethodPut, "/"+id, json.RawMessage(body)); status != http.StatusCreated {
			t.Fatalf("PUT %s: status %d: %s", id, status, answer)
		}
	}
}

// fill writes files, and moves those under .trash/ to the trash.
func fill(t testing.TB, s *livesync.Store, files map[string]string) {
	t.Helper()
	var kept, trashed []store.Change
	for name, text := range files {
		if path, inTrash := strings.CutPrefix(name, ".trash/"); inTrash {
			trashed = append(trashed, store.Change{Path: vpath.Path(path), Data: []byte(text)})
		} else {
			kept = append(kept, store.Change{Path: vpath.Path(name), Data: []byte(text)})
		}
	}
	results := commit(t, s, trashed)
	for i := range trashed {
		trashed[i] = store.Change{Op: store.Trash, Path: trashed[i].Path, Base: results[i].Rev}
	}
	commit(t, s, trashed)
	commit(t, s, kept)
}

func commit(t testing.TB, s *livesync.Store, changes []store.Change) []store.Result {
	t.Helper()
	results, err := s.Commit(t.Context(), changes)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// Codec returns a codec for the documents of an initialized database, independent of any store.
func Codec(t testing.TB, database *couchtest.Database, pass format.Passphrase) *format.Codec {
	t.Helper()
	var metadata [3][]byte
	for i, id := range []string{format.VersionID, format.MilestoneID, format.SyncParametersID} {
		if status, body := database.Do(t, http.MethodGet, "/"+id, nil); status == http.StatusOK {
			metadata[i] = body
		}
	}
	remote, err := format.ParseRemote(metadata[0], metadata[1], metadata[2])
	if err != nil {
		t.Fatal(err)
	}
	codec, err := format.NewCodec(format.Options{
		Settings: format.Configure(remote, &format.Survey{}, pass), Passphrase: pass, Salt: remote.Salt,
		DeriveKey: formattest.DeriveKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

// putConfig writes a file of Obsidian's settings the way a device does.
func putConfig(t testing.TB, database *couchtest.Database, codec *format.Codec, name, text string) {
	t.Helper()
	path, chunk, now := "i:.obsidian/"+name, "h:"+name, time.Now().UnixMilli()
	database.Put(t, chunk, map[string]any{"_id": chunk, "type": "leaf", "data": base64.StdEncoding.EncodeToString([]byte(text))})
	database.Put(t, codec.ID(path), map[string]any{
		"_id": codec.ID(path), "path": path, "type": "newnote", "children": []string{chunk}, "eden": struct{}{},
		"ctime": now, "mtime": now, "size": len(text),
	})
}

// read assembles all files of the database.
func read(t testing.TB, database *couchtest.Database, codec *format.Codec) map[string]string {
	t.Helper()
	_, body := database.Do(t, http.MethodGet, "/_all_docs?include_docs=true", nil)
	var list struct {
		Rows []struct{ Doc json.RawMessage }
	}
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatal(err)
	}
	chunks, notes := map[string]string{}, []*format.Meta{}
	for _, row := range list.Rows {
		document, err := codec.Decode(row.Doc)
		switch {
		case err != nil:
			t.Error(err)
		case document.Chunk != nil:
			chunks[document.ID] = document.Chunk.Data
		case document.Kind == format.Note && document.File != nil && !document.Deleted:
			notes = append(notes, document.File)
		}
	}
	files := map[string]string{}
	for _, file := range notes {
		content, err := codec.Content(file, func(id string) (string, error) {
			data, exists := chunks[id]
			if !exists {
				return "", format.MissingChunk(id)
			}
			return data, nil
		})
		if err != nil {
			t.Errorf("%s: %v", file.Path, err)
		}
		files[strings.Replace(file.Path, format.TrashFolder+"/", ".trash/", 1)] = string(content)
	}
	return files
}
