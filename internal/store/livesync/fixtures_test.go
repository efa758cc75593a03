package livesync_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/cases"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/vpath"
)

// TestFixturesAreServed opens every fixture as a user would, and reads all of
// it.
func TestFixturesAreServed(t *testing.T) {
	for _, one := range allFixtures(t) {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			database := one.load(t)
			addOthers(t, database)
			s := open(t, database, livesync.Options{Passphrase: one.pass})
			served := scanAll(t, s)
			one.checkConflicts(t, s, served)
			want := maps.Clone(one.want.Files)
			for path := range one.want.Conflicts {
				delete(served, path)
			}
			if diff := gocmp.Diff(want, hashed(served)); diff != "" {
				t.Error("files (-want +got):", diff)
			}
			one.checkAbsent(t, s)
			one.checkSaid(t, database)
			t.Logf("%d files, %d deleted, %d hidden, %d in conflict", len(want), len(one.want.Deleted), len(one.want.Internal), len(one.want.Conflicts))
		})
	}
}

// fixture is a database as devices left it, and what must be found in it.
type fixture struct {
	name, folder string
	pass         format.Passphrase
	obfuscated   bool
	want         struct {
		Files, Internal map[string]fixtureFile
		Deleted         []string
		Conflicts       map[string]struct {
			Sides []fixtureFile `json:"leaf_contents"`
		}
	}
}

type fixtureFile struct {
	Hash string `json:"sha256"`
	Size int64
}

// allFixtures are those of the test data, in either layout.
func allFixtures(t *testing.T) []fixture {
	t.Helper()
	folder := filepath.Join(os.Getenv("TESTDATA_ROOT"), "fixtures")
	if _, err := os.Stat(folder); os.Getenv("TESTDATA_ROOT") == "" || err != nil {
		folder = cases.Path(t, "livesync/fixtures")
	}
	found, err := filepath.Glob(filepath.Join(folder, "*", "all_docs.json"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no fixture in %s: %v", folder, err)
	}
	var all []fixture
	for _, file := range found {
		all = append(all, readFixture(t, filepath.Dir(file)))
	}
	return all
}

// fixtureNamed is one fixture.
func fixtureNamed(t *testing.T, name string) fixture {
	t.Helper()
	for _, one := range allFixtures(t) {
		if one.name == name {
			return one
		}
	}
	t.Fatalf("there is no fixture %s", name)
	return fixture{}
}

func readFixture(t *testing.T, folder string) fixture {
	t.Helper()
	one := fixture{name: filepath.Base(folder), folder: folder}
	var config struct {
		Settings struct {
			Passphrase format.Passphrase
			Obfuscated bool `json:"usePathObfuscation"`
		}
	}
	for name, into := range map[string]any{"config.json": &config, "expected.json": &one.want} {
		raw, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			err = json.Unmarshal(raw, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	one.pass, one.obfuscated = config.Settings.Passphrase, config.Settings.Obfuscated
	if one.name == slowFixture && !longForm() {
		delete(one.want.Files, longNote)
	}
	return one
}

// In slowFixture each of the long note's chunks has a key of its own, which
// takes long to derive.
const slowFixture, longNote = "e2ee-v1", "Long note.md"

// load makes a database of the fixture.
func (f fixture) load(t *testing.T) *couchtest.Database {
	t.Helper()
	database := couchtest.New(t)
	database.Load(t, f.folder)
	if _, there := f.want.Files[longNote]; f.name == slowFixture && !there {
		id := "/long%20note.md"
		var document map[string]any
		_, body := database.Do(t, http.MethodGet, id, nil)
		if err := json.Unmarshal(body, &document); err != nil {
			t.Fatal(err)
		}
		database.Do(t, http.MethodDelete, id+"?rev="+fmt.Sprint(document["_rev"]), nil)
	}
	return database
}

// addOthers adds documents that are no files of the vault.
func addOthers(t *testing.T, database *couchtest.Database) {
	t.Helper()
	for id, document := range map[string]map[string]any{
		"ix:phone/CONFIG/app.md":       {"type": "plain", "path": "ix:phone/CONFIG/app.md"},
		"ix:f:0123456789":              {"type": "plain", "path": "ix:phone/THEME/theme.md"},
		"ps:old plugin":                {"type": "newnote", "path": "ps:old plugin"},
		"syncinfo":                     {"type": "syncinfo", "data": "anything"},
		"_design/chunks":               {"views": map[string]any{}},
		"something of another program": {"type": "invoice", "path": "Invoice.md"},
	} {
		document["ctime"], document["mtime"], document["size"] = 1, 1, 0
		document["children"], document["eden"] = []string{}, map[string]any{}
		database.Do(t, http.MethodPut, "/"+url.PathEscape(id), document) // some fixtures have some of them
	}
}

// checkConflicts wants one side of each conflict to be served, and the others
// to be told and readable.
func (f fixture) checkConflicts(t *testing.T, s *livesync.Store, served map[string]store.File) {
	t.Helper()
	for path, file := range served {
		if _, want := f.want.Conflicts[path]; want != (len(file.Conflicts) > 0) {
			t.Errorf("%s has the conflicts %v", path, file.Conflicts)
		}
	}
	for path, conflict := range f.want.Conflicts {
		winner := served[path]
		got := []string{store.Hash(winner.Data)}
		for _, rev := range winner.Conflicts {
			side, err := s.Branch(t.Context(), vpath.Path(path), rev, 1<<20)
			if err != nil || side.Rev != rev {
				t.Errorf("%s, side %s: %v", path, rev, err)
			}
			got = append(got, store.Hash(side.Data))
		}
		var want []string
		for _, side := range conflict.Sides {
			want = append(want, side.Hash)
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s, all sides (-want +got): %s", path, diff)
		}
		read, err := s.Read(t.Context(), vpath.Path(path), 1<<20)
		if err != nil || !slices.Equal(read.Conflicts, winner.Conflicts) || string(read.Data) != string(winner.Data) {
			t.Errorf("%s is read as %v with %v (%v)", path, read.Rev, read.Conflicts, err)
		}
	}
}

// checkAbsent wants what is deleted or Obsidian's own to be no file of the
// vault.
func (f fixture) checkAbsent(t *testing.T, s *livesync.Store) {
	t.Helper()
	for _, path := range f.want.Deleted {
		if _, err := s.Stat(t.Context(), vpath.Path(path)); !errors.Is(err, fault.NotFound) {
			t.Errorf("the deleted %s: %v", path, err)
		}
		if _, err := s.Read(t.Context(), vpath.Path(path), 1<<20); !errors.Is(err, fault.NotFound) {
			t.Errorf("the deleted %s is read: %v", path, err)
		}
	}
	for path, want := range f.want.Internal {
		read, err := s.Config(t.Context(), strings.TrimPrefix(path, "i:.obsidian/"))
		if err != nil || store.Hash(read.Data) != want.Hash {
			t.Errorf("%s: %d bytes, %v", path, len(read.Data), err)
		}
	}
}

// checkSaid opens the fixture with something else said about hidden paths than
// it has. That it may be said as it is, other tests show.
func (f fixture) checkSaid(t *testing.T, database *couchtest.Database) {
	t.Helper()
	wrong := !f.obfuscated
	s := open(t, database, livesync.Options{Passphrase: f.pass, Obfuscated: &wrong})
	err := s.Probe(t.Context())
	if !errors.Is(err, fault.InvalidArgument) || !livesync.Permanent(err) || !strings.Contains(err.Error(), "USE_PATH_OBFUSCATION") {
		t.Errorf("USE_PATH_OBFUSCATION=%t: %v", wrong, err)
	}
}

// openAs opens a store with the options' own way to the database, where they
// have one.
func openAs(t testing.TB, database *couchtest.Database, options livesync.Options) *livesync.Store {
	t.Helper()
	options.Couch.URL = cmp.Or(options.Couch.URL, database.URL)
	options.Couch.Database = cmp.Or(options.Couch.Database, database.Name)
	options.Couch.User = cmp.Or(options.Couch.User, database.User)
	options.Couch.Password = cmp.Or(options.Couch.Password, couch.Secret(database.Password))
	s, err := livesync.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// scanAll reads every file, and wants each to be readable.
func scanAll(t testing.TB, s store.Store) map[string]store.File {
	t.Helper()
	files, broken := scanFound(t, s)
	for path, err := range broken {
		t.Errorf("%s cannot be read: %v", path, err)
	}
	return files
}

// scanFound reads every file, and tells those that cannot be read.
func scanFound(t testing.TB, s store.Store) (files map[string]store.File, broken map[string]error) {
	t.Helper()
	var mu sync.Mutex
	files, broken = map[string]store.File{}, map[string]error{}
	err := s.Scan(t.Context(), func(store.Info) bool { return true }, func(found store.Found) {
		mu.Lock()
		defer mu.Unlock()
		path := string(found.Path)
		if _, twice := files[path]; twice {
			t.Errorf("%s is visited twice", path)
		}
		switch {
		case found.Folder:
		case found.Err != nil:
			broken[path] = found.Err
		default:
			files[path] = store.File{Info: found.Info, Data: slices.Clone(found.Data)}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, broken
}

// hashed is what tells the files' contents apart.
func hashed(files map[string]store.File) map[string]fixtureFile {
	all := map[string]fixtureFile{}
	for path, file := range files {
		all[path] = fixtureFile{Hash: store.Hash(file.Data), Size: file.Size}
	}
	return all
}

// The words of what the tests write, which an encrypted database must not
// show.
const (
	secretText = "quokka zanzibar"
	secretName = "Numbat"
)

// TestFixturesAreWritten changes every fixture in each way, and reads what is
// then in the database apart from the store.
func TestFixturesAreWritten(t *testing.T) {
	for _, one := range allFixtures(t) {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			database := one.load(t)
			notes := one.notes()
			addUnknown(t, database, one.pass, notes...)
			before := readRaw(t, database, one.pass)
			s := open(t, database, livesync.Options{Passphrase: one.pass, Obfuscated: &one.obfuscated, Now: oldClock()})

			want := map[string]written{}
			for _, path := range notes {
				want[path] = written{append(read(t, s, path).Data, secretText+"\n"...), before.files[path]}
				commit(t, s, store.Change{Path: vpath.Path(path), Base: read(t, s, path).Rev, Data: want[path].data})
			}
			for path, data := range map[string]string{
				"New " + secretName + "/Fresh.md": secretText, secretName + ".png": "\xff\x00" + secretText, secretName + ".md": "",
			} {
				want[path] = written{[]byte(data), nil}
				commit(t, s, store.Change{Path: vpath.Path(path), Data: []byte(data)})
			}
			moved, renamed, trashed := notes[0], secretName+" again.md", notes[1]
			commit(t, s, store.Change{Op: store.Move, Path: vpath.Path(moved), To: vpath.Path(renamed), Base: read(t, s, moved).Rev})
			results := commit(t, s, store.Change{Op: store.Trash, Path: vpath.Path(trashed), Base: read(t, s, trashed).Rev})
			kept := strings.Replace(results[0].TrashPath, ".trash", format.TrashFolder, 1)
			want[renamed], want[kept] = want[moved], want[trashed]
			delete(want, moved)
			delete(want, trashed)

			after := readRaw(t, database, one.pass)
			for path, expected := range want {
				after.checkWritten(t, path, expected)
			}
			after.checkDeleted(t, moved, before)
			after.checkDeleted(t, trashed, before)
			after.checkChunks(t, before)
			after.checkSecrecy(t, database)
			one.checkRest(t, after, append(notes, secretName))
		})
	}
}

// oldClock is the time of a machine whose clock is far behind.
func oldClock() func() time.Time {
	started := time.Now()
	return func() time.Time { return time.UnixMilli(1_000_000).Add(time.Since(started)) }
}

// notes are some that can be written, in order.
func (f fixture) notes() []string {
	most := 5
	if f.name == slowFixture {
		most = 2
	}
	var notes []string
	for _, path := range slices.Sorted(maps.Keys(f.want.Files)) {
		if strings.HasSuffix(path, ".md") && (len(notes) < most || longForm()) {
			notes = append(notes, path)
		}
	}
	return notes
}

// checkRest wants what nobody touched to be as it was.
func (f fixture) checkRest(t *testing.T, now *rawVault, touched []string) {
	t.Helper()
	for path, want := range f.want.Files {
		if slices.Contains(touched, path) {
			continue
		}
		content, err := now.content(path)
		if err != nil || store.Hash(content) != want.Hash {
			t.Errorf("%s, which nobody touched, is %d bytes (%v)", path, len(content), err)
		}
	}
}

// addUnknown gives documents a field that no release of ours knows.
func addUnknown(t *testing.T, database *couchtest.Database, pass format.Passphrase, paths ...string) {
	t.Helper()
	now := readRaw(t, database, pass)
	for _, path := range paths {
		document := now.document(t, path)
		document["fromTheFuture"] = map[string]any{"kept": []any{"as", "it", "is"}}
		delete(document, "_conflicts")
		database.Put(t, now.files[path].ID, document)
	}
}

// written is what must be in the database, and what was there before.
type written struct {
	data []byte
	old  *format.Meta // nil: nothing
}

// rawVault is a database read apart from any store.
type rawVault struct {
	codec  *format.Codec
	bodies map[string]json.RawMessage
	files  map[string]*format.Meta // by path, the deleted ones too
}

// readRaw reads all documents of a database.
func readRaw(t testing.TB, database *couchtest.Database, pass format.Passphrase) *rawVault {
	t.Helper()
	now := &rawVault{bodies: allDocuments(t, database), files: map[string]*format.Meta{}}
	var survey format.Survey
	for _, id := range slices.Sorted(maps.Keys(now.bodies)) {
		survey.Add(now.bodies[id])
	}
	var said [2][]byte
	for i, id := range []string{format.MilestoneID, format.SyncParametersID} {
		if status, body := database.Do(t, http.MethodGet, "/"+id, nil); status == http.StatusOK {
			said[i] = body
		}
	}
	remote, err := format.ParseRemote(now.bodies[format.VersionID], said[0], said[1])
	if err != nil {
		t.Fatal(err)
	}
	now.codec = sharedCodec(t, format.Options{Settings: format.Configure(remote, &survey, pass), Passphrase: pass, Salt: remote.Salt})
	for id, body := range now.bodies {
		if format.KindOf(id, "plain") != format.Note {
			continue
		}
		if read, err := now.codec.Decode(body); err == nil && read.File != nil {
			now.files[read.File.Path] = read.File
		}
	}
	return now
}

// codecs are kept for all tests, since it takes long to derive their keys.
var codecs sync.Map

func sharedCodec(t testing.TB, options format.Options) *format.Codec {
	t.Helper()
	key := fmt.Sprintf("%+v %s %x", options.Settings, string(options.Passphrase), options.Salt)
	made, err := format.NewCodec(options)
	if err != nil {
		t.Fatal(err)
	}
	shared, _ := codecs.LoadOrStore(key, made)
	return shared.(*format.Codec)
}

// allDocuments are the bodies of all documents, by id.
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

// document is a file's document as it stands in the database.
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
	body, there := r.bodies[id]
	if !there {
		return "", format.MissingChunk(id)
	}
	read, err := r.codec.Decode(body)
	if err != nil {
		return "", err
	}
	return read.Chunk.Data, nil
}

// leaves are the ids of all chunks.
func (r *rawVault) leaves() []string {
	var ids []string
	for id := range r.bodies {
		if format.KindOf(id, "plain") == format.Chunk {
			ids = append(ids, id)
		}
	}
	return ids
}

// checkWritten holds a document against what devices want of a writer.
func (r *rawVault) checkWritten(t *testing.T, path string, want written) {
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
	r.checkWire(t, path, document)
}

// checkWire wants the metadata to be hidden just where devices hide them.
func (r *rawVault) checkWire(t *testing.T, path string, document map[string]any) {
	t.Helper()
	settings, shown := r.codec.Settings(), fmt.Sprint(document["path"])
	hidden := settings.Encrypt && settings.ObfuscatePaths
	inside := hidden && settings.Algorithm == format.EncryptV2
	switch {
	case !hidden && shown != path,
		hidden && !inside && (!strings.HasPrefix(shown, "%") || len(shown) <= 64),
		inside && !strings.HasPrefix(shown, `/\:%=`):
		t.Errorf("%s: the path is written %q", path, shown)
	}
	children, ok := document["children"].([]any)
	if !ok || inside && (len(children) > 0 || document["size"] != 0.0 || document["mtime"] != 0.0 || document["ctime"] != 0.0) {
		t.Errorf("%s: shows %v", path, document)
	}
}

// checkDeleted wants a file to be marked as deleted, with all else that it had.
func (r *rawVault) checkDeleted(t *testing.T, path string, before *rawVault) {
	t.Helper()
	old, now := before.files[path], r.files[path]
	if old.Legacy() {
		if now != nil {
			t.Errorf("the old %s is still there", path)
		}
		return
	}
	if now == nil || !now.Deleted || now.ID != old.ID || now.CTime != old.CTime || now.MTime < old.MTime+2000 || r.document(t, path)["deleted"] != true {
		t.Errorf("%s is to be deleted: %+v, before %+v", path, now, old)
	}
}

// checkChunks wants every chunk of a file to be there, those of before as they
// were, and new ones to be encrypted just where devices do it.
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

// checkSecrecy looks for what was written in all that the database holds, what
// it does not replicate included.
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
				t.Errorf("%s shows %q", id, secret)
			}
		}
	}
}

// journalsOf are the pages of all journals; one that lists none is a failure,
// since then something else is being looked at.
func journalsOf(t *testing.T, database *couchtest.Database) map[string]json.RawMessage {
	t.Helper()
	var list struct{ Owners map[string]int64 }
	_, body := database.Do(t, http.MethodGet, "/_local/obsidian-mcp-journals", nil)
	if err := json.Unmarshal(body, &list); err != nil || len(list.Owners) == 0 {
		t.Fatalf("no journals: %s", body)
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

// read reads a file that must be there.
func read(t testing.TB, s store.Store, path string) store.File {
	t.Helper()
	file, err := s.Read(t.Context(), vpath.Path(path), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// commit makes changes that must succeed.
func commit(t testing.TB, s store.Store, changes ...store.Change) []store.Result {
	t.Helper()
	results, err := s.Commit(t.Context(), changes)
	if err != nil {
		t.Fatal(err)
	}
	return results
}
