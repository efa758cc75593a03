package history

import (
	"bytes"
	"compress/flate"
	"io"
	"sync"
)

// The first byte of compressed data says how it is stored.
const (
	stored   = 0
	deflated = 1
)

var deflaters = sync.Pool{New: func() any {
	deflater, _ := flate.NewWriter(io.Discard, flate.BestSpeed) // fails for unknown levels only
	return deflater
}}

var inflaters = sync.Pool{New: func() any { return flate.NewReader(bytes.NewReader(nil)) }}

// compress makes data smaller if it can.
func compress(data []byte) []byte {
	var packed bytes.Buffer
	packed.Grow(len(data)/2 + 64)
	packed.WriteByte(deflated)
	deflater := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(deflater)
	deflater.Reset(&packed)
	deflater.Write(data) // writing to a buffer never fails
	deflater.Close()
	if packed.Len() <= len(data) {
		return packed.Bytes()
	}
	return append([]byte{stored}, data...)
}

// maxRatio is more than deflate can compress anything.
const maxRatio = 1100

// decompress is the reverse of compress; size is that of the original data.
func decompress(packed []byte, size int64) ([]byte, error) {
	if len(packed) == 0 || size < 0 || size/maxRatio > int64(len(packed)) {
		return nil, errDamaged
	}
	body := packed[1:]
	if packed[0] == stored {
		if int64(len(body)) != size {
			return nil, errDamaged
		}
		return body, nil
	}
	inflater := inflaters.Get().(io.Reader)
	defer inflaters.Put(inflater)
	inflater.(flate.Resetter).Reset(bytes.NewReader(body), nil) // never fails
	data := make([]byte, size)
	if _, err := io.ReadFull(inflater, data); err != nil {
		return nil, errDamaged
	}
	return data, nil
}
