package text

import "encoding/binary"

// A run of bytes begins with some numbers, and says then where each of its sections ends.

// joined encodes numbers and sections, each of which is a list of parts, as consecutive parts.
func joined(numbers []uint32, sections ...[][]byte) [][]byte {
	head := uint32s(numbers)
	all := [][]byte{nil}
	end := 0
	for _, section := range sections {
		for _, part := range section {
			end += len(part)
		}
		head = binary.LittleEndian.AppendUint32(head, uint32(end))
		all = append(all, section...)
	}
	all[0] = head
	return all
}

// one is a section of a single part.
func one(part []byte) [][]byte { return [][]byte{part} }

// parted reads what joined made. It reports whether the bytes are complete.
func parted(data []byte, numbers []*uint32, sections ...*[]byte) bool {
	head := 4 * (len(numbers) + len(sections))
	if len(data) < head {
		return false
	}
	for i, number := range numbers {
		*number = word(data, i)
	}
	body, from := data[head:], uint32(0)
	for i, section := range sections {
		end := word(data, len(numbers)+i)
		if end < from || uint64(end) > uint64(len(body)) {
			return false
		}
		*section = body[from:end:end]
		from = end
	}
	return true
}

func uint32s(values []uint32) []byte {
	out := make([]byte, 0, 4*len(values))
	for _, value := range values {
		out = binary.LittleEndian.AppendUint32(out, value)
	}
	return out
}

// word returns the nth 32-bit number.
func word(data []byte, n int) uint32 { return binary.LittleEndian.Uint32(data[4*n:]) }
