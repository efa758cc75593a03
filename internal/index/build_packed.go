package index

import (
	"context"
	"runtime/debug"
	"sync"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/text/pack"
)

// packedSegments are the segments of an index that stays in memory, with packed texts. Each is completed, with its words, before
// the next one is begun. Small segments are merged, because every segment has a dictionary of its own.
type packedSegments struct {
	sink   *Memory
	packer *pack.Packer // nil after the last document
	book   *pack.Book   // the packer's
	words  text.Words
	room   int             // bytes of text that a new segment has room for
	all    []packedSegment // in the sink: a section of texts and one of words for each
	total  int             // bytes of all texts
}

// packedSegment is a segment in the sink.
type packedSegment struct {
	size  int // bytes of its texts
	level int // how many times it was merged
}

const (
	packedRoom     = 768 << 10 // bytes of text in a segment before it is merged
	mergedTogether = 4         // how many segments are merged into one
	largeBuild     = 8 << 20   // bytes of text from which freeing memory before the last merges is worth its time
)

func newPackedSegments(sink *Memory) *packedSegments {
	packer := pack.NewPacker()
	return &packedSegments{sink: sink, packer: packer, book: packer.Book(), room: packedRoom}
}

// add puts the documents of an open segment into the sink.
func (p *packedSegments) add(segment *openSegment) error {
	var words [][]byte
	var reading sync.WaitGroup
	reading.Go(func() {
		readWords(context.Background(), &p.words, segment.docs.Segment(), segment.paths)
		words = p.words.Encode()
	})
	p.sink.add(segment.docs.EncodePacked(p.packer))
	reading.Wait()
	p.sink.add(words)
	p.all = append(p.all, packedSegment{size: segment.docs.Size()})
	p.total += segment.docs.Size()
	for p.canMerge() {
		if isMerged, err := p.merge(len(p.all)-mergedTogether, mergedTogether); !isMerged || err != nil {
			return err
		}
	}
	return nil
}

// canMerge reports whether the last segments should be merged.
func (p *packedSegments) canMerge() bool {
	if len(p.all) < mergedTogether {
		return false
	}
	last := p.all[len(p.all)-mergedTogether:]
	size := 0
	for _, segment := range last {
		if segment.level != last[0].level {
			return false
		}
		size += segment.size
	}
	return last[0].level == 0 || size <= p.most()
}

// most is how large a segment may become. Merging needs the memory of the segments a second time.
func (p *packedSegments) most() int { return p.total / 4 }

// finish merges adjacent segments after the last document was added.
func (p *packedSegments) finish() error {
	p.words, p.packer = text.Words{}, nil
	if p.total >= largeBuild {
		debug.FreeOSMemory()
	}
	for first := 0; first < len(p.all); first++ {
		count, size := 0, 0
		for first+count < len(p.all) && size+p.all[first+count].size <= p.most() {
			size += p.all[first+count].size
			count++
		}
		if count < 2 {
			continue
		}
		if _, err := p.merge(first, count); err != nil {
			return err
		}
	}
	return nil
}

// merge merges adjacent segments. It returns false if they do not fit into one.
func (p *packedSegments) merge(first, count int) (isMerged bool, err error) {
	segments := make([]*text.Segment, count)
	merged := packedSegment{level: p.all[first].level + 1}
	for i := range segments {
		at := 2 * (first + i)
		segments[i], err = text.OpenPacked(p.sink.sections[at], p.sink.sections[at+1], p.book, p.sink)
		if err != nil {
			return false, err
		}
		merged.size += p.all[first+i].size
	}
	texts, words, err := text.Merge(context.Background(), segments)
	if texts == nil || err != nil {
		return false, err
	}
	p.sink.replace(2*first, 2*(first+count), texts, words)
	p.all[first] = merged
	p.all = append(p.all[:first+1], p.all[first+count:]...)
	return true, nil
}

// sections returns the texts and the words of all segments.
func (p *packedSegments) sections() (texts, words [][]byte) {
	texts, words = make([][]byte, len(p.all)), make([][]byte, len(p.all))
	for i := range texts {
		texts[i], words[i] = p.sink.sections[2*i], p.sink.sections[2*i+1]
	}
	return texts, words
}
