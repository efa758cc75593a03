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

// The words of what the tests write, which an encrypted database must not
// show.
const (
	secretText = "quokka zanzibar"
	secretName = "Numbat"
)

// TestFixturesAreWritten changes every fixture in each way, and reads what is
// then in the database apart from the store.
func TestFixturesAreWritten(t *testing.T) {
	t.Parallel()
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
		if strings.HasSuffix(path, ".md") && (len(notes) < most || mode.Full()) {
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
