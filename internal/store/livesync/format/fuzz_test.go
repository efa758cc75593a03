package format_test

import (
	"testing"
	"unicode/utf8"

	"obsidian-mcp/internal/store/livesync/format"
)

// fuzzCodec has a passphrase whose V1 keys are fast to derive.
func fuzzCodec(t testing.TB) *format.Codec {
	t.Helper()
	codec, err := format.NewCodec(format.Options{
		Settings:   format.Settings{Encrypt: true, ObfuscatePaths: true, DynamicIterations: true, HashAlg: format.XXHash64},
		Passphrase: pass, Salt: make([]byte, 32), MaxChunk: 1 << 20, MaxFile: 1 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

func FuzzDecode(f *testing.F) {
	for _, raw := range []string{
		`{"_id":"a.md","_rev":"1-a","type":"plain","path":"a.md","size":4,"mtime":1.5,"children":["h:1"],"eden":{"h:1":{"data":"text","epoch":1}}}`,
		`{"_id":"f:00","type":"plain","path":"/\\:%=AAAA","eden":{"h:++encrypted":{"data":"%00","epoch":999999}}}`,
		`{"_id":"a.bin","type":"notes","data":["QUJD","REVG"]}`,
		`{"_id":"h:+1","type":"leaf","e_":true,"data":"%=AAAA"}`,
		"{\"_id\":\"h:1\",\"type\":\"leaf\",\"data\":\"\\u000eLZ\\u001d~SwQA\"}",
	} {
		f.Add([]byte(raw))
	}
	codec := fuzzCodec(f)
	var seen format.Survey
	f.Fuzz(func(t *testing.T, raw []byte) {
		document, err := codec.Decode(raw)
		seen.Add(raw)
		if err != nil || document.File == nil {
			return
		}
		content, err := codec.Content(document.File, func(id string) (string, error) { return id, nil })
		if err == nil && len(content) > 1<<20 {
			t.Errorf("%d bytes", len(content))
		}
		// The successor of a readable document is readable.
		upload, err := codec.Delete(document.File, now)
		if err != nil {
			return
		}
		again, err := codec.Decode(upload.Body)
		if err != nil || !again.Deleted || again.ID != document.ID {
			t.Errorf("%s: %+v, %v", upload.Body, again, err)
		}
	})
}

func FuzzOpen(f *testing.F) {
	cipher := newCipher(format.CipherOptions{Passphrase: pass, Salt: make([]byte, 32), DynamicIterations: true})
	for _, seal := range []func(string) (string, error){cipher.Seal, cipher.SealV1} {
		sealed, err := seal("text")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(sealed, "text")
	}
	for _, text := range []string{"%$AAAA", "%~0a13226cc97f489a013fd46cjEJJ", `["YELW","36","fc"]`, "%", "[", ""} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, sealed, text string) {
		if got, err := cipher.Open(sealed); err == nil && !utf8.ValidString(got) {
			t.Errorf("%q is %q", sealed, got)
		}
		if !utf8.ValidString(text) {
			return
		}
		made, err := cipher.Seal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := cipher.Open(made); err != nil || got != text {
			t.Errorf("%q, sealed and opened, is %q, %v", text, got, err)
		}
	})
}

func FuzzExpand(f *testing.F) {
	for _, text := range []string{"", "\u000eLZ\u001d", "\u000eLZ\u001dSwQA", "\u000eLZ\u001d~SwQA", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := format.Expand(text, 1000); err == nil && len(got) > 1400 && len(got) > len(text) {
			t.Errorf("%d bytes", len(got))
		}
		if packed := format.Compress(text); utf8.ValidString(text) && packed != text {
			if got, err := format.Expand(packed, 1<<20); err != nil || got != text {
				t.Errorf("%q, packed and expanded, is %q, %v", text, got, err)
			}
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add("a.md", []byte("text ünï"), 0.0, 20)
	f.Fuzz(func(t *testing.T, name string, content []byte, custom float64, least int) {
		tweaks := format.Tweaks{CustomChunkSize: &custom}
		minimum := float64(least)
		tweaks.MinimumChunkSize = &minimum
		rule := tweaks.Over(format.Settings{}).Split
		var joined []byte
		for piece := range rule.Split(name, content) {
			if len(piece) == 0 || format.IsText(name) && utf8.Valid(content) && !utf8.Valid(piece) {
				t.Errorf("a piece %q", piece)
			}
			joined = append(joined, piece...)
		}
		if string(joined) != string(content) {
			t.Errorf("%q became %q", content, joined)
		}
		made, err := format.Pieces(name, content, rule)
		if err != nil {
			return
		}
		if got, err := format.Join(format.IsText(name), 1<<30, made...); err != nil || string(got) != string(content) {
			t.Errorf("%q became %q, %v", content, got, err)
		}
	})
}

func FuzzID(f *testing.F) {
	for _, path := range []string{"Ünï/A.md", "_a", "i:.obsidian/x", "f:00", `a\\b//c`, "İ", "ΟΔΟΣ", ":", "", "/"} {
		f.Add(path, "pw")
	}
	f.Fuzz(func(t *testing.T, path, pass string) {
		for _, rule := range []format.IDRule{{}, {CaseSensitive: true}, {Obfuscation: format.Passphrase(pass)}} {
			id := rule.ID(path)
			if err := rule.Check(id, path); err != nil {
				t.Error(err)
			}
			if back, err := format.PathOf(id); err == nil && rule.CaseSensitive && format.CheckPath(path) == nil && back != path {
				t.Errorf("%q became %q", path, back)
			}
		}
		normal := format.NormalPath(path)
		if again := format.NormalPath(normal); utf8.ValidString(path) && again != normal {
			t.Errorf("%q, then %q", normal, again)
		}
	})
}

func FuzzRemote(f *testing.F) {
	f.Add([]byte(`{"type":"versioninfo","version":12}`), []byte(`{"locked":true,"accepted_nodes":["a"],"node_chunk_info":{"a":{"min":0}},"tweak_values":{"PREFERRED":{"encrypt":true,"customChunkSize":1e9}}}`), []byte(`{"protocolVersion":2,"pbkdf2salt":"AAAA"}`))
	f.Fuzz(func(t *testing.T, version, milestone, parameters []byte) {
		remote, err := format.ParseRemote(version, milestone, parameters)
		if err != nil {
			return
		}
		_ = remote.Writable("a")
		settings := format.Configure(remote, newSurvey(), pass)
		if settings.Split.CustomChunkSize < 0 || settings.Split.CustomChunkSize > 1000 {
			t.Errorf("%+v", settings)
		}
		_, _ = format.NewCodec(format.Options{Settings: settings, Passphrase: pass, Salt: remote.Salt})
		_, _ = format.NewParameters(parameters, make([]byte, 32))
	})
}
