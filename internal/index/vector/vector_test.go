package vector

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/text/meaning"
)

// usual is how many numbers the vectors of the built-in model have. The others are filled up, or have their distances halved.
const usual = 256

var severalDimensions = []int{usual, 64, 384, 1000, 3072}

// randomVectors are vectors of length one.
func randomVectors(count, dimensions int) []meaning.Vector {
	random := mode.Rand(7)
	vectors := make([]meaning.Vector, count)
	for i := range vectors {
		vectors[i] = make(meaning.Vector, dimensions)
		for dimension := range vectors[i] {
			vectors[i][dimension] = float32(random.NormFloat64())
		}
		vectors[i].Unit()
	}
	return vectors
}

func same(a, b Block) bool {
	return slices.Equal(a.signs(), b.signs()) && slices.Equal(a.rest(), b.rest())
}

func dot(a, b meaning.Vector) float64 {
	sum := 0.0
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// A block keeps vectors almost as they were, and a score is the product of the question and the kept vector.
func TestBlocksKeepVectors(t *testing.T) {
	t.Parallel()
	for _, dimensions := range severalDimensions {
		blockKeepsVectors(t, dimensions)
	}
}

func blockKeepsVectors(t *testing.T, dimensions int) {
	t.Helper()
	vectors := randomVectors(50, dimensions)
	clear(vectors[3]) // of a text without words
	starts := make([]int, len(vectors))
	for i := range starts {
		starts[i] = i * 100
	}
	block := encode(starts, vectors)
	if block.Len() != len(vectors) {
		t.Fatalf("%d passages, want %d", block.Len(), len(vectors))
	}
	if size := block.Size() / len(vectors); dimensions == usual && size > 104 { // 0.4 of a text in memory
		t.Errorf("a passage takes %d bytes", size)
	}
	if size := unsafe.Sizeof(block); size > 16 { // every note has one, and every snapshot refers to it
		t.Errorf("what the heap has of a note takes %d bytes", size)
	}
	question := randomVectors(51, dimensions)[50]
	q := NewQuery(question)
	for i := range vectors {
		kept := block.vector(i)
		if likeness := dot(kept, vectors[i]); i != 3 && likeness < 0.96 {
			t.Errorf("passage %d: cosine %f of what was kept", i, likeness)
		}
		if got, want := float64(q.score(block, i)), dot(question, kept); math.Abs(got-want) > 1e-5 {
			t.Errorf("passage %d: score %f, want %f", i, got, want)
		}
		if block.start(i) != starts[i] {
			t.Errorf("passage %d begins at %d", i, block.start(i))
		}
	}
}

// Numbers are rounded so that the vector keeps its direction as well as three bits allow, also if a few numbers are much larger than
// the others.
func TestRounding(t *testing.T) {
	t.Parallel()
	for large, least := range map[float32]float64{1: 0.97, 3: 0.92, 20: 0.93, 1000: 0.99} {
		v := randomVectors(1, usual)[0]
		v[100] *= large
		v[200] *= -large
		v.Unit()
		block := encode([]int{0}, []meaning.Vector{v})
		kept := block.vector(0)
		if product := dot(kept, v); math.Abs(product-1) > 1e-5 {
			t.Errorf("%g times: the product with what was kept is %f, want 1", large, product)
		}
		if likeness := dot(kept, v) / math.Sqrt(dot(kept, kept)); likeness < least {
			t.Errorf("%g times: cosine %f of what was kept, want %f", large, likeness, least)
		}
	}
	for _, unknown := range []meaning.Vector{make(meaning.Vector, usual), {float32(math.NaN()), 1}} {
		if kept := encode([]int{0}, []meaning.Vector{unknown}).vector(0); slices.ContainsFunc(kept, func(x float32) bool { return x != 0 }) {
			t.Errorf("a vector without a direction became %v", kept)
		}
	}
}

// A key stands for a title and a text, and for nothing else.
func TestKeys(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a long title ", 20)
	keys := map[Key]bool{{}: true}
	for _, title := range []string{"", "a", "b", long, long + "b"} {
		for _, text := range [][16]byte{{}, {'a'}, {15: 'a'}} {
			key := KeyOf(title, text)
			if keys[key] {
				t.Errorf("%.20q and %v have the key of another note", title, text)
			}
			if keys[key] = true; key != KeyOf(title, text) {
				t.Errorf("%.20q and %v have two keys", title, text)
			}
		}
	}
}

// The closest notes are those that comparing everything finds, whatever blocks lie between them.
func TestClosest(t *testing.T) {
	t.Parallel()
	vectors := randomVectors(1_000, usual)
	blocks := make([]Block, 301)
	for i := range 300 {
		if i%7 != 0 {
			blocks[i] = encode([]int{0, 10, 20}, vectors[3*i:3*i+3])
		}
	}
	for round := range 20 {
		question := vectors[999-round]
		q := NewQuery(question)
		var want []Hit
		for note, block := range blocks {
			best := Hit{Note: note, Score: -2}
			for i := range block.Len() {
				if score := q.score(block, i); score > best.Score {
					best.Score, best.Start = score, block.start(i)
				}
			}
			if best.Score >= 0.05 {
				want = append(want, best)
			}
		}
		slices.SortFunc(want, func(a, b Hit) int { return int(math.Copysign(1, float64(b.Score-a.Score))) })
		if got := q.Closest(blocks, 10, 0.05, cmp.Compare[int]); !slices.Equal(got, want[:10]) {
			t.Fatalf("%v, want %v", got, want[:10])
		}
	}
	if got := NewQuery(vectors[0]).Closest(nil, 10, 0, cmp.Compare[int]); len(got) != 0 {
		t.Errorf("among no notes: %v", got)
	}
}

// Most passages are compared by their signs only. With more than are compared further, the closest are still found.
func TestSignsFindTheClosest(t *testing.T) {
	t.Parallel()
	vectors := randomVectors(2*compared+100, usual)
	question := vectors[0]
	for i := range 50 { // passages that are ever less like the question
		near := vectors[100+i]
		for dimension := range near {
			near[dimension] = question[dimension] + near[dimension]*(0.2+float32(i)/20)
		}
		near.Unit()
		vectors[100+i] = near
	}
	blocks := make([]Block, len(vectors))
	for i := range vectors {
		blocks[i] = encode([]int{0}, vectors[i:i+1])
	}
	hits := NewQuery(question).Closest(blocks, 51, -1, cmp.Compare[int])
	if hits[0].Note != 0 {
		t.Errorf("the closest is %d, want the question itself", hits[0].Note)
	}
	missing := 0
	for i := range 20 {
		if !slices.ContainsFunc(hits, func(hit Hit) bool { return hit.Note == 100+i }) {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("%d of the 20 closest are not found", missing)
	}
}

// The fast form of counting signs gives the same numbers as the portable one, and distances of any vectors fit into a byte.
func TestDistances(t *testing.T) {
	t.Parallel()
	for _, dimensions := range severalDimensions {
		vectors := randomVectors(100, dimensions)
		signs := encode(make([]int, len(vectors)), vectors).signs()
		for i := range vectors {
			q := NewQuery(vectors[i])
			fast, portable := make([]uint8, len(vectors)), make([]uint8, len(vectors))
			q.distances(signs, fast)
			q.distancesEach(signs, portable)
			if !slices.Equal(fast, portable) || fast[i] > 40 {
				t.Fatalf("%v, want %v", fast, portable)
			}
		}
		opposite := NewQuery(vectors[0])
		for i, bits := range opposite.signs {
			opposite.signs[i] = ^bits
		}
		far := make([]uint8, 1)
		if opposite.distances(signs[:opposite.width], far); far[0] < 3*uint8(min(dimensions, 255)/5) {
			t.Errorf("%d signs differ by %d", dimensions, far[0])
		}
	}
}

// A note whose vectors another model made is not compared, and a store keeps the vectors of one model only.
func TestOtherModelsAreLeftOut(t *testing.T) {
	t.Parallel()
	ours, theirs := encode([]int{0}, randomVectors(1, usual)), encode([]int{0}, randomVectors(1, 768))
	hits := NewQuery(randomVectors(1, usual)[0]).Closest([]Block{theirs, ours}, 2, -1, cmp.Compare[int])
	if len(hits) != 1 || hits[0].Note != 1 {
		t.Errorf("found %v", hits)
	}
	s := NewStore(nil)
	keys := []Key{{1}, {2}}
	s.Add(keys[0], theirs)
	s.Add(keys[1], Block{}) // says nothing about the model
	if blocks, _ := s.Get(keys); blocks[0] != theirs || blocks[1].Len() != 0 {
		t.Error("an empty block changes the store")
	}
	sink := new(memory)
	if err := s.Save(keys, sink); err != nil {
		t.Fatal(err)
	}
	s.Add(keys[1], ours)
	late := NewStore(nil)
	late.Add(keys[1], ours)
	if err := late.Open(sink.sections, sink); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{s, late} {
		if blocks, _ := s.Get(keys); blocks[0].Len() != 0 || blocks[1].Len() != 1 {
			t.Errorf("%d and %d passages", blocks[0].Len(), blocks[1].Len())
		}
		if unsaved, size := s.Unsaved(); unsaved != ours.Size() || size != unsaved {
			t.Errorf("%d of %d bytes are not saved", unsaved, size)
		}
	}
}

// Passages cover the whole text in order, have headings of their own, and are never long.
func TestPassagesCoverTheText(t *testing.T) {
	t.Parallel()
	lines := []string{"# One", "## Two", "", "A line of words.", "```", "# not a heading", "```", strings.Repeat("long ", 100), strings.Repeat("x", 700), "- item", "漢字を書く", "#tag", "\xff\xfe"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(lines)).Draw(t, "lines"), "\n")
		length := rapid.SampledFrom([]int{64, 300, 1_000}).Draw(t, "length")
		last := 0
		eachPassage([]byte(text), length, func(at, level int, passage []byte) {
			if at < last || level == 0 && !strings.HasPrefix(text[at:], string(passage)) {
				t.Fatalf("%q: a passage at %d, after one that ended at %d", text, at, last)
			}
			if skipped := strings.TrimSpace(text[last:at]); skipped != "" {
				t.Fatalf("%q: %q is in no passage", text, skipped)
			}
			if level == 0 && len(passage) > 2*length {
				t.Fatalf("%q: a passage of %d bytes", text, len(passage))
			}
			last = at + len(passage)
			if level > 0 {
				last = md.NextLine([]byte(text), at)
			}
		})
	})
	var headings []string
	eachPassage([]byte("# A\n\ntext\n\n## B #\n```\n# C\n```\n#D\n####### E\n"), 300, func(_, level int, passage []byte) {
		if level > 0 {
			headings = append(headings, fmt.Sprint(level, string(passage)))
		}
	})
	if want := []string{"1 A", "2 B #"}; !slices.Equal(headings, want) {
		t.Errorf("headings %q, want %q", headings, want)
	}
}

// blockOf makes the block of a note with the built-in model.
func blockOf(t *testing.T, title, text string) Block {
	t.Helper()
	blocks, err := Make(t.Context(), meaning.Builtin(), []Note{{Title: title, Text: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return blocks[0]
}

// A note that is about the question is closer than others, in another language too, and the passage that fits is the one shown.
func TestMeaningIsFound(t *testing.T) {
	t.Parallel()
	texts := []string{"The tax return is due in July.", "# Garden\n\nWorms turn kitchen waste into soil.\n\n## Tools\n\nA spade and a fork hang in the shed.", "Remove a directory with the delete key."}
	blocks := make([]Block, len(texts))
	for i, text := range texts {
		blocks[i] = blockOf(t, []string{"Money", "Garden", "Files"}[i], text)
		if again := blockOf(t, []string{"Money", "Garden", "Files"}[i], text); !same(again, blocks[i]) {
			t.Errorf("%q: not the same again", text)
		}
	}
	for question, want := range map[string]struct {
		note  int
		start string
	}{"einen Ordner löschen": {2, "Remove"}, "fork and spade in the shed": {1, "A spade"}, "compost": {1, "Worms"}, "paying the government": {0, "The tax"}} {
		v, err := meaning.Builtin().Question(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		hits := NewQuery(v).Closest(blocks, 3, -1, cmp.Compare[int])
		if len(hits) == 0 || hits[0].Note != want.note || !strings.HasPrefix(strings.TrimSpace(texts[want.note][hits[0].Start:]), want.start) {
			t.Errorf("%s: %+v, want note %d at %q", question, hits, want.note, want.start)
		}
	}
	if empty := blockOf(t, "", ""); empty.Len() != 1 || slices.Max(empty.Mean()) != 0 || slices.Min(empty.Mean()) != 0 {
		t.Error("a note without words has a direction")
	}
}

// memory is a sink that keeps sections, or fails.
type memory struct {
	sections [][]byte
	err      error
	aborted  bool
}

func (m *memory) Add(parts ...[]byte) error {
	m.sections = append(m.sections, slices.Concat(parts...))
	return m.err
}
func (m *memory) Commit() (sections [][]byte, owner any, err error) { return m.sections, m, nil }
func (m *memory) Abort()                                            { m.aborted = true }

func TestStoreIsSavedAndOpened(t *testing.T) {
	t.Parallel()
	table := meaning.Builtin()
	keys := make([]Key, 10)
	s := NewStore(table)
	for i := range keys {
		keys[i] = Key{byte(i)}
		s.Add(keys[i], blockOf(t, fmt.Sprintf("Note %d", i), "Words about the weather."))
	}
	all, generation := s.Get(keys)
	if unsaved, size := s.Unsaved(); unsaved != size || size != 10*all[0].Size() {
		t.Errorf("%d of %d bytes are not saved", unsaved, size)
	}
	refusing := &memory{err: errors.New("full")}
	if err := s.Save(keys, refusing); err == nil || !refusing.aborted || s.Generation() != generation {
		t.Errorf("a failed save: %v", err)
	}
	sink := new(memory)
	if err := s.Save(append(keys[:8:8], keys[0], Key{99}), sink); err != nil { // two notes are gone
		t.Fatal(err)
	}
	if unsaved, size := s.Unsaved(); unsaved != 0 || size != 8*all[0].Size() || s.Generation() == generation {
		t.Errorf("%d of %d bytes are not saved", unsaved, size)
	}
	opened := NewStore(table)
	opened.Add(keys[9], all[9])
	if err := opened.Open(sink.sections, sink); err != nil {
		t.Fatal(err)
	}
	blocks, _ := opened.Get(keys)
	for i, block := range blocks {
		if want := i != 8; want != (block.Len() == 1) || want && !same(block, all[i]) {
			t.Errorf("note %d: %d passages", i, block.Len())
		}
	}
	for _, sections := range [][][]byte{
		nil, {nil}, {{1}, nil, nil}, {sink.sections[0], sink.sections[1][1:], sink.sections[2]}, {sink.sections[0][:9], sink.sections[1], sink.sections[2]}, {nil, {1}, nil},
		{append(slices.Clone(sink.sections[0]), 5), sink.sections[1], sink.sections[2]}, {sink.sections[0], sink.sections[1], sink.sections[2][1:]}, {binary.AppendUvarint(nil, math.MaxUint64), nil, nil},
	} {
		if err := NewStore(table).Open(sections, nil); err == nil {
			t.Errorf("%d sections that nobody saved are opened", len(sections))
		}
	}
}

// Blocks that were added later are saved beside those that were saved before, which stay where they are.
func TestAddedBlocksAreSaved(t *testing.T) {
	t.Parallel()
	keys := make([]Key, 6)
	s := NewStore(meaning.Builtin())
	add := func(i int) {
		keys[i] = Key{byte(i)}
		s.Add(keys[i], blockOf(t, fmt.Sprintf("Note %d", i), "Words about the weather."))
	}
	for i := range 3 {
		add(i)
	}
	var first, second memory
	if err := s.SaveAdded(keys[:3], &first); err != nil {
		t.Fatal(err)
	}
	before, _ := s.Get(keys[:3])
	for i := 3; i < 6; i++ {
		add(i)
	}
	added, generation := s.Get(keys)
	if err := s.SaveAdded(keys[:3], &memory{err: errors.New("full")}); err == nil {
		t.Error("a failed save succeeds")
	}
	if err := s.SaveAdded([]Key{keys[4], keys[3], keys[4], {99}, keys[0]}, &second); err != nil {
		t.Fatal(err)
	}
	size := before[0].Size()
	if unsaved, all := s.Unsaved(); unsaved != 0 || all != 5*size || s.Generation() == generation {
		t.Errorf("%d of %d bytes are not saved", unsaved, all)
	}
	blocks, generation := s.Get(keys)
	for i, block := range blocks {
		var owner any
		switch i {
		case 5: // nobody asked for it
			if block.Len() != 0 {
				t.Error("a block that nobody needs is kept")
			}
			continue
		case 0, 1, 2:
			owner = &first
			if block != before[i] {
				t.Errorf("block %d was moved", i)
			}
		case 3, 4:
			owner = &second
		}
		if !same(block, added[i]) || block.part.owner != owner {
			t.Errorf("block %d is another one, or elsewhere", i)
		}
	}
	if len(second.sections[1]) != 2*len(blocks[3].signs()) { // one was asked for twice
		t.Errorf("%d bytes of signs were saved", len(second.sections[1]))
	}
	if err := s.SaveAdded(keys, &memory{err: errors.New("full")}); err != nil || s.Generation() != generation {
		t.Errorf("something was saved although nothing was added: %v", err)
	}
	if !s.IsCompact(keys[:3]) || s.IsCompact(keys[:2]) {
		t.Error("a store is compact if half of its blocks are used, but not if a third are")
	}
}

func BenchmarkClosest(b *testing.B) {
	vectors := randomVectors(1_000, usual)
	blocks := make([]Block, 10_000) // of 33 passages each
	for i := range blocks {
		from := (i * 31) % 960
		blocks[i] = encode(make([]int, 33), vectors[from:from+33])
	}
	store, keys := NewStore(nil), make([]Key, len(blocks))
	for i, block := range blocks {
		keys[i] = KeyOf(fmt.Sprint(i), Key{})
		store.Add(keys[i], block)
	}
	if err := store.Save(keys, new(memory)); err != nil {
		b.Fatal(err)
	}
	blocks, _ = store.Get(keys)
	q := NewQuery(vectors[999])
	for b.Loop() {
		q.Closest(blocks, 50, 0.2, cmp.Compare[int])
	}
}
