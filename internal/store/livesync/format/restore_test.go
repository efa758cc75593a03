package format_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

// state stores an upload on a server, and returns the document with a revision.
func state(t *testing.T, server *server, rev string, upload format.Upload, err error) *format.Meta {
	t.Helper()
	server.put(t, upload, err)
	document, err := server.codec.Decode([]byte(`{"_rev":"` + rev + `",` + string(upload.Body[1:])))
	if err != nil {
		t.Fatal(err)
	}
	return document.File
}

func TestRestore(t *testing.T) {
	t.Parallel()
	for name, settings := range everySetting() {
		server := newServer(newCodec(t, settings))
		upload, err := server.codec.Write(nil, format.Change{Path: "Dir/A.md", Content: []byte("one"), Now: now})
		old := state(t, server, "1-a", upload, err)
		upload, err = server.codec.Write(nil, format.Change{Path: "Dir/A.md", Content: []byte("number two"), Now: now + 90_000})
		edited := state(t, server, "2-b", upload, err)
		upload, err = server.codec.Delete(edited, now)
		deleted := state(t, server, "3-c", upload, err)

		for _, c := range []struct {
			current, to *format.Meta
			now, mtime  int64
		}{
			{edited, old, now, now + 92_000}, {deleted, old, now + 500_000, now + 500_000}, {deleted, edited, now, now + 94_000}, {edited, deleted, now, now + 94_000},
		} {
			upload, err := server.codec.Restore(c.current, c.to, c.now)
			got := server.put(t, upload, err)
			if got.ID != c.to.ID || got.Rev != c.current.Rev || got.Path != "Dir/A.md" || got.MTime != c.mtime || got.CTime != c.to.CTime ||
				got.Size != c.to.Size || got.Deleted != c.to.Deleted || !slices.Equal(got.Children, c.to.Children) || len(upload.Leaves) != 0 {
				t.Errorf("%s: %s to %s: %+v", name, c.current.Rev, c.to.Rev, got)
			}
			if settings.Encrypt && settings.ObfuscatePaths && strings.Contains(string(upload.Body), "A.md") {
				t.Errorf("%s: the path is visible: %s", name, upload.Body)
			}
			if string(server.content(t, got)) != string(server.content(t, c.to)) {
				t.Errorf("%s: %q", name, server.content(t, got))
			}
		}
	}
}

// TestRestoreInlineContent restores documents that contain their content, or a part of it.
func TestRestoreInlineContent(t *testing.T) {
	t.Parallel()
	server := newServer(plainCodec(t))
	server.chunks["h:2"] = "two\n"
	decode := func(raw string) *format.Meta {
		t.Helper()
		document, err := server.codec.Decode([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		return document.File
	}
	for name, c := range map[string]struct {
		old, current, want string
		leaves             int
	}{
		"chunks inside":            {`"type":"plain","path":"A.md","children":["h:1","h:2"],"eden":{"h:1":{"data":"one\n","epoch":1}},"size":8,"ctime":7`, `"type":"plain","path":"a.md","ctime":9`, "one\ntwo\n", 1},
		"of the oldest plugins":    {`"type":"notes","path":"A.md","data":["one\n","three\n"],"ctime":7`, `"type":"plain","path":"A.md","children":["h:2"],"ctime":9`, "one\nthree\n", 1},
		"over the oldest plugins'": {`"type":"plain","path":"A.md","children":["h:2"],"size":4,"ctime":7`, `"type":"notes","path":"A.md","data":"one"`, "two\n", 0},
	} {
		upload, err := server.codec.Restore(decode(`{"_id":"a.md","_rev":"2-b",`+c.current+`}`), decode(`{"_id":"a.md","_rev":"1-a",`+c.old+`}`), now)
		got := server.put(t, upload, err)
		if string(server.content(t, got)) != c.want || got.CTime != 7 || got.Path != "A.md" || got.Legacy() || got.Rev != "2-b" || got.MTime != now || len(upload.Leaves) != c.leaves {
			t.Errorf("%s: %q, %+v", name, server.content(t, got), got)
		}
		if text := string(upload.Body); !strings.Contains(text, `"eden":{}`) || strings.Contains(text, `"data"`) {
			t.Errorf("%s: %s", name, text)
		}
	}
	deleted := decode(`{"_id":"a.md","_rev":"1-a","type":"notes","path":"A.md","_deleted":true}`)
	upload, err := server.codec.Restore(decode(`{"_id":"a.md","_rev":"2-b","type":"plain","path":"A.md","children":["h:2"],"size":4}`), deleted, now)
	if got := server.put(t, upload, err); !got.Deleted || got.Rev != "2-b" {
		t.Errorf("%+v", got)
	}
}

// TestRestoreKeepsOldNames restores a file with a name that a new file could not get.
func TestRestoreKeepsOldNames(t *testing.T) {
	t.Parallel()
	codec := plainCodec(t)
	document, err := codec.Decode([]byte(`{"_id":"u\u0308.md","_rev":"1-a","type":"plain","path":"u\u0308.md","children":[],"eden":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	gone := *document.File
	gone.Deleted, gone.Rev = true, "2-b"
	if upload, err := codec.Restore(&gone, document.File, now); err != nil || upload.File.Path != document.File.Path || upload.File.Deleted {
		t.Errorf("%+v, %v", upload.File, err)
	}
}

func TestRefusedRestores(t *testing.T) {
	t.Parallel()
	codec := plainCodec(t)
	file := func(change func(*format.Meta)) *format.Meta {
		document, err := codec.Decode([]byte(`{"_id":"dir/a.md","type":"plain","path":"Dir/A.md","children":[],"eden":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		change(document.File)
		return document.File
	}
	same := file(func(*format.Meta) {})
	for name, c := range map[string]struct {
		current, old *format.Meta
		kind         fault.Kind
	}{
		"a conflict":            {file(func(m *format.Meta) { m.Conflicts = []string{"2-b"} }), same, fault.Conflict},
		"an id of another path": {file(func(m *format.Meta) { m.ID = "Dir/A.md" }), same, fault.PermissionDenied},
		"another document":      {same, file(func(m *format.Meta) { m.Path = "Dir/B.md" }), fault.InvalidArgument},
		"the folder's case":     {same, file(func(m *format.Meta) { m.Path = "dir/A.md" }), fault.InvalidArgument},
	} {
		if _, err := codec.Restore(c.current, c.old, now); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
	}
	if upload, err := codec.Restore(same, file(func(m *format.Meta) { m.Conflicts = []string{"2-b"} }), now); err != nil || len(upload.File.Conflicts) != 0 {
		t.Errorf("restoring a revision that was in conflict: %v", err)
	}
}

// TestSealedFieldsOfBothStaySealed renames and restores over another document: fields that were encrypted in either stay
// encrypted.
func TestSealedFieldsOfBothStaySealed(t *testing.T) {
	t.Parallel()
	codec := newCodec(t, benchSettings)
	sealed := func(path, field string) *format.Meta {
		t.Helper()
		cipher := newCipher(format.CipherOptions{Passphrase: pass, Salt: make([]byte, 32)})
		text, err := cipher.Seal(`{"path":"` + path + `","mtime":5,"ctime":3,"size":0,"children":[],"` + field + `":"private"}`)
		if err != nil {
			t.Fatal(err)
		}
		document, err := codec.Decode([]byte(`{"_id":"` + codec.ID(path) + `","type":"plain","path":"/\\:` + text + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		return document.File
	}
	target := sealed("B.md", "theirs")
	target.Deleted = true
	uploads, err := codec.Rename(sealed("A.md", "ours"), target, "B.md", now)
	if err != nil {
		t.Fatal(err)
	}
	restored, err := codec.Restore(sealed("A.md", "ours"), sealed("A.md", "theirs"), now)
	if err != nil {
		t.Fatal(err)
	}
	for _, upload := range append(uploads, restored) {
		if text := string(upload.Body); strings.Contains(text, "private") || strings.Contains(text, "ours") || strings.Contains(text, "theirs") {
			t.Errorf("a field is visible: %s", text)
		}
	}
}
