package format_test

import (
	"encoding/json"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/livesync/format"
)

// TestTrash moves a file to the trash and back, in every kind of database.
func TestTrash(t *testing.T) {
	const trashed = format.TrashFolder + "/Dir/A.md"
	for name, settings := range everySetting() {
		at := newServer(newCodec(t, settings))
		upload, err := at.codec.Write(nil, format.Change{Path: "Dir/A.md", Content: []byte("one"), Now: now})
		file := at.put(t, upload, err)
		uploads, err := at.codec.Rename(file, nil, trashed, now)
		if err != nil || len(uploads) != 2 {
			t.Fatalf("%s: %d uploads, %v", name, len(uploads), err)
		}
		kept, gone := at.put(t, uploads[0], nil), at.put(t, uploads[1], nil)
		document, err := at.codec.Decode(uploads[0].Body)
		if err != nil || document.Kind != format.Note || kept.Path != trashed || kept.Deleted || kept.ID != at.codec.ID(trashed) || string(at.content(t, kept)) != "one" || !gone.Deleted {
			t.Errorf("%s: %+v, %v", name, kept, err)
		}
		if hidden := settings.Encrypt && settings.ObfuscatePaths; hidden && strings.Contains(string(uploads[0].Body), "rash") {
			t.Errorf("%s: the path is to be seen: %s", name, uploads[0].Body)
		}
		var wire struct{ Path string }
		if err := json.Unmarshal(uploads[0].Body, &wire); err != nil || settings == benchSettings && !strings.HasPrefix(wire.Path, `/\:%=`) {
			t.Errorf("%s: %s, %v", name, uploads[0].Body, err)
		}
		upload, err = at.codec.Write(kept, format.Change{Path: trashed, Content: []byte("another"), Now: now})
		kept = at.put(t, upload, err)
		uploads, err = at.codec.Rename(kept, gone, "Dir/A.md", now)
		if err != nil {
			t.Fatal(err)
		}
		if back := at.put(t, uploads[0], nil); back.Deleted || back.Path != "Dir/A.md" || string(at.content(t, back)) != "another" {
			t.Errorf("%s: %+v", name, back)
		}
	}
}

func TestTrashPaths(t *testing.T) {
	for path, want := range map[string]struct{ inside, allowed bool }{
		format.TrashFolder + "/a.md": {true, true}, format.TrashFolder + "/d/A.md": {true, true}, format.TrashFolder + "/.a.md": {true, true},
		format.TrashFolder: {}, format.TrashFolder + "/": {inside: true}, format.TrashFolder + "//a.md": {inside: true}, format.TrashFolder + "/a:b.md": {inside: true},
		".trash/a.md": {}, "livesync_log_x/a.md": {}, ".obsidian/a.md": {}, "a/.trash/b.md": {allowed: true},
	} {
		if got := format.InTrash(path); got != want.inside {
			t.Errorf("%q is in the trash: %v", path, got)
		}
		if err := format.CheckPath(path); (err == nil) != want.allowed {
			t.Errorf("%q: %v", path, err)
		}
	}
}
