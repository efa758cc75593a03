package format_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

func TestDelete(t *testing.T) {
	t.Parallel()
	for name, settings := range everySetting() {
		server := newServer(newCodec(t, settings))
		upload, err := server.codec.Write(nil, format.Change{Path: "A.md", Content: []byte("one"), Now: now})
		file := server.put(t, upload, err)
		upload, err = server.codec.Delete(file, now+1)
		deleted := server.put(t, upload, err)
		if !deleted.Deleted || !isLater(deleted.MTime, now) || deleted.CTime != now || deleted.Path != "A.md" || deleted.Size != 3 || !slices.Equal(deleted.Children, file.Children) {
			t.Errorf("%s: %+v", name, deleted)
		}
		upload, err = server.codec.Write(deleted, format.Change{Path: "A.md", Content: []byte("again"), Now: now + 50_000})
		again := server.put(t, upload, err)
		if again.Deleted || again.MTime != now+50_000 || string(server.content(t, again)) != "again" || strings.Contains(string(upload.Body), "deleted") {
			t.Errorf("%s: %+v", name, again)
		}
	}
}

func TestDeleteOtherKinds(t *testing.T) {
	t.Parallel()
	codec := plainCodec(t)
	for raw, want := range map[string]string{
		`{"_id":"old.md","_rev":"3-a","type":"notes","path":"old.md","data":"text"}`:                                                                       `{"_deleted":true,"_id":"old.md","_rev":"3-a"}`,
		`{"_id":"i:.obsidian/a.json","_rev":"3-a","type":"newnote","path":"i:.obsidian/a.json","size":3,"ctime":1,"mtime":2,"children":["h:1"],"eden":{}}`: `{"_id":"i:.obsidian/a.json","_rev":"3-a","children":[],"ctime":1,"deleted":true,"eden":{},"mtime":1800000000000,"path":"i:.obsidian/a.json","size":0,"type":"newnote"}`,
	} {
		document, err := codec.Decode([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		upload, err := codec.Delete(document.File, now)
		if err != nil || string(upload.Body) != want {
			t.Errorf("%s, %v, want %s", upload.Body, err, want)
		}
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	for name, settings := range everySetting() {
		server := newServer(newCodec(t, settings))
		upload, err := server.codec.Write(nil, format.Change{Path: "Dir/A.md", Content: []byte("one"), Now: now})
		file := server.put(t, upload, err)

		uploads, err := server.codec.Rename(file, nil, "Dir/a.md", now)
		if want := map[bool]int{true: 2, false: 1}[settings.CaseSensitive]; err != nil || len(uploads) != want {
			t.Fatalf("%s: %d uploads, want %d, %v", name, len(uploads), want, err)
		}
		if moved := server.put(t, uploads[0], nil); moved.Path != "Dir/a.md" || moved.Deleted || !isLater(moved.MTime, now) || string(server.content(t, moved)) != "one" {
			t.Errorf("%s: %+v", name, moved)
		}

		uploads, err = server.codec.Rename(file, nil, "Other/B.txt", now)
		if err != nil || len(uploads) != 2 {
			t.Fatalf("%s: %d uploads, %v", name, len(uploads), err)
		}
		made, deleted := server.put(t, uploads[0], nil), server.put(t, uploads[1], nil)
		if made.ID != server.codec.ID("Other/B.txt") || made.CTime != now || made.Size != 3 || string(server.content(t, made)) != "one" || len(uploads[0].Leaves) != 0 {
			t.Errorf("%s: %+v", name, made)
		}
		if !deleted.Deleted || deleted.ID != file.ID || deleted.Path != "Dir/A.md" {
			t.Errorf("%s: %+v", name, deleted)
		}
	}
}

func TestRefusedChanges(t *testing.T) {
	t.Parallel()
	codec := plainCodec(t)
	decode := func(raw string) *format.Meta {
		t.Helper()
		document, err := codec.Decode([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		return document.File
	}
	file := decode(`{"_id":"dir/a.md","type":"plain","path":"Dir/A.md","children":[],"eden":{}}`)
	conflict := decode(`{"_id":"dir/a.md","type":"plain","path":"Dir/A.md","children":[],"eden":{},"_conflicts":["2-b"]}`)
	astray := decode(`{"_id":"Dir/A.md","type":"plain","path":"Dir/A.md","children":[],"eden":{}}`)
	write := func(old *format.Meta, path, content string) error {
		_, err := codec.Write(old, format.Change{Path: path, Content: []byte(content), Now: now})
		return err
	}
	rename := func(old, target *format.Meta, path string) error {
		_, err := codec.Rename(old, target, path, now)
		return err
	}
	remove := func(old *format.Meta) error { _, err := codec.Delete(old, now); return err }
	for name, c := range map[string]struct {
		err  error
		kind fault.Kind
	}{
		"text that is not UTF-8":          {write(nil, "a.md", "\xff"), fault.InvalidArgument},
		"a colon":                         {write(nil, "a:b.md", ""), fault.InvalidArgument},
		"a hidden file":                   {write(nil, ".a.md", ""), fault.InvalidArgument},
		"a flag file":                     {write(nil, "redflag.md", ""), fault.InvalidArgument},
		"a log":                           {write(nil, "x/livesync_log_1.md", ""), fault.InvalidArgument},
		"NFD":                             {write(nil, "u\u0308.md", ""), fault.InvalidArgument},
		"two slashes":                     {write(nil, "a//b.md", ""), fault.InvalidArgument},
		"the folder's case":               {write(file, "dir/A.md", ""), fault.InvalidArgument},
		"another document":                {write(file, "Dir/B.md", ""), fault.InvalidArgument},
		"a conflict":                      {write(conflict, "Dir/A.md", ""), fault.Conflict},
		"a conflict deleted":              {remove(conflict), fault.Conflict},
		"an id of another path":           {write(astray, "Dir/A.md", ""), fault.PermissionDenied},
		"deleting an id of another path":  {remove(astray), fault.PermissionDenied},
		"renaming the folder's case":      {rename(file, nil, "dir/A.md"), fault.InvalidArgument},
		"renaming over a file":            {rename(file, decode(`{"_id":"b.md","type":"plain","path":"b.md","children":[]}`), "b.md"), fault.AlreadyExists},
		"renaming text to something else": {rename(file, nil, "Dir/A.bin"), fault.InvalidArgument},
	} {
		if !errors.Is(c.err, c.kind) {
			t.Errorf("%s: %v, want %v", name, c.err, c.kind)
		}
	}
	if err := write(nil, "x.bin", "\xff"); err != nil {
		t.Error(err)
	}
	decomposed := decode(`{"_id":"u\u0308.md","type":"plain","path":"u\u0308.md","children":[],"eden":{}}`)
	if err := write(decomposed, decomposed.Path, "text"); err != nil {
		t.Errorf("an existing file cannot be edited: %v", err)
	}
}

// TestEdenBecomesChunks renames a document with chunks inside it.
func TestEdenBecomesChunks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"legacy-plain", "legacy-e2ee-v1-mixed"} {
		read := loadDatabase(t, name).read(t)
		server := &server{codec: read.codec, chunks: read.chunks, raw: map[string][]byte{}}
		i := slices.IndexFunc(read.files, func(file *format.Meta) bool { return file.Path == "Eden.md" })
		uploads, err := read.codec.Rename(read.files[i], nil, "Paradise.md", now)
		if err != nil || len(uploads[0].Leaves) != 1 {
			t.Fatalf("%s: %v", name, err)
		}
		moved := server.put(t, uploads[0], nil)
		if got := string(server.content(t, moved)); got != "incubated one\ngraduated two\n" || !strings.Contains(string(uploads[0].Body), `"eden":{}`) {
			t.Errorf("%s: %q of %s", name, got, uploads[0].Body)
		}
	}
}

func TestSameFolder(t *testing.T) {
	t.Parallel()
	if !format.SameFolder("A/b.md", "A/B.md") || format.SameFolder("A/b.md", "a/b.md") {
		t.Error("SameFolder must compare the folder's letters, and nothing else")
	}
}
