package pdf

import (
	"bytes"
	"compress/flate"
	"io"
)

// decode unpacks a stream. What cannot be unpacked, such as a picture, gives nothing; of damaged data, the beginning is
// returned.
func (f *file) decode(found *stream) []byte {
	data := found.raw
	if f.crypt != nil && found.dict["Type"] != name("XRef") {
		data = f.crypt.decrypt(data, found.of)
	}
	filters, parameters := f.list(found.dict, "Filter", "F"), f.list(found.dict, "DecodeParms", "DP")
	for i, filter := range filters {
		var options dict
		if i < len(parameters) {
			options = f.dict(parameters[i])
		}
		if i >= 8 {
			return nil
		}
		switch f.resolve(filter) {
		case name("FlateDecode"), name("Fl"):
			data = f.predict(f.inflate(data), options)
		case name("LZWDecode"), name("LZW"):
			data = f.predict(f.expandLZW(data, f.number(options["EarlyChange"], 1) != 0), options)
		case name("ASCII85Decode"), name("A85"):
			data = f.ascii85(data)
		case name("ASCIIHexDecode"), name("AHx"):
			if end := bytes.IndexByte(data, '>'); end >= 0 {
				data = data[:end]
			}
			data = unhex(data)
		case name("RunLengthDecode"), name("RL"):
			data = f.runLength(data)
		case name("Crypt"):
		default:
			return nil
		}
	}
	return data
}

// list returns an entry that is either one object or an array of them.
func (f *file) list(entries dict, key, short name) array {
	value := f.resolve(entries[key])
	if value == nil {
		value = f.resolve(entries[short])
	}
	switch value := value.(type) {
	case nil:
		return nil
	case array:
		return value
	}
	return array{value}
}

func (f *file) inflate(data []byte) []byte {
	if len(data) < 2 {
		return nil
	}
	decoded := f.readAll(flate.NewReader(bytes.NewReader(data[2:]))) // without looking at the header and the checksum
	if len(decoded) == 0 {
		decoded = f.readAll(flate.NewReader(bytes.NewReader(data)))
	}
	return decoded
}

// readAll reads until the end, an error, or the end of the budget.
func (f *file) readAll(reader io.Reader) []byte {
	var decoded []byte
	buffer := make([]byte, 32<<10)
	for {
		n, err := reader.Read(buffer)
		if !f.spent.keep(n) {
			return nil
		}
		decoded = append(decoded, buffer[:n]...)
		if err != nil {
			return decoded
		}
	}
}

// expandLZW unpacks LZW data, whose codes grow from 9 to 12 bits.
func (f *file) expandLZW(data []byte, early bool) []byte {
	const reset, end = 256, 257
	var prefix [4096]uint16
	var suffix, first [4096]byte
	var length [4096]int
	for i := range 256 {
		suffix[i], first[i], length[i] = byte(i), byte(i), 1
	}
	var decoded []byte
	next, width, previous := 258, 9, -1
	bits, count := uint32(0), 0
	for _, b := range data {
		bits, count = bits<<8|uint32(b), count+8
		if count < width {
			continue
		}
		count -= width
		code := int(bits >> count & (1<<width - 1))
		if code == end || !f.spent.step() {
			return decoded
		}
		if code == reset {
			next, width, previous = 258, 9, -1
			continue
		}
		switch {
		case previous < 0:
			if code > 255 {
				return decoded
			}
		case code > next || code == next && next >= 4096:
			return decoded
		case next < 4096:
			prefix[next], first[next], length[next] = uint16(previous), first[previous], length[previous]+1
			suffix[next] = first[previous]
			if code < next {
				suffix[next] = first[code]
			}
			next++
		}
		start := len(decoded)
		if !f.spent.keep(length[code]) {
			return nil
		}
		decoded = append(decoded, make([]byte, length[code])...)
		for at, from := len(decoded)-1, code; at >= start; at-- {
			decoded[at] = suffix[from]
			from = int(prefix[from])
		}
		previous = code
		grow := next
		if early {
			grow++
		}
		for width < 12 && grow >= 1<<width {
			width++
		}
	}
	return decoded
}

func (f *file) ascii85(data []byte) []byte {
	if end := bytes.Index(data, []byte("~>")); end >= 0 {
		data = data[:end]
	}
	if !f.spent.keep(len(data)) {
		return nil
	}
	var decoded []byte
	group, count := uint32(0), 0
	for _, c := range data {
		switch {
		case c == 'z' && count == 0:
			decoded = append(decoded, 0, 0, 0, 0)
		case c >= '!' && c <= 'u':
			group, count = group*85+uint32(c-'!'), count+1
			if count == 5 {
				decoded = append(decoded, byte(group>>24), byte(group>>16), byte(group>>8), byte(group))
				group, count = 0, 0
			}
		}
	}
	if count > 1 {
		for range 5 - count {
			group = group*85 + 84
		}
		decoded = append(decoded, []byte{byte(group >> 24), byte(group >> 16), byte(group >> 8)}[:count-1]...)
	}
	return decoded
}

func (f *file) runLength(data []byte) []byte {
	var decoded []byte
	for len(data) > 1 && data[0] != 128 && f.spent.step() {
		length := int(data[0]) + 1
		if data[0] < 128 {
			length = min(length, len(data)-1)
			decoded = append(decoded, data[1:1+length]...)
			data = data[1+length:]
		} else {
			length = 257 - int(data[0])
			decoded = append(decoded, bytes.Repeat(data[1:2], length)...)
			data = data[2:]
		}
		f.spent.keep(length)
	}
	return decoded
}

// predict undoes the differences that some writers take between neighbouring bytes before they compress.
func (f *file) predict(data []byte, options dict) []byte {
	predictor := int(f.number(options["Predictor"], 1))
	colours, depth, columns := f.number(options["Colors"], 1), f.number(options["BitsPerComponent"], 8), f.number(options["Columns"], 1)
	if predictor < 2 || colours < 1 || colours > 64 || depth < 1 || depth > 16 || columns < 1 || columns > 1<<24 {
		return data
	}
	pixel := max(1, int(colours*depth)/8)
	row := (int(colours*depth*columns) + 7) / 8
	if predictor == 2 {
		if depth == 8 {
			for start := 0; start < len(data); start += row {
				for i := start + pixel; i < min(start+row, len(data)); i++ {
					data[i] += data[i-pixel]
				}
			}
		}
		return data
	}
	return unpredictPNG(data, row, pixel)
}

// unpredictPNG undoes PNG's filters, in place. Each row begins with the number of its filter.
func unpredictPNG(data []byte, row, pixel int) []byte {
	above := make([]byte, min(row, len(data)))
	out := data[:0]
	for len(data) > 1 {
		filter, line := data[0], data[1:min(1+row, len(data))]
		data = data[1+len(line):]
		for i := range line {
			var left, corner byte
			if i >= pixel {
				left, corner = line[i-pixel], above[i-pixel]
			}
			switch filter {
			case 1:
				line[i] += left
			case 2:
				line[i] += above[i]
			case 3:
				line[i] += byte((int(left) + int(above[i])) / 2)
			case 4:
				line[i] += paeth(left, above[i], corner)
			}
		}
		copy(above, line)
		out = append(out, line...)
	}
	return out
}

func paeth(left, above, corner byte) byte {
	distance := func(to byte) int {
		return max(int(left)+int(above)-int(corner)-int(to), int(to)-int(left)-int(above)+int(corner))
	}
	switch {
	case distance(left) <= distance(above) && distance(left) <= distance(corner):
		return left
	case distance(above) <= distance(corner):
		return above
	}
	return corner
}
