package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/testkit/mode"
)

// largeEdits returns edits of large notes and vaults, which must not get slow out of proportion to their size.
func largeEdits(t testing.TB, size int) map[string]func() {
	paths := []vpath.Path{"Old.md", "c.canvas", "s.md"}
	for i := range size / 2 {
		paths = append(paths, vpath.Path(fmt.Sprintf("d%d/e/index.md", i)))
	}
	set := vpath.NewSet(paths)
	canvas := []byte(`{"nodes":[{"type":"text","text":"` + strings.Repeat("[[Old]] ", size) + `"}]}`)
	note := md.Scan([]byte(strings.Repeat("[[d0/e/index]] ", size/40)))
	headings := md.Scan([]byte("# A\n" + strings.Repeat("## B\n", size)))
	list, err := front.Parse(md.Scan([]byte("---\na: [" + strings.Repeat("x,y,", min(size/3, 15_000)) + "z]\n---\n")))
	if err != nil {
		t.Fatal(err)
	}
	canvasRelinker := edit.NewRelinker(set, edit.Moves(set, "Old.md", "New.md"), edit.Shortest)
	noteRelinker := edit.NewRelinker(set, edit.Moves(set, "d0/e/index.md", "z/index.md"), edit.Shortest)
	return map[string]func(){
		"a canvas with many links": func() {
			if splices, err := canvasRelinker.Canvas("c.canvas", canvas); err != nil || len(splices) != size {
				t.Errorf("the canvas has %d changes, want %d: %v", len(splices), size, err)
			}
		},
		"many files of one name": func() {
			if splices := noteRelinker.Note("s.md", note); len(splices) != size/40 {
				t.Errorf("the note has %d changes, want %d", len(splices), size/40)
			}
		},
		"many headings of one name": func() {
			if _, err := edit.FindSection(headings, "X/B"); err == nil {
				t.Error("FindSection finds X/B, but there is no heading X")
			}
		},
		"a long list": func() {
			if _, err := list.RemoveItems("a", func(v front.Value) bool { return v.Text == "y" }); err != nil {
				t.Error(err)
			}
		},
	}
}

// TestLargeEditsAllocateInProportion checks that edits of four times the size allocate about four times the memory.
// BenchmarkLargeEdits measures the time.
func TestLargeEditsAllocateInProportion(t *testing.T) {
	size := mode.Pick(2_000, 10_000, 40_000)
	if testing.Short() {
		size = 400
	}
	const bound = 6 // linear is 4, quadratic 16
	large := largeEdits(t, 4*size)
	for name, run := range largeEdits(t, size) {
		run() // fills the caches of the standard library
		once, four := allocatedBytes(run), allocatedBytes(large[name])
		if growth := float64(four) / float64(max(once, 1<<14)); growth > bound {
			t.Errorf("%s: four times the size allocates %.1f times as much, want at most %d", name, growth, bound)
		}
	}
}

func BenchmarkLargeEdits(b *testing.B) {
	for name, run := range largeEdits(b, 40_000) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}
