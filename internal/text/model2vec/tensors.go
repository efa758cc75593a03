package model2vec

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// tensor is a table of numbers in a safetensors file.
type tensor struct {
	Kind    string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`

	data []byte
}

// kindSizes are the bytes of one number.
var kindSizes = map[string]int{"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I8": 1, "I32": 4, "I64": 8}

// longestHeader is the most bytes that the description of the tensors may have.
const longestHeader = 1 << 20

// readTensors finds the tensors of a safetensors file in place: the length of a JSON header, the header, the numbers.
func readTensors(data []byte) (map[string]tensor, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("model.safetensors has only %d bytes", len(data))
	}
	length := binary.LittleEndian.Uint64(data)
	if length > longestHeader || length > uint64(len(data)-8) {
		return nil, fmt.Errorf("model.safetensors is not a safetensors file: its header would have %d bytes", length)
	}
	header, data := data[8:8+length], data[8+length:]
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(header, &raw); err != nil {
		return nil, fmt.Errorf("the header of model.safetensors: %w", err)
	}
	tensors := map[string]tensor{}
	for name, description := range raw {
		if name == "__metadata__" {
			continue
		}
		var t tensor
		if err := json.Unmarshal(description, &t); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", name, err)
		}
		from, to := t.Offsets[0], t.Offsets[1]
		if from > to || to > uint64(len(data)) {
			return nil, fmt.Errorf("tensor %s: bytes %d to %d are not in the file", name, from, to)
		}
		t.data = data[from:to]
		if size := kindSizes[t.Kind]; size > 0 && !t.fits(size) {
			return nil, fmt.Errorf("tensor %s: %d bytes for the shape %v", name, len(t.data), t.Shape)
		}
		tensors[name] = t
	}
	return tensors, nil
}

// fits reports whether the data has as many numbers as the shape says.
func (t tensor) fits(size int) bool {
	for _, n := range t.Shape {
		if n < 0 || n > 0 && size > math.MaxInt/n {
			return false
		}
		size *= n
	}
	return size == len(t.data)
}

// numbers returns all numbers of a tensor.
func (t tensor) numbers() ([]float32, error) {
	size := kindSizes[t.Kind]
	if size == 0 {
		return nil, fmt.Errorf("numbers of the kind %s are not supported", t.Kind)
	}
	all := make([]float32, len(t.data)/size)
	for i := range all {
		all[i] = t.number(i)
	}
	return all, nil
}

// number returns one number.
func (t tensor) number(i int) float32 {
	switch t.Kind {
	case "F64":
		return float32(math.Float64frombits(binary.LittleEndian.Uint64(t.data[8*i:])))
	case "F32":
		return math.Float32frombits(binary.LittleEndian.Uint32(t.data[4*i:]))
	case "F16":
		return half(binary.LittleEndian.Uint16(t.data[2*i:]))
	case "BF16":
		return math.Float32frombits(uint32(binary.LittleEndian.Uint16(t.data[2*i:])) << 16)
	case "I8":
		return float32(int8(t.data[i]))
	case "I32":
		return float32(int32(binary.LittleEndian.Uint32(t.data[4*i:])))
	default: // I64
		return float32(int64(binary.LittleEndian.Uint64(t.data[8*i:])))
	}
}

// addRow adds a row of numbers, multiplied by a weight. It is number for all of a row, without asking for the kind each time.
func (t tensor) addRow(row, length int, weight float32, into []float32) {
	size := kindSizes[t.Kind]
	data := t.data[row*length*size : (row+1)*length*size]
	into = into[:length]
	switch t.Kind {
	case "F32":
		for i := range into {
			into[i] += weight * math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
	case "I8":
		for i := range into {
			into[i] += weight * float32(int8(data[i]))
		}
	default:
		for i := range into {
			into[i] += weight * t.number(row*length+i)
		}
	}
}

// half widens a number of 16 bits: one of sign, five of exponent, ten of fraction.
func half(bits uint16) float32 {
	sign, exponent, fraction := uint32(bits>>15)<<31, uint32(bits>>10&31), uint32(bits&1023)
	switch exponent {
	case 0: // a fraction of the smallest power
		value := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(value) | sign)
	case 31: // infinite, or not a number
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
