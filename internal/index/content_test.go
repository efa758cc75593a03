package index_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
)

// TestHash asks for hashes in the base of a snapshot, on top of it, and in a base that was made of both. They are those of the files'
// bytes, which the index does not have of a text in UTF-16.
func TestHash(t *testing.T) {
	files := map[vpath.Path][]byte{
		"a.md": []byte("one"), "empty.md": {}, "wide.md": []byte("\xff\xfeo\x00n\x00e\x00"), "wide big.md": []byte("\xfe\xff\x00o\x00n\x00e"),
		"zero.md": []byte("a\x00b"), "a.canvas": []byte("{}"), "a.txt": []byte("one"), "unread.md": nil,
	}
	var parser index.Parser
	var entries []*index.Entry
	for path, data := range files {
		entries = append(entries, parser.Parse(path, data).Detach())
	}
	inBase, err := index.New(nil, nil).With(index.Change{Updated: entries}).Rebuild(t.Context(), new(index.Memory))
	if err != nil {
		t.Fatal(err)
	}
	entries = entries[:0]
	for path, data := range files {
		entries = append(entries, parser.Parse(path, data).Detach())
	}
	onTop := index.New(nil, nil).With(index.Change{Updated: entries})
	for name, s := range map[string]*index.Snapshot{"in the base": inBase, "on top": onTop} {
		ids := map[index.TextID]vpath.Path{}
		for path, data := range files {
			want := ""
			if sum := sha256.Sum256(data); data != nil && path != "a.txt" {
				want = hex.EncodeToString(sum[:])
			}
			if got := s.Hash(path); got != want {
				t.Errorf("%s, the hash of %q is %q, but should be %q", name, path, got, want)
			}
			id := s.TextID(path)
			if (id == index.TextID{}) != (data == nil) || s.Entry(path).HasText() != (data != nil) {
				t.Errorf("%s, the ID of %q is %v", name, path, id)
			}
			if other, taken := ids[id]; taken && string(files[other]) != string(data) {
				t.Errorf("%s, %q and %q have the same ID", name, path, other)
			}
			ids[id] = path
		}
		if s.Hash("none.md") != "" || !s.Entry("a.md").SameText(s.Entry("a.txt")) || s.Entry("unread.md").SameText(s.Entry("unread.md")) {
			t.Errorf("%s, texts that are not there have hashes, or equal ones differ", name)
		}
	}
}
