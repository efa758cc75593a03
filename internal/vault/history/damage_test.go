package history

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// holds checks that a history has the numbered changes of these ids, with
// their bytes, and gives the others.
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
		c, there := found[id]
		if !there || !c.Made || c.Files[0].Path != numbered(i).Files[0].Path {
			t.Fatalf("%s: change %d is %+v, %v", what, i, c, there)
		}
		want := numbered(i).Files[0]
		if got := bytesOf(t, h, c); !slices.Equal(got, []string{string(want.Before), string(want.After)}) {
			t.Fatalf("%s: change %d has %q", what, i, got)
		}
	}
	return others
}

// TestPowerCut: what was synced is there, and of what was not any part may be,
// with anything after it. All changes before are found, and the next one can be recorded.
func TestPowerCut(t *testing.T) {
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
				step := 1
				if (kind != "cut" || o.Secret != "") && !long() {
					step = 11
				}
				for length := 0; length < len(whole)-len(synced); length += step {
					what := fmt.Sprintf("%s after %d bytes", kind, length)
					at := filepath.Join(o.Dir, filepath.Base(name))
					overwrite(t, at, append(synced[:len(synced):len(synced)], tail(whole[len(synced):], length)...))
					h := quick(o)
					for _, other := range holds(t, what, h, ids) {
						if other.ID != torn || other.Made {
							t.Fatalf("%s: there is %+v", what, other)
						}
					}
					next := record(t, h, numbered(2))
					holds(t, what, quick(o), append(slices.Clone(ids), next))
					if len(segmentsIn(t, o.Dir)) != 1 {
						t.Fatalf("%s: another segment was begun", what)
					}
				}
			})
		}
	})
}

// TestFlipped: a byte that is another costs the change that it belongs to, at
// most, and is never given as a content.
func TestFlipped(t *testing.T) {
	const count = 2
	masks := []byte{0x11}
	if long() {
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
		for at := range whole {
			for _, mask := range masks {
				damaged := bytes.Clone(whole)
				damaged[at] ^= mask
				overwrite(t, name, damaged)
				checkFlipped(t, fmt.Sprintf("byte %d ^ %#x", at, mask), quick(o), ids, slices.IndexFunc(ends, func(end int) bool { return at < end })-1)
			}
		}
		overwrite(t, name, whole)
		holds(t, "whole again", h, ids)
	})
}

// checkFlipped looks at all changes but the one that was hit; -1: none was.
func checkFlipped(t *testing.T, what string, h *History, ids []string, hit int) {
	t.Helper()
	found := map[string]Change{}
	for _, c := range all(t, h) {
		found[c.ID] = c
	}
	for i, id := range ids {
		c, there := found[id]
		if !there && i == hit {
			continue
		}
		if !there || !c.Made && i != hit {
			t.Fatalf("%s: change %d is %+v, %v", what, i, c, there)
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

// TestDamageCounts: a hole costs what it hits, however large, and is counted.
func TestDamageCounts(t *testing.T) {
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

// TestNotWritten: a content that a record names, but that the disk does not have,
// is written again with the next change that has it.
func TestNotWritten(t *testing.T) {
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
			t.Error("a damaged content is given")
		}
		if got := bytesOf(t, h, changes[1]); !slices.Equal(got, []string{text, "short"}) {
			t.Errorf("%.60q", got)
		}
	})
}

// TestExchanged: frames do not count in another place, nor in another segment.
func TestExchanged(t *testing.T) {
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

// TestCutByOthers: what another process takes away again is noticed, also when
// something else is in its place.
func TestCutByOthers(t *testing.T) {
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
