package index_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
)

// TestHash checks hashes and comparisons of files in the base of a snapshot and in the overlay. A hash is that of the original
// file, even if its text was converted from UTF-16.
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
		for path, data := range files {
			want := ""
			if sum := sha256.Sum256(data); data != nil && path != "a.txt" {
				want = hex.EncodeToString(sum[:])
			}
			if s.Converted(path) != (path == "wide.md" || path == "wide big.md") {
				t.Errorf("%s, %q: Converted is %t", name, path, s.Converted(path))
			}
			if got := s.Hash(path); got != want {
				t.Errorf("%s, the hash of %q is %q, but should be %q", name, path, got, want)
			}
			if s.Holds(parser.Parse(path, data)) != (data != nil) || s.Holds(parser.Parse(path, append([]byte("more "), data...))) {
				t.Errorf("%s, %q cannot be told from another text", name, path)
			}
			if same, isKnown := s.SameText(inBase, path); isKnown != (data != nil) || same != isKnown {
				t.Errorf("%s, %q differs from itself", name, path)
			}
		}
		if s.Hash("none.md") != "" || s.Holds(parser.Parse("none.md", []byte("one"))) {
			t.Errorf("%s, a file that is not there has a hash or a text", name)
		}
		other := s.With(index.Change{Updated: []*index.Entry{parser.Parse("wide.md", files["wide big.md"]), parser.Parse("a.md", []byte("two"))}})
		for _, path := range []vpath.Path{"wide.md", "a.md"} {
			if same, isKnown := s.SameText(other, path); same || !isKnown {
				t.Errorf("%s, %q is the same after a change", name, path)
			}
		}
	}
}
