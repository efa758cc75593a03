package text

// postings walks through the documents of one term.
type postings struct {
	list  []byte
	doc   int // the document it stands at
	count int // places in its text
	mask  uint8
}

func newPostings(list []byte) postings { return postings{list: list, doc: -1} }

// next goes to the next document.
func (p *postings) next() bool {
	if len(p.list) == 0 {
		return false
	}
	head := p.uvarint()
	p.doc += int(head >> 1)
	if head&1 == 0 {
		p.count, p.mask = 1, 0
		return true
	}
	more := p.uvarint()
	p.count, p.mask = int(more>>4), uint8(more&15)
	return true
}

// uvarint reads a number; one byte is the common case.
func (p *postings) uvarint() uint64 {
	if c := p.list[0]; c < 0x80 {
		p.list = p.list[1:]
		return uint64(c)
	}
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

// placeReader walks through the places of one term, in step with postings.
type placeReader struct{ list []byte }

// skip leaves out some places.
func (r *placeReader) skip(count int) {
	i := 0
	for ; count > 0 && i < len(r.list); i++ {
		if r.list[i] < 0x80 {
			count--
		}
	}
	r.list = r.list[i:]
}

// take reads the places of one document.
func (r *placeReader) take(count int, into []int) []int {
	at := 0
	for range count {
		delta, size := longUvarint(r.list)
		r.list = r.list[size:]
		at += int(delta)
		into = append(into, at)
	}
	return into
}
