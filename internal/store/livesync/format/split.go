package format

import "iter"

// SplitRule says how large the pieces of a file are. Devices share chunks only if they split files at the same places.
type SplitRule struct {
	CustomChunkSize  float64 // enlarges the maximum size
	MinimumChunkSize int
}

// sizes are the bounds of a file's pieces, in bytes.
type sizes struct{ least, average, most int }

const (
	smallFile = 4 << 20
	window    = 48 // bytes covered by the rolling hash
	base      = 31
)

// leaving is base to the power of window-1: the weight of the byte that leaves the window.
var leaving = func() int32 {
	power := int32(1)
	for range window - 1 {
		power *= base
	}
	return power
}()

// Split cuts content where a rolling hash of the bytes says so. It never cuts text within a character.
func (r SplitRule) Split(name string, content []byte) iter.Seq[[]byte] {
	return r.sizes(IsText(name), len(content)).split(IsText(name), content)
}

func (s sizes) split(text bool, content []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		start, hash := 0, int32(0)
		for pos, next := range content {
			if pos >= start+window {
				hash -= int32(content[pos-window]) * leaving
			}
			hash = hash*base + int32(next)
			if !s.border(pos-start+1, hash) || text && insideCharacter(content, pos+1) {
				continue
			}
			if !yield(content[start : pos+1]) {
				return
			}
			start = pos + 1
		}
		if start < len(content) {
			yield(content[start:])
		}
	}
}

// sizes depend on the length of the whole file.
func (r SplitRule) sizes(text bool, length int) sizes {
	bounds := sizes{least: 256 << 10, average: 1 << 20, most: 4 << 20}
	if text && length < smallFile {
		unit := 64
		for float64(length)/float64(unit*4) > 500 {
			unit += 32
		}
		bounds = sizes{least: 2 * unit, average: 4 * unit, most: 16 * unit}
	}
	largest := max(int(102400*(r.CustomChunkSize+1)), 30720)
	bounds.most = min(bounds.most, largest)
	bounds.least = min(max(bounds.least, r.MinimumChunkSize), bounds.most)
	bounds.average = min(max(bounds.average, bounds.least), bounds.most)
	return bounds
}

func (s sizes) border(length int, hash int32) bool {
	return length >= s.most || length >= s.least && uint32(hash)%uint32(s.average) == 1
}

func insideCharacter(content []byte, at int) bool {
	return at < len(content) && content[at]&0xc0 == 0x80
}
