package regex

import "unicode/utf8"

// columns group bytes: bytes that lead from every state to the same state are in the same column. The first 256
// entries are for bytes by themselves.
//
// If a look asks about characters outside of ASCII, their bytes have a column for each kind of neighbor, and a byte
// by itself has a column that says that the character must be decoded.
type columns struct {
	of     [256]uint16
	count  int
	decode bool
	wide   [256]uint16 // if decode: the column of a byte as besideOther
	bytes  []byte      // column -> one of its bytes
	beside []neighbor  // column -> the kind of neighbor that its bytes are
}

func newColumns(p *program) columns {
	var cuts [257]bool
	c := columns{}
	cut := func(lo, hi byte) { cuts[lo], cuts[int(hi)+1] = true, true }
	cut('\n', '\n')
	seen := map[*shape]bool{}
	for _, in := range p.code {
		if in.op == opLook {
			c.decode = c.decode || in.look.needsDecoding()
		}
		if in.op != opRead || seen[in.shape] {
			continue
		}
		seen[in.shape] = true
		for _, node := range in.shape.nodes {
			for _, e := range node {
				cut(e.lo, e.hi)
			}
		}
	}
	if p.looks {
		cut('\r', '\r')
		cut(utf8.RuneSelf, 0xff)
		for _, s := range asciiWord {
			cut(byte(s.lo), byte(s.hi))
		}
	}
	if c.decode {
		prepareWords()
	}
	c.assign(&cuts, p.looks)
	return c
}

// assign numbers the columns.
func (c *columns) assign(cuts *[257]bool, looks bool) {
	for b := range 256 {
		wide := c.decode && b >= utf8.RuneSelf
		if b == 0 || cuts[b] {
			kind := besideOther
			if looks && b < utf8.RuneSelf {
				kind = besideByte(byte(b))
			} else if b == '\n' {
				kind = besideEdge
			}
			c.add(byte(b), kind)
			if wide {
				for kind := range neighbors - 1 {
					c.add(byte(b), kind+1)
				}
			}
		}
		c.of[b] = uint16(c.count - 1)
		if wide {
			c.wide[b] = uint16(c.count) - uint16(neighbors)
		}
	}
	if !c.decode {
		return
	}
	c.add(utf8.RuneSelf, besideOther)
	for b := utf8.RuneSelf; b < 256; b++ {
		c.of[b] = uint16(c.count - 1)
	}
}

func (c *columns) add(b byte, kind neighbor) {
	c.bytes = append(c.bytes, b)
	c.beside = append(c.beside, kind)
	c.count++
}

// decodeColumn returns the column of bytes whose character must be decoded, or -1.
func (c *columns) decodeColumn() int {
	if c.decode {
		return c.count - 1
	}
	return -1
}
