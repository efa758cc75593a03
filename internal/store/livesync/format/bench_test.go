package format_test

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/store/livesync/format"
)

// benchSettings are the settings of an encrypted database made with a current plugin.
var benchSettings = format.Settings{
	Encrypt: true, Algorithm: format.EncryptV2, ObfuscatePaths: true, HashAlg: format.XXHash64,
	Split: format.SplitRule{MinimumChunkSize: 20},
}

// BenchmarkWrite makes the upload of a new note of 100 KB.
func BenchmarkWrite(b *testing.B) {
	codec := newCodec(b, benchSettings)
	content := []byte(strings.Repeat("A line of a note that is not short at all.\n", 2400))
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		if _, err := codec.Write(nil, format.Change{Path: "A.md", Content: content, Now: now}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecode decodes the document and the chunks of a small note.
func BenchmarkDecode(b *testing.B) {
	codec := newCodec(b, benchSettings)
	upload, err := codec.Write(nil, format.Change{Path: "A.md", Content: []byte(strings.Repeat("Words of a note. ", 100)), Now: now})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := codec.Decode(upload.Body); err != nil {
			b.Fatal(err)
		}
		for _, leaf := range upload.Leaves {
			if _, err := codec.Decode(leaf.Body); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(upload.Leaves)+1), "documents/op")
}
