package text

// postings iterates over the documents of a term.
type postings struct {
	list  []byte
	doc   int // the current document
	count int // number of positions in its text
	mask  uint8
}

func newPostings(list []byte) postings { return postings{list: list, doc: -1} }

// next advances to the next document. Most take a byte or two.
func (p *postings) next() bool {
	if len(p.list) == 0 {
		return false
	}
	head := uint64(p.list[0])
	if head >= 0x80 {
		head = p.long()
	} else {
		p.list = p.list[1:]
	}
	p.doc += int(head >> 1)
	p.count, p.mask = 1, 0
	if head&1 != 0 {
		p.more()
	}
	return true
}

func (p *postings) more() {
	more := p.long()
	p.count, p.mask = int(more>>4), uint8(more&15)
}

func (p *postings) long() uint64 {
	value, size := longUvarint(p.list)
	p.list = p.list[size:]
	return value
}

func longUvarint(list []byte) (value uint64, size int) {
	for shift := 0; size < len(list); shift += 7 {
		c := list[size]
		size++
		value |= uint64(c&0x7f) << shift
		if c < 0x80 {
			break
		}
	}
	return value, size
}

// positionReader iterates over the positions of a term, in step with postings.
type positionReader struct{ list []byte }

// skip skips some positions.
func (r *positionReader) skip(count int) {
	i := 0
	for ; count > 0 && i < len(r.list); i++ {
		if r.list[i] < 0x80 {
			count--
		}
	}
	r.list = r.list[i:]
}

// take reads the positions of a document. Most take two bytes.
func (r *positionReader) take(count int, into []int32) []int32 {
	at, list := int32(0), r.list
	for range count {
		switch {
		case len(list) > 0 && list[0] < 0x80:
			at += int32(list[0])
			list = list[1:]
		case len(list) > 1 && list[1] < 0x80:
			at += int32(list[0]&0x7f) | int32(list[1])<<7
			list = list[2:]
		default:
			delta, size := longUvarint(list)
			list = list[size:]
			at += int32(delta)
		}
		into = append(into, at)
	}
	r.list = list
	return into
}
