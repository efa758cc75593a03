package history

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"obsidian-mcp/internal/testkit/mode"
)

// holds checks that a history has the numbered changes with these ids and their
// bytes, and returns the other changes.
func holds(t *testing.T, what string, h *History, ids []string) (others []Change) {
	t.Helper()
	found := map[string]Change{}
	for _, c := range all(t, h) {
		found[c.ID] = c
		if !slices.Contains(ids, c.ID) {
			others = append(others, c)
		}
	}
	for i, id := range ids {
		c, ok := found[id]
		if !ok || !c.Made || c.Files[0].Path != numbered(i).Files[0].Path {
			t.Fatalf("%s: change %d is %+v, %v", what, i, c, ok)
		}
		want := numbered(i).Files[0]
		if got := bytesOf(t, h, c); !slices.Equal(got, []string{string(want.Before), string(want.After)}) {
			t.Fatalf("%s: change %d has %q", what, i, got)
		}
	}
	return others
}

// TestPowerCut: after a power cut, any part of the data that was not synced may be on
// disk, followed by anything. All synced changes are found, and the next one can be
// recorded.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	tails := map[string]func(whole []byte, length int) []byte{
		"cut": func(whole []byte, length int) []byte { return whole[:length] },
		"zeros": func(whole []byte, length int) []byte {
			return append(whole[:length:length], make([]byte, len(whole)-length)...)
		},
		"garbage": func(whole []byte, length int) []byte {
			return append(whole[:length:length], noise(len(whole)-length)...)
		},
		"hole": func(whole []byte, length int) []byte { return append(make([]byte, length), whole[length:]...) },
	}
	onBoth(t, func(t *testing.T, o Options) {
		h := quick(o)
		ids := number(t, h, 0, 2)
		name := segmentsIn(t, o.Dir)[0]
		synced := read(t, name)
		torn := begin(t, h, numbered(2)).ID()
		whole := read(t, name)
		for kind, tail := range tails {
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				o := o
				o.Dir = memory(t)
				for length := 0; length < len(whole)-len(synced); length += stride(11) {
					what := fmt.Sprintf("%s after %d bytes", kind, length)
					at := filepath.Join(o.Dir, filepath.Base(name))
					overwrite(t, at, append(synced[:len(synced):len(synced)], tail(whole[len(synced):], length)...))
					h := quick(o)
					for _, other := range holds(t, what, h, ids) {
						if other.ID != torn || other.Made {
							t.Fatalf("%s: unexpected change %+v", what, other)
						}
					}
					next := record(t, h, numbered(2))
					holds(t, what, quick(o), append(slices.Clone(ids), next))
					if len(segmentsIn(t, o.Dir)) != 1 {
						t.Fatalf("%s: a second segment was created", what)
					}
				}
			})
		}
	})
}

// TestFlippedByte: a changed byte costs at most the change that it belongs to, and
// never shows up in a content.
func TestFlippedByte(t *testing.T) {
	t.Parallel()
	const count = 2
	masks := []byte{0x11}
	if mode.Long() {
		masks = []byte{0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}
	}
	onBoth(t, func(t *testing.T, o Options) {
		h := quick(o)
		var ids []string
		ends := []int{headerSize}
		for i := range count {
			ids = append(ids, number(t, h, i, i+1)...)
			ends = append(ends, len(read(t, segmentsIn(t, o.Dir)[0])))
		}
		name := segmentsIn(t, o.Dir)[0]
		whole := read(t, name)
		for at := 0; at < len(whole); at += stride(5) {
			for _, mask := range masks {
				damaged := bytes.Clone(whole)
				damaged[at] ^= mask
				overwrite(t, name, damaged)
				hit := slices.IndexFunc(ends, func(end int) bool { return at < end }) - 1
				checkFlipped(t, fmt.Sprintf("byte %d ^ %#x", at, mask), quick(o), ids, hit)
			}
		}
		overwrite(t, name, whole)
		holds(t, "repaired", h, ids)
	})
}

// checkFlipped checks all changes except the one that was hit; -1 means the header.
func checkFlipped(t *testing.T, what string, h *History, ids []string, hit int) {
	t.Helper()
	found := map[string]Change{}
	for _, c := range all(t, h) {
		found[c.ID] = c
	}
	for i, id := range ids {
		c, ok := found[id]
		if !ok && i == hit {
			continue
		}
		if !ok || !c.Made && i != hit {
			t.Fatalf("%s: change %d is %+v, %v", what, i, c, ok)
		}
		want := numbered(i).Files[0]
		for side, content := range map[string]Content{string(want.Before): c.Files[0].Before, string(want.After): c.Files[0].After} {
			data, err := h.Content(background, c, content)
			if err != nil && i != hit || err == nil && string(data) != side {
				t.Fatalf("%s: change %d has %q, not %q: %v", what, i, data, side, err)
			}
		}
	}
	s, err := h.State(background)
	if err != nil || len(ids)-s.Changes > 1 || hit < 0 && s.Damaged != 1 {
		t.Fatalf("%s: %+v, %v", what, s, err)
	}
}

// TestDamageIsCounted: a hole, however large, costs only the changes that it hits, and is counted.
func TestDamageIsCounted(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		h := quick(o)
		number(t, h, 0, 1)
		from := len(read(t, segmentsIn(t, o.Dir)[0]))
		record(t, h, Draft{Files: []DraftFile{{Op: Trash, Path: "big", Before: noise(50_000)}}})
		to := len(read(t, segmentsIn(t, o.Dir)[0]))
		ids := number(t, h, 2, 5)
		name := segmentsIn(t, o.Dir)[0]
		whole := read(t, name)
		copy(whole[from:to], make([]byte, to-from))
		copy(whole[from+100:], bytes.Repeat([]byte(frameMark), 1000))
		overwrite(t, name, whole)
		h = quick(o)
		if got := idsOf(all(t, h)); len(got) != 4 || !slices.Equal(got[1:], ids) {
			t.Errorf("found %v", got)
		}
		if s, err := h.State(background); err != nil || s.Changes != 4 || s.Damaged != 1 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

// TestMissingContentIsWrittenAgain: a content that a record refers to, but that is not
// on disk, is written again with the next change that has it.
func TestMissingContentIsWrittenAgain(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		text := string(noise(1000))
		record(t, quick(o), write("a.md", "", text))
		name := segmentsIn(t, o.Dir)[0]
		data := read(t, name)
		copy(data[headerSize+frameHead+10:], make([]byte, 500))
		overwrite(t, name, data)
		h := quick(o)
		record(t, h, write("a.md", text, "short"))
		changes := all(t, h)
		if _, err := h.Content(background, changes[0], changes[0].Files[0].After); err == nil {
			t.Error("a damaged content was returned")
		}
		if got := bytesOf(t, h, changes[1]); !slices.Equal(got, []string{text, "short"}) {
			t.Errorf("%.60q", got)
		}
	})
}

// TestMovedFramesAreIgnored: a frame counts only at its own offset in its own segment.
func TestMovedFramesAreIgnored(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		h := quick(o)
		number(t, h, 0, 1)
		name := segmentsIn(t, o.Dir)[0]
		once := read(t, name)
		overwrite(t, name, append(bytes.Clone(once), once[headerSize:]...))
		if got := all(t, quick(o)); len(got) != 1 {
			t.Errorf("a copy at the end counts: %v", idsOf(got))
		}
		other := filepath.Join(o.Dir, newName(filepath.Base(name), someTime, saltOf(filepath.Base(name))))
		overwrite(t, other, once)
		if got := all(t, quick(o)); len(got) != 1 {
			t.Errorf("a copy in another file counts: %v", idsOf(got))
		}
		number(t, h, 1, 2)
		if got := all(t, quick(o)); len(got) != 2 {
			t.Errorf("found %v", idsOf(got))
		}
	})
}

// TestRemovedRecordIsNoticed: readers notice that another process has removed a record
// again, even if another record is in its place.
func TestRemovedRecordIsNoticed(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		h, reader := quick(o), quick(o)
		ids := number(t, h, 0, 1)
		name := segmentsIn(t, o.Dir)[0]
		before := read(t, name)
		begin(t, h, numbered(7))
		if got := all(t, reader); len(got) != 2 {
			t.Fatalf("found %v", idsOf(got))
		}
		if err := os.Truncate(name, int64(len(before))); err != nil {
			t.Fatal(err)
		}
		if got := all(t, reader); len(got) != 1 {
			t.Errorf("found %v", idsOf(got))
		}
		begin(t, h, numbered(8))
		if got := all(t, reader); len(got) != 2 {
			t.Fatalf("found %v", idsOf(got))
		}
		overwrite(t, name, before)
		ids = append(ids, number(t, quick(o), 1, 2)...)
		holds(t, "replaced", reader, ids)
		holds(t, "replaced", h, append(ids, number(t, h, 2, 3)...))
	})
}
