package livesync_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/testkit/mode"
)

// Words in what the tests write, which an encrypted database must not reveal.
const (
	secretText = "quokka zanzibar"
	secretName = "Numbat"
)

// TestFixturesAreWritten makes every kind of change in every fixture, and reads the database without the store.
func TestFixturesAreWritten(t *testing.T) {
	t.Parallel()
	for _, fixture := range allFixtures(t) {
		t.Run(fixture.name, func(t *testing.T) {
			t.Parallel()
			if fixture.name == slowFixture && !mode.Full() {
				t.Skip("deriving its keys is slow; the full form writes it, and this one writes two other V1 databases")
			}
			database := fixture.load(t)
			notes := fixture.notes()
			addUnknown(t, database, fixture.pass, notes...)
			before := readRaw(t, database, fixture.pass)
			s := open(t, database, livesync.Options{Passphrase: fixture.pass, Obfuscated: &fixture.obfuscated, Now: oldClock()})

			want := map[string]wantWritten{}
			for _, path := range notes {
				want[path] = wantWritten{append(read(t, s, path).Data, secretText+"\n"...), before.files[path]}
				commit(t, s, store.Change{Path: vpath.Path(path), Base: read(t, s, path).Rev, Data: want[path].data})
			}
			for path, data := range map[string]string{
				"New " + secretName + "/Fresh.md": secretText, secretName + ".png": "\xff\x00" + secretText, secretName + ".md": "",
			} {
				want[path] = wantWritten{[]byte(data), nil}
				commit(t, s, store.Change{Path: vpath.Path(path), Data: []byte(data)})
			}
			moved, renamed, trashed := notes[0], secretName+" again.md", notes[1]
			commit(t, s, store.Change{Op: store.Move, Path: vpath.Path(moved), To: vpath.Path(renamed), Base: read(t, s, moved).Rev})
			results := commit(t, s, store.Change{Op: store.Trash, Path: vpath.Path(trashed), Base: read(t, s, trashed).Rev})
			trashPath := strings.Replace(results[0].TrashPath, ".trash", format.TrashFolder, 1)
			want[renamed], want[trashPath] = want[moved], want[trashed]
			delete(want, moved)
			delete(want, trashed)

			after := readRaw(t, database, fixture.pass)
			for path, expected := range want {
				after.checkWritten(t, path, expected)
			}
			after.checkDeleted(t, moved, before)
			after.checkDeleted(t, trashed, before)
			after.checkChunks(t, before)
			after.checkSecrecy(t, database)
			fixture.checkRest(t, after, append(notes, secretName))
		})
	}
}

// oldClock is the clock of a machine that is decades behind.
func oldClock() func() time.Time {
	started := time.Now()
	return func() time.Time { return time.UnixMilli(1_000_000).Add(time.Since(started)) }
}

// notes returns some notes to write, in order.
func (f fixture) notes() []string {
	const most = 3
	var notes []string
	for _, path := range slices.Sorted(maps.Keys(f.want.Files)) {
		if strings.HasSuffix(path, ".md") && (len(notes) < most || mode.Full()) {
			notes = append(notes, path)
		}
	}
	return notes
}

// checkRest expects all other files to be unchanged.
func (f fixture) checkRest(t *testing.T, now *rawVault, touched []string) {
	t.Helper()
	for path, want := range f.want.Files {
		if slices.Contains(touched, path) {
			continue
		}
		content, err := now.content(path)
		if err != nil || store.Hash(content) != want.Hash {
			t.Errorf("the unchanged %s has %d bytes (%v)", path, len(content), err)
		}
	}
}

// addUnknown adds a field to documents that this program does not know.
func addUnknown(t *testing.T, database *couchtest.Database, pass format.Passphrase, paths ...string) {
	t.Helper()
	now := readRaw(t, database, pass)
	for _, path := range paths {
		document := now.document(t, path)
		document["fromTheFuture"] = map[string]any{"trashPath": []any{"as", "it", "is"}}
		delete(document, "_conflicts")
		database.Put(t, now.files[path].ID, document)
	}
}
