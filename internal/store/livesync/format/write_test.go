package format_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/store/livesync/format"
	_ "obsidian-mcp/internal/testkit/mode" // fixes rapid's seed
)

func TestReadReturnsWhatWasWritten(t *testing.T) {
	t.Parallel()
	settings := everySetting()
	codecs := map[string]*format.Codec{}
	for name, settings := range settings {
		codecs[name] = newCodec(t, settings)
	}
	names := slices.Sorted(maps.Keys(settings))
	text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("ab \n%\u000eLZ\u001d~=🧠é"))))
	rapid.Check(t, func(t *rapid.T) {
		server := newServer(codecs[rapid.SampledFrom(names).Draw(t, "settings")])
		path := rapid.SampledFrom([]string{"Note.md", "_a/B c.txt", "x.bin", "Ünï/日本 🧠.md", "a.JSON"}).Draw(t, "path")
		content := []byte(text.Draw(t, "text"))
		if !format.IsText(path) {
			content = rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		}
		content = append(content, strings.Repeat(string(content), rapid.IntRange(0, 40).Draw(t, "times"))...)
		var old *format.Meta
		for round := range int64(3) {
			upload, err := server.codec.Write(old, format.Change{Path: path, Content: content, Now: now, Chunk: server.lookup})
			old = server.put(t, upload, err)
			if got := server.content(t, old); string(got) != string(content) {
				t.Fatalf("read %q, wrote %q", got, content)
			}
			want := format.Meta{ID: server.codec.ID(path), Path: path, CTime: now, MTime: later(now, round), Size: int64(len(content))}
			if old.ID != want.ID || old.Path != want.Path || old.CTime != want.CTime || old.MTime != want.MTime || old.Size != want.Size || old.Deleted {
				t.Fatalf("round %d: %+v", round, old)
			}
			if format.IsText(path) {
				content = append([]byte(text.Draw(t, "more")), content...)
			} else {
				content = append(content[len(content)/2:], 'x')
			}
		}
	})
}

func TestUnknownFieldsStay(t *testing.T) {
	t.Parallel()
	for name, settings := range everySetting() {
		server := newServer(newCodec(t, settings))
		upload, err := server.codec.Write(nil, format.Change{Path: "A.md", Content: []byte("one"), Now: now})
		server.put(t, upload, err)
		const added = `"fancy":{"z":1.50,"a":[12345678901234567890,"<&>"]}`
		raw := []byte(`{` + added + `,"_rev":"1-abc","_revisions":{"start":1},` + string(upload.Body[1:]))
		document, err := server.codec.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		for what, change := range map[string]func() (format.Upload, error){
			"write": func() (format.Upload, error) {
				return server.codec.Write(document.File, format.Change{Path: "A.md", Content: []byte("two"), Now: now})
			},
			"delete": func() (format.Upload, error) { return server.codec.Delete(document.File, now) },
		} {
			upload, err := change()
			if err != nil {
				t.Fatal(err)
			}
			text := string(upload.Body)
			if !strings.Contains(text, added) || !strings.Contains(text, `"_rev":"1-abc"`) || strings.Contains(text, "_revisions") {
				t.Errorf("%s, %s: %s", name, what, text)
			}
		}
	}
}

// TestSealedFieldsStaySealed keeps an unknown field encrypted.
func TestSealedFieldsStaySealed(t *testing.T) {
	t.Parallel()
	settings := format.Settings{Encrypt: true, ObfuscatePaths: true, Algorithm: format.EncryptV2, HashAlg: format.XXHash64}
	codec := newCodec(t, settings)
	cipher := newCipher(format.CipherOptions{Passphrase: pass, Salt: make([]byte, 32)})
	sealed, err := cipher.Seal(`{"path":"A.md","mtime":5,"ctime":3,"size":0,"children":[],"fancy":"private","_id":"other"}`)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(map[string]any{"_id": codec.ID("A.md"), "type": "plain", "path": `/\:` + sealed, "mtime": 0, "eden": struct{}{}})
	document, err := codec.Decode(raw)
	if err != nil || document.File.MTime != 5 || document.File.CTime != 3 || document.File.Path != "A.md" || document.File.ID != codec.ID("A.md") {
		t.Fatalf("%+v, %v", document.File, err)
	}
	upload, err := codec.Write(document.File, format.Change{Path: "A.md", Content: []byte("secret words"), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"private", "fancy", "A.md", "secret words", fmt.Sprint(int64(now))} {
		if strings.Contains(string(upload.Body), secret) || strings.Contains(string(upload.Leaves[0].Body), secret) {
			t.Errorf("%q is visible: %s", secret, upload.Body)
		}
	}
	var wire struct {
		Path               string
		MTime, CTime, Size int64
		Children           []string
	}
	if err := json.Unmarshal(upload.Body, &wire); err != nil || wire.MTime != 0 || wire.CTime != 0 || wire.Size != 0 || wire.Children == nil || len(wire.Children) != 0 {
		t.Errorf("%s, %v", upload.Body, err)
	}
	plain, err := cipher.Open(strings.TrimPrefix(wire.Path, `/\:`))
	if err != nil || !strings.Contains(plain, `"fancy":"private"`) || !strings.Contains(plain, `"path":"A.md"`) {
		t.Errorf("%s, %v", plain, err)
	}
}
