// Package livesynctest gives tests of other packages a vault in a LiveSync
// database: encrypted, with hidden paths, on the server of couchtest.
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
)

const passphrase = "of no importance"

// Open makes a vault of files, those under .trash/ in the trash, and of
// Obsidian's own settings. The function tells what is in the database now; it
// reads that without the store.
func Open(t testing.TB, files, config map[string]string) (*livesync.Store, func() map[string]string) {
	t.Helper()
	database := couchtest.New(t)
	hidden := true
	Found(t, database, format.Settings{
		Encrypt: true, Algorithm: format.EncryptV2, ObfuscatePaths: true, CaseSensitive: hasTwins(files),
		HashAlg: format.XXHash64, Split: format.SplitRule{MinimumChunkSize: 20},
	}, bytes.Repeat([]byte{1}, 32))
	s, err := livesync.Open(livesync.Options{
		Couch:      couch.Options{URL: database.URL, Database: database.Name, User: database.User, Password: couch.Secret(database.Password)},
		Passphrase: passphrase, Obfuscated: &hidden,
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

// hasTwins reports names that differ in case alone, which only some databases
// can hold.
func hasTwins(files map[string]string) bool {
	keys := map[vpath.Key]bool{}
	for name := range files {
		keys[vpath.FoldKey(name)] = true
	}
	return len(keys) < len(files)
}

// Found makes a database ready for devices with such settings.
func Found(t testing.TB, database *couchtest.Database, settings format.Settings, salt []byte) {
	t.Helper()
	parameters, err := format.NewParameters(nil, salt)
	if err != nil {
		t.Fatal(err)
	}
	for id, body := range map[string][]byte{
		format.VersionID: format.NewVersion(), format.SyncParametersID: parameters, format.MilestoneID: format.NewMilestone(settings, time.Now().UnixMilli()),
	} {
		if status, said := database.Do(t, http.MethodPut, "/"+id, json.RawMessage(body)); status != http.StatusCreated {
			t.Fatalf("%s: %d %s", id, status, said)
		}
	}
}

// fill writes files; those that are to be in the trash come first, and go.
func fill(t testing.TB, s *livesync.Store, files map[string]string) {
	t.Helper()
	var there, gone []store.Change
	for name, text := range files {
		if path, inTrash := strings.CutPrefix(name, ".trash/"); inTrash {
			gone = append(gone, store.Change{Path: vpath.Path(path), Data: []byte(text)})
		} else {
			there = append(there, store.Change{Path: vpath.Path(name), Data: []byte(text)})
		}
	}
	results := commit(t, s, gone)
	for i := range gone {
		gone[i] = store.Change{Op: store.Trash, Path: gone[i].Path, Base: results[i].Rev}
	}
	commit(t, s, gone)
	commit(t, s, there)
}

func commit(t testing.TB, s *livesync.Store, changes []store.Change) []store.Result {
	t.Helper()
	results, err := s.Commit(t.Context(), changes)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// Codec reads and makes the documents of a database that a store has founded,
// apart from any store.
func Codec(t testing.TB, database *couchtest.Database, pass format.Passphrase) *format.Codec {
	t.Helper()
	var said [3][]byte
	for i, id := range []string{format.VersionID, format.MilestoneID, format.SyncParametersID} {
		if status, body := database.Do(t, http.MethodGet, "/"+id, nil); status == http.StatusOK {
			said[i] = body
		}
	}
	remote, err := format.ParseRemote(said[0], said[1], said[2])
	if err != nil {
		t.Fatal(err)
	}
	codec, err := format.NewCodec(format.Options{
		Settings: format.Configure(remote, &format.Survey{}, pass), Passphrase: pass, Salt: remote.Salt,
	})
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

// putConfig writes a file of Obsidian's settings as a device does that shares
// them.
func putConfig(t testing.TB, database *couchtest.Database, codec *format.Codec, name, text string) {
	t.Helper()
	path, chunk, now := "i:.obsidian/"+name, "h:"+name, time.Now().UnixMilli()
	database.Put(t, chunk, map[string]any{"_id": chunk, "type": "leaf", "data": base64.StdEncoding.EncodeToString([]byte(text))})
	database.Put(t, codec.ID(path), map[string]any{
		"_id": codec.ID(path), "path": path, "type": "newnote", "children": []string{chunk}, "eden": struct{}{},
		"ctime": now, "mtime": now, "size": len(text),
	})
}

// read puts all files of the database together.
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
			data, there := chunks[id]
			if !there {
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
