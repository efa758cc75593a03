package format_test

import (
	"encoding/json"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/livesync/format"
)

// TestTrash moves a file to the trash and back, in every kind of database.
func TestTrash(t *testing.T) {
	t.Parallel()
	const trashed = format.TrashFolder + "/Dir/A.md"
	for name, settings := range everySetting() {
		server := newServer(newCodec(t, settings))
		upload, err := server.codec.Write(nil, format.Change{Path: "Dir/A.md", Content: []byte("one"), Now: now})
		file := server.put(t, upload, err)
		uploads, err := server.codec.Rename(file, nil, trashed, now)
		if err != nil || len(uploads) != 2 {
			t.Fatalf("%s: %d uploads, %v", name, len(uploads), err)
		}
		kept, deleted := server.put(t, uploads[0], nil), server.put(t, uploads[1], nil)
		document, err := server.codec.Decode(uploads[0].Body)
		if err != nil || document.Kind != format.Note || kept.Path != trashed || kept.Deleted || kept.ID != server.codec.ID(trashed) || string(server.content(t, kept)) != "one" || !deleted.Deleted {
			t.Errorf("%s: %+v, %v", name, kept, err)
		}
		if hidden := settings.Encrypt && settings.ObfuscatePaths; hidden && strings.Contains(string(uploads[0].Body), "rash") {
			t.Errorf("%s: the path is visible: %s", name, uploads[0].Body)
		}
		var wire struct{ Path string }
		if err := json.Unmarshal(uploads[0].Body, &wire); err != nil || settings == benchSettings && !strings.HasPrefix(wire.Path, `/\:%=`) {
			t.Errorf("%s: %s, %v", name, uploads[0].Body, err)
		}
		upload, err = server.codec.Write(kept, format.Change{Path: trashed, Content: []byte("another"), Now: now})
		kept = server.put(t, upload, err)
		uploads, err = server.codec.Rename(kept, deleted, "Dir/A.md", now)
		if err != nil {
			t.Fatal(err)
		}
		if back := server.put(t, uploads[0], nil); back.Deleted || back.Path != "Dir/A.md" || string(server.content(t, back)) != "another" {
			t.Errorf("%s: %+v", name, back)
		}
	}
}

func TestTrashPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]struct{ inside, allowed bool }{
		format.TrashFolder + "/a.md": {true, true}, format.TrashFolder + "/d/A.md": {true, true}, format.TrashFolder + "/.a.md": {true, true},
		format.TrashFolder: {}, format.TrashFolder + "/": {inside: true}, format.TrashFolder + "//a.md": {inside: true}, format.TrashFolder + "/a:b.md": {inside: true},
		".trash/a.md": {}, "livesync_log_x/a.md": {}, ".obsidian/a.md": {}, "a/.trash/b.md": {allowed: true},
	} {
		if got := format.InTrash(path); got != want.inside {
			t.Errorf("InTrash(%q) = %v", path, got)
		}
		if err := format.CheckPath(path); (err == nil) != want.allowed {
			t.Errorf("%q: %v", path, err)
		}
	}
}
