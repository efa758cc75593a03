package format_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/formattest"
)

// TestEncryptedDocumentCases decodes documents as devices have them and as the database stores them; both must be equal.
func TestEncryptedDocumentCases(t *testing.T) {
	t.Parallel()
	file := load[struct {
		Passphrase format.Passphrase
		Salt       string `json:"pbkdf2salt_base64"`
		Vectors    []struct {
			Algorithm     format.Algorithm
			Dynamic       bool `json:"dynamic_iterations"`
			Local, Remote json.RawMessage
		}
	}](t, "vectors/documents-encrypted.json")
	codecs := map[format.Settings]*format.Codec{}
	for _, vector := range file.Vectors {
		settings := format.Settings{Encrypt: true, Algorithm: vector.Algorithm, DynamicIterations: vector.Dynamic}
		if codecs[settings] == nil {
			codec, err := format.NewCodec(format.Options{Settings: settings, Passphrase: file.Passphrase, Salt: unbase64(t, file.Salt), DeriveKey: formattest.DeriveKey})
			if err != nil {
				t.Fatal(err)
			}
			codecs[settings] = codec
		}
		codec := codecs[settings]
		want, err := codec.Decode(vector.Local)
		if err != nil {
			t.Errorf("%s: %v", vector.Local, err)
		}
		got, err := codec.Decode(vector.Remote)
		if err != nil {
			t.Errorf("%s: %v", vector.Remote, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(format.Meta{})); diff != "" {
			t.Errorf("%s (-want +got): %s", vector.Remote, diff)
		}
		if diff := cmp.Diff(inside(want.File), inside(got.File)); diff != "" {
			t.Errorf("%s: chunks inside (-want +got): %s", vector.Remote, diff)
		}
	}
	if len(file.Vectors) == 0 {
		t.Fatal("no vectors")
	}
	t.Logf("documents-encrypted: %d cases ran", len(file.Vectors))
}

func inside(file *format.Meta) map[string]string {
	if file == nil {
		return nil
	}
	return file.Eden()
}

func TestLeaves(t *testing.T) {
	t.Parallel()
	cipher := newCipher(format.CipherOptions{Passphrase: pass, Salt: make([]byte, 32), DynamicIterations: true})
	codec := newCodec(t, format.Settings{Encrypt: true, Algorithm: format.EncryptV2, DynamicIterations: true})
	seal := func(encrypt func(string) (string, error), text string) string {
		t.Helper()
		sealed, err := encrypt(text)
		if err != nil {
			t.Fatal(err)
		}
		return sealed
	}
	v2, v1 := seal(cipher.Seal, "text"), seal(cipher.SealV1, "text")
	foreign := newCipher(format.CipherOptions{Passphrase: "somebody else's", Salt: make([]byte, 32), DynamicIterations: true})
	for name, c := range map[string]struct {
		id, data string
		marked   bool
		want     string
		kind     error
	}{
		"marked":                    {"h:+1", v2, true, "text", nil},
		"of older plugins":          {"h:+1", v1, false, "text", nil},
		"not encrypted":             {"h:+1", "% of all", false, "% of all", nil},
		"not encrypted by its id":   {"h:1", v2, false, v2, nil},
		"without a prefix":          {"1abc", "text", false, "text", nil},
		"encrypted twice":           {"h:+1", seal(cipher.Seal, v1), true, "text", nil},
		"a text about encryption":   {"h:+1", seal(cipher.Seal, seal(foreign.SealV1, "text")), true, "%", nil},
		"of another passphrase":     {"h:+1", seal(foreign.SealV1, "text"), false, "", fault.PermissionDenied},
		"marked, but not encrypted": {"h:+1", "text", true, "", fault.StoreUnavailable},
		"marked, and cut off":       {"h:+1", v2[:len(v2)-8], true, "", fault.PermissionDenied},
	} {
		raw, _ := json.Marshal(map[string]any{"_id": c.id, "type": "leaf", "data": c.data, "e_": c.marked})
		document, err := codec.Decode(raw)
		switch {
		case c.kind != nil:
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.id) {
				t.Errorf("%s: %v, want %v", name, err, c.kind)
			}
		case err != nil || !strings.HasPrefix(document.Chunk.Data, c.want):
			t.Errorf("%s: %+v, %v, want %q", name, document.Chunk, err, c.want)
		}
	}
}

func TestDamagedContent(t *testing.T) {
	t.Parallel()
	codec := plainCodec(t)
	chunks := map[string]string{"h:1": "text", "h:b": "AAAA", "h:x": "*"}
	lookup := func(id string) (string, error) {
		if data, ok := chunks[id]; ok {
			return data, nil
		}
		return "", format.MissingChunk(id)
	}
	for raw, want := range map[string]string{
		`{"_id":"a.md","type":"plain","path":"a.md","size":4,"children":["h:1"]}`:       "",
		`{"_id":"a.md","type":"newnote","path":"a.md","size":4,"children":["h:1"]}`:     "", // read as text because of its name
		`{"_id":"a.md","type":"plain","path":"a.md","children":["h:1"]}`:                "", // without a size there is nothing to compare
		`{"_id":"a.md","type":"plain","path":"a.md","size":4,"children":["h:2"]}`:       `"h:2" is missing`,
		`{"_id":"a.md","type":"plain","path":"a.md","size":5,"children":["h:1"]}`:       "hold 4 bytes instead of 5",
		`{"_id":"a.md","type":"plain","path":"a.md","size":5,"children":["h:1","h:1"]}`: "more than the expected 5 bytes",
		`{"_id":"a.bin","type":"newnote","path":"a.bin","size":3,"children":["h:b"]}`:   "",
		`{"_id":"a.bin","type":"newnote","path":"a.bin","size":3,"children":["h:x"]}`:   "not base64",
	} {
		document, err := codec.Decode([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		_, err = codec.Content(document.File, lookup)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", raw, err)
		case want != "" && (!errors.Is(err, fault.StoreUnavailable) || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}

func TestDamagedDocuments(t *testing.T) {
	t.Parallel()
	codec := newCodec(t, format.Settings{Encrypt: true, ObfuscatePaths: true, Algorithm: format.EncryptV2})
	for _, raw := range []string{
		"", "null", "[]", `{"_id":5}`, `{"_id":"a.md","type":"plain","children":"h:1"}`, `{"_id":"a.md","type":"plain","path":[]}`,
		`{"_id":"a.md","type":"plain","path":"a.md","eden":[]}`, `{"_id":"a.md","type":"plain","path":"a.md","eden":{"h:1":5}}`,
		`{"_id":"a.md","type":"plain","path":"a.md","mtime":"now"}`, `{"_id":"f:00","type":"plain"}`, `{"_id":"h:1","type":"leaf"}`,
		`{"_id":"h:1","type":"leaf","data":5}`, `{"_id":"f:00","type":"plain","path":"/\\:%=AAAA"}`, `{"_id":"a.md","type":"notes","path":"a.md"}`,
		"{\"_id\":\"h:1\",\"type\":\"leaf\",\"data\":\"\\u000eLZ\\u001d*\"}",
	} {
		if _, err := codec.Decode([]byte(raw)); !errors.Is(err, fault.StoreUnavailable) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	codec := plainCodec(t)
	for raw, want := range map[string]format.Kind{
		`{"_id":"a.md","type":"plain","path":"a.md"}`:                     format.Note,
		`{"_id":"/_a.md","type":"plain"}`:                                 format.Note,
		`{"_id":"a.md","data":"x"}`:                                       format.Note,
		`{"_id":"a.md","_deleted":true}`:                                  format.Note,
		`{"_id":"something"}`:                                             format.Other,
		`{"_id":"_design/chunks","views":{}}`:                             format.Other,
		`{"_id":"x","type":"chunkpack"}`:                                  format.Other,
		`{"_id":"h:1","type":"leaf","data":""}`:                           format.Chunk,
		`{"_id":"abc","type":"leaf","data":""}`:                           format.Chunk,
		`{"_id":"h:1","_deleted":true}`:                                   format.Chunk,
		`{"_id":"i:.obsidian/a","type":"newnote","path":"i:.obsidian/a"}`: format.Hidden,
		`{"_id":"ix:d/c/n.md","type":"plain","path":"ix:d/c/n.md"}`:       format.Customisation,
		`{"_id":"ps:d","type":"plain","path":"ps:d"}`:                     format.Customisation,
		`{"_id":"obsydian_livesync_version","type":"versioninfo"}`:        format.About,
		`{"_id":"syncinfo","type":"syncinfo","data":"x"}`:                 format.About,
	} {
		document, err := codec.Decode([]byte(raw))
		if err != nil || document.Kind != want {
			t.Errorf("%s: kind %d, %v, want %d", raw, document.Kind, err, want)
		}
		if document.File != nil && document.File.Path == "" {
			t.Errorf("%s has no path", raw)
		}
	}
}

// TestSmallDataCannotExpandWithoutLimit decodes few bytes that stand for many.
func TestSmallDataCannotExpandWithoutLimit(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	writer, _ := flate.NewWriter(&packed, flate.BestSpeed)
	_, _ = writer.Write(make([]byte, 8<<20))
	writer.Close()
	data := "\u000eLZ\u001d" + base64.StdEncoding.EncodeToString(packed.Bytes())
	if _, err := format.Expand(data, 1<<20); !errors.Is(err, fault.StoreUnavailable) || !strings.Contains(err.Error(), "more than") {
		t.Errorf("expanded %d bytes: %v", len(data), err)
	}
	codec, err := format.NewCodec(format.Options{MaxFile: 1000})
	if err != nil {
		t.Fatal(err)
	}
	raw := `{"_id":"a.md","type":"plain","path":"a.md","children":["h:1"` + strings.Repeat(`,"h:1"`, 1000) + `]}`
	document, err := codec.Decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	_, err = codec.Content(document.File, func(string) (string, error) { asked++; return strings.Repeat("x", 100), nil })
	if !errors.Is(err, fault.StoreUnavailable) || asked > 11 {
		t.Errorf("%d chunks were read: %v", asked, err)
	}
}

func TestNeeds(t *testing.T) {
	t.Parallel()
	codec := plainCodec(t)
	for raw, want := range map[string][]string{
		`{"_id":"a.md","type":"plain","path":"a.md","children":["h:2","h:1","h:2","h:3"],"eden":{"h:3":{"data":"x","epoch":1}}}`: {"h:2", "h:1"},
		`{"_id":"a.md","type":"notes","path":"a.md","data":"text"}`:                                                              nil,
	} {
		document, err := codec.Decode([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, document.File.Needs()); diff != "" || document.File.Legacy() != (want == nil) {
			t.Errorf("%s (-want +got): %s", raw, diff)
		}
	}
}
