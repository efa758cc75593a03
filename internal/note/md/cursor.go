package md

// cursor is a position in a line, with its column. A tab reaches to the next multiple of four columns and may be consumed
// in part.
type cursor struct {
	pos, col int
	carry    int // columns of the tab before pos that are not consumed yet
	box      int // columns of the checkbox just skipped, which do not count as indentation
}

// indent returns the width of the white space at the cursor and where it ends.
func (c *cursor) indent(src []byte, end int) (width, first int) {
	width, first = c.carry, c.pos
	for col := c.col; first < end; first++ {
		step := 1
		if src[first] == '\t' {
			step = 4 - col%4
		} else if src[first] != ' ' {
			break
		}
		col += step
		width += step
	}
	return width, first
}

// consume moves past columns of white space.
func (c *cursor) consume(src []byte, end, columns int) {
	for columns > 0 {
		if c.carry > 0 {
			used := min(columns, c.carry)
			c.carry -= used
			columns -= used
			continue
		}
		if c.pos == end {
			return
		}
		switch src[c.pos] {
		case ' ':
			c.col++
			columns--
		case '\t':
			step := 4 - c.col%4
			c.col += step
			if step > columns {
				c.carry = step - columns
			}
			columns -= min(columns, step)
		default:
			return
		}
		c.pos++
	}
}

// skip moves past bytes that are one column wide.
func (c *cursor) skip(bytes int) {
	c.pos += bytes
	c.col += bytes
}

// jump moves to first, behind white space of the given width.
func (c *cursor) jump(first, width int) {
	c.col += width - c.carry
	c.pos, c.carry = first, 0
}

// skipQuoteMark moves past a > and the space that may follow it.
func (c *cursor) skipQuoteMark(src []byte, end int) {
	c.skip(1)
	c.consume(src, end, 1)
}
