package format_test

import (
	"fmt"
	"testing"

	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/formattest"
)

const (
	now  = 1_800_000_000_000
	pass = format.Passphrase("a passphrase 🔐 of some length")
)

// everySetting returns every combination of settings that matters.
func everySetting() map[string]format.Settings {
	all := map[string]format.Settings{}
	for _, alg := range []format.HashAlg{format.XXHash64, format.Mixed} {
		for _, encryption := range []string{"none", "v2", "", "forceV1"} {
			for bits := range 8 {
				settings := format.Settings{
					HashAlg: alg, Encrypt: encryption != "none", ObfuscatePaths: bits&1 != 0,
					Compress: bits&2 != 0, CaseSensitive: bits&4 != 0, DynamicIterations: true,
					Split: format.SplitRule{MinimumChunkSize: 20},
				}
				if settings.Encrypt {
					settings.Algorithm = format.Algorithm(encryption)
				}
				all[fmt.Sprintf("%s %s %03b", alg, encryption, bits)] = settings
			}
		}
	}
	return all
}

func newCodec(t testing.TB, settings format.Settings) *format.Codec {
	t.Helper()
	codec, err := format.NewCodec(format.Options{
		Settings: settings, Passphrase: pass, Salt: make([]byte, 32), DeriveKey: formattest.DeriveKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

// plainCodec returns the codec of a database without encryption.
func plainCodec(t testing.TB) *format.Codec {
	t.Helper()
	return newCodec(t, format.Settings{HashAlg: format.XXHash64, Split: format.SplitRule{MinimumChunkSize: 20}})
}

// server stores uploads, as CouchDB would.
type server struct {
	codec  *format.Codec
	chunks map[string]string
	raw    map[string][]byte
}

func newServer(codec *format.Codec) *server {
	return &server{codec: codec, chunks: map[string]string{}, raw: map[string][]byte{}}
}

type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// put stores an upload, and decodes its document.
func (s *server) put(t failer, upload format.Upload, err error) *format.Meta {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range upload.Leaves {
		document, err := s.codec.Decode(leaf.Body)
		if err != nil || document.Chunk == nil || document.ID != leaf.ID {
			t.Fatalf("%s: %v", leaf.Body, err)
		}
		s.chunks[leaf.ID] = document.Chunk.Data
	}
	document, err := s.codec.Decode(upload.Body)
	if err != nil || document.ID != upload.File.ID {
		t.Fatalf("%s: %v", upload.Body, err)
	}
	s.raw[document.ID] = upload.Body
	return document.File
}

func (s *server) content(t failer, file *format.Meta) []byte {
	t.Helper()
	content, err := s.codec.Content(file, func(id string) (string, error) {
		if data, ok := s.chunks[id]; ok {
			return data, nil
		}
		return "", format.MissingChunk(id)
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func (s *server) lookup(id string) (string, bool) { data, ok := s.chunks[id]; return data, ok }
