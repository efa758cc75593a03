package text

import "encoding/binary"

// An encoded run starts with a header: some numbers, then the end offset of each section.

// encodeSections returns the header and the sections as consecutive parts. A section may itself consist of several parts.
func encodeSections(numbers []uint32, sections ...[][]byte) [][]byte {
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

// onePart returns a section that consists of a single part.
func onePart(part []byte) [][]byte { return [][]byte{part} }

// decodeSections reads what encodeSections wrote and reports whether the data is complete.
func decodeSections(data []byte, numbers []*uint32, sections ...*[]byte) bool {
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

// word returns the nth 32-bit number in data.
func word(data []byte, n int) uint32 { return binary.LittleEndian.Uint32(data[4*n:]) }
