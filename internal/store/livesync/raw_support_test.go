package livesync_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/formattest"
)

// wantWritten is the expected content of a file, and its previous document.
type wantWritten struct {
	data []byte
	old  *format.Meta // nil if the file is new
}

// rawVault is a database read without a store.
type rawVault struct {
	codec  *format.Codec
	bodies map[string]json.RawMessage
	files  map[string]*format.Meta // by path, the deleted ones too
}

// readRaw reads all documents of a database.
func readRaw(t testing.TB, database *couchtest.Database, pass format.Passphrase) *rawVault {
	t.Helper()
	raw := &rawVault{bodies: allDocuments(t, database), files: map[string]*format.Meta{}}
	survey := format.Survey{DeriveKey: formattest.DeriveKey}
	for _, id := range slices.Sorted(maps.Keys(raw.bodies)) {
		survey.Add(raw.bodies[id])
	}
	var metadata [2][]byte
	for i, id := range []string{format.MilestoneID, format.SyncParametersID} {
		if status, body := database.Do(t, http.MethodGet, "/"+id, nil); status == http.StatusOK {
			metadata[i] = body
		}
	}
	remote, err := format.ParseRemote(raw.bodies[format.VersionID], metadata[0], metadata[1])
	if err != nil {
		t.Fatal(err)
	}
	raw.codec, err = format.NewCodec(format.Options{
		Settings: format.Configure(remote, &survey, pass), Passphrase: pass, Salt: remote.Salt, DeriveKey: formattest.DeriveKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, body := range raw.bodies {
		if format.KindOf(id, "plain") != format.Note {
			continue
		}
		if read, err := raw.codec.Decode(body); err == nil && read.File != nil {
			raw.files[read.File.Path] = read.File
		}
	}
	return raw
}

// allDocuments returns the bodies of all documents, by id.
func allDocuments(t testing.TB, database *couchtest.Database) map[string]json.RawMessage {
	t.Helper()
	status, body := database.Do(t, http.MethodGet, "/_all_docs?include_docs=true&conflicts=true", nil)
	var all struct {
		Rows []struct {
			ID  string
			Doc json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &all); err != nil || status != http.StatusOK {
		t.Fatalf("%d %v", status, err)
	}
	bodies := map[string]json.RawMessage{}
	for _, row := range all.Rows {
		bodies[row.ID] = row.Doc
	}
	return bodies
}

// document returns a file's document as it is in the database.
func (r *rawVault) document(t testing.TB, path string) map[string]any {
	t.Helper()
	file := r.files[path]
	if file == nil {
		t.Fatalf("the database has no %s", path)
	}
	var document map[string]any
	if err := json.Unmarshal(r.bodies[file.ID], &document); err != nil {
		t.Fatal(err)
	}
	return document
}

func (r *rawVault) content(path string) ([]byte, error) {
	file := r.files[path]
	if file == nil || file.Deleted {
		return nil, fault.NotFound
	}
	return r.codec.Content(file, r.chunk)
}

func (r *rawVault) chunk(id string) (string, error) {
	body, ok := r.bodies[id]
	if !ok {
		return "", format.MissingChunk(id)
	}
	read, err := r.codec.Decode(body)
	if err != nil {
		return "", err
	}
	return read.Chunk.Data, nil
}

// leaves returns the ids of all chunks.
func (r *rawVault) leaves() []string {
	var ids []string
	for id := range r.bodies {
		if format.KindOf(id, "plain") == format.Chunk {
			ids = append(ids, id)
		}
	}
	return ids
}

// checkWritten checks everything that devices expect of a written document.
func (r *rawVault) checkWritten(t *testing.T, path string, want wantWritten) {
	t.Helper()
	file := r.files[path]
	content, err := r.content(path)
	if err != nil || string(content) != string(want.data) {
		t.Errorf("%s: %d bytes, want %d (%v)", path, len(content), len(want.data), err)
		return
	}
	document := r.document(t, path)
	if _, marked := document["deleted"]; marked || file.ID != r.codec.ID(path) || file.Size != int64(len(want.data)) {
		t.Errorf("%s: id %q, size %d, %v", path, file.ID, file.Size, document)
	}
	if eden, ok := document["eden"].(map[string]any); !ok || len(eden) > 0 {
		t.Errorf("%s: eden is %v", path, document["eden"])
	}
	if kind := map[bool]string{true: "plain", false: "newnote"}[format.IsText(path)]; document["type"] != kind {
		t.Errorf("%s: the type is %v", path, document["type"])
	}
	if old := want.old; old != nil {
		if file.MTime < old.MTime+2000 || file.CTime != old.CTime && old.CTime != 0 {
			t.Errorf("%s: times %d and %d, before %d and %d", path, file.MTime, file.CTime, old.MTime, old.CTime)
		}
		if document["fromTheFuture"] == nil {
			t.Errorf("%s: an unknown field is lost", path)
		}
	}
	r.checkVisibleFields(t, path, document)
}

// checkVisibleFields expects metadata to be hidden exactly where devices hide it.
func (r *rawVault) checkVisibleFields(t *testing.T, path string, document map[string]any) {
	t.Helper()
	settings, shown := r.codec.Settings(), fmt.Sprint(document["path"])
	hidden := settings.Encrypt && settings.ObfuscatePaths
	inside := hidden && settings.Algorithm == format.EncryptV2
	switch {
	case !hidden && shown != path,
		hidden && !inside && (!strings.HasPrefix(shown, "%") || len(shown) <= 64),
		inside && !strings.HasPrefix(shown, `/\:%=`):
		t.Errorf("%s: the stored path is %q", path, shown)
	}
	children, ok := document["children"].([]any)
	if !ok || inside && (len(children) > 0 || document["size"] != 0.0 || document["mtime"] != 0.0 || document["ctime"] != 0.0) {
		t.Errorf("%s: the visible fields are %v", path, document)
	}
}

// checkDeleted expects a file to be marked as deleted, with all its other fields.
func (r *rawVault) checkDeleted(t *testing.T, path string, before *rawVault) {
	t.Helper()
	old, now := before.files[path], r.files[path]
	if old.Legacy() {
		if now != nil {
			t.Errorf("the old %s still exists", path)
		}
		return
	}
	if now == nil || !now.Deleted || now.ID != old.ID || now.CTime != old.CTime || now.MTime < old.MTime+2000 || r.document(t, path)["deleted"] != true {
		t.Errorf("%s is not marked as deleted: %+v, before %+v", path, now, old)
	}
}

// checkChunks expects every chunk of a file to exist, earlier chunks to be unchanged, and new ones to be encrypted exactly
// where devices encrypt them.
func (r *rawVault) checkChunks(t *testing.T, before *rawVault) {
	t.Helper()
	for path, file := range r.files {
		for _, id := range file.Needs() {
			if r.bodies[id] == nil {
				t.Errorf("%s: the chunk %s is missing", path, id)
			}
		}
	}
	for _, id := range before.leaves() {
		if string(r.bodies[id]) != string(before.bodies[id]) {
			t.Errorf("the chunk %s has changed", id)
		}
	}
	for _, id := range r.leaves() {
		if before.bodies[id] != nil {
			continue
		}
		var leaf struct {
			Type, Data string
			Sealed     *bool `json:"e_"`
		}
		if err := json.Unmarshal(r.bodies[id], &leaf); err != nil {
			t.Fatal(err)
		}
		encrypt := r.codec.Settings().Encrypt
		if leaf.Type != "leaf" || strings.HasPrefix(id, "h:+") != encrypt || (leaf.Sealed != nil) != encrypt || encrypt && !*leaf.Sealed {
			t.Errorf("the new chunk %s is %+v", id, leaf)
		}
	}
}

// checkSecrecy searches the database, including local documents, for the plain text of what was written.
func (r *rawVault) checkSecrecy(t *testing.T, database *couchtest.Database) {
	t.Helper()
	settings := r.codec.Settings()
	if !settings.Encrypt {
		return
	}
	secrets := strings.Fields(secretText)
	if settings.ObfuscatePaths {
		secrets = append(secrets, secretName)
	}
	all := maps.Clone(r.bodies)
	maps.Copy(all, journalsOf(t, database))
	for id, body := range all {
		for _, secret := range secrets {
			if strings.Contains(strings.ToLower(id+string(body)), strings.ToLower(secret)) {
				t.Errorf("%s contains %q", id, secret)
			}
		}
	}
}

// journalsOf returns the pages of all journals. It fails if there are none.
func journalsOf(t *testing.T, database *couchtest.Database) map[string]json.RawMessage {
	t.Helper()
	var list struct{ Owners map[string]int64 }
	_, body := database.Do(t, http.MethodGet, "/_local/obsidian-mcp-journals", nil)
	if err := json.Unmarshal(body, &list); err != nil || len(list.Owners) == 0 {
		t.Fatalf("the list of journals is empty: %s", body)
	}
	pages := map[string]json.RawMessage{}
	for owner := range list.Owners {
		for _, page := range []string{"", "-1", "-2"} {
			name := "/_local/obsidian-mcp-journal-" + owner + page
			if status, body := database.Do(t, http.MethodGet, name, nil); status == http.StatusOK {
				pages[name] = body
			}
		}
	}
	return pages
}

// read reads a file, and fails the test if that is not possible.
func read(t testing.TB, s store.Store, path string) store.File {
	t.Helper()
	file, err := s.Read(t.Context(), vpath.Path(path), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// commit makes changes, and fails the test if that is not possible.
func commit(t testing.TB, s store.Store, changes ...store.Change) []store.Result {
	t.Helper()
	results, err := s.Commit(t.Context(), changes)
	if err != nil {
		t.Fatal(err)
	}
	return results
}
