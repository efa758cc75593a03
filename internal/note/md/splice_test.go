package md_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/md"
)

// TestApplyTouchesOnlyItsSpans checks that Apply replaces the spans, keeps all other bytes and leaves its input alone.
func TestApplyTouchesOnlyItsSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "src")
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(src)), 0, 8).Draw(t, "cuts")
		slices.Sort(cuts)
		var splices []md.Splice
		var want []byte
		at := 0
		for i := 0; i+1 < len(cuts); i += 2 {
			text := rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "text")
			splices = append(splices, md.Splice{Span: md.Span{Start: cuts[i], End: cuts[i+1]}, Text: text})
			want = append(append(want, src[at:cuts[i]]...), text...)
			at = cuts[i+1]
		}
		want = append(want, src[at:]...)
		before := bytes.Clone(src)
		if got := md.Apply(src, splices); !bytes.Equal(got, want) || !bytes.Equal(src, before) {
			t.Fatalf("Apply(%q, %v) = %q, want %q", before, splices, got, want)
		}
	})
}

func TestLineEndFollowsTheLinesAround(t *testing.T) {
	for _, test := range []struct {
		src    string
		offset int
		want   string
	}{{"", 0, "\n"}, {"a", 1, "\n"}, {"a\r\nb\nc", 3, "\r\n"}, {"a\r\nb\nc", 6, "\n"}, {"a\r\nb", 0, "\r\n"}, {"\n", 1, "\n"}} {
		if got := md.LineEnd([]byte(test.src), test.offset); got != test.want {
			t.Errorf("LineEnd(%q, %d) = %q, want %q", test.src, test.offset, got, test.want)
		}
	}
}
