package cache

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

// A record is stored as a frame: its key, the length of the ciphertext, and the ciphertext. The plaintext is the length
// of the content and the content, deflated if that makes it smaller. So it is deflated if it is shorter than the length.
const (
	lengthAt  = len(recordKey{})
	frameHead = lengthAt + 4
	minSealed = 12 + 16 + 1 // a nonce, a tag, and the length of an empty content
	maxSealed = 64 << 20
	// maxPooled bounds the buffers that are kept for reuse.
	maxPooled = 1 << 20
)

var errDamaged = errors.New("the record is damaged")

// seal makes the frame for a content. ok is false if the content is too large.
func (k *keys) seal(key recordKey, data []byte) (frame []byte, ok bool) {
	if len(data) > maxSealed {
		return nil, false
	}
	p := packers.Get().(*packer)
	defer p.release()
	plain := p.pack(data)
	frame = make([]byte, frameHead, frameHead+len(plain)+k.aead.Overhead())
	copy(frame, key[:])
	frame = k.aead.Seal(frame, nil, plain, key[:])
	sealed := len(frame) - frameHead
	binary.LittleEndian.PutUint32(frame[lengthAt:], uint32(sealed))
	return frame, sealed <= maxSealed
}

// open returns the content of a frame that was sealed under key.
func (k *keys) open(key recordKey, frame []byte) ([]byte, error) {
	sealed := frame[frameHead:]
	plain, err := k.aead.Open(nil, nil, sealed, key[:])
	if err != nil {
		return nil, errDamaged
	}
	return unpack(plain)
}

// parseHead reads the head of a frame. ok is false if no record has such a length.
func parseHead(head []byte) (key recordKey, frameLength int, ok bool) {
	length := binary.LittleEndian.Uint32(head[lengthAt:])
	if length < minSealed || length > maxSealed {
		return recordKey{}, 0, false
	}
	return recordKey(head), frameHead + int(length), true
}

// packer holds what packing needs. It is large, and therefore pooled.
type packer struct {
	packed  bytes.Buffer
	deflate *flate.Writer
}

var packers = sync.Pool{New: func() any {
	deflate, _ := flate.NewWriter(nil, flate.BestSpeed) // fails for unknown levels only
	return &packer{deflate: deflate}
}}

// pack returns bytes that are valid until release.
func (p *packer) pack(data []byte) []byte {
	p.packed.Reset()
	var size [binary.MaxVarintLen64]byte
	head := binary.PutUvarint(size[:], uint64(len(data)))
	p.packed.Write(size[:head])
	p.deflate.Reset(&p.packed)
	p.deflate.Write(data) // a buffer never fails
	p.deflate.Close()
	if p.packed.Len() >= head+len(data) {
		p.packed.Truncate(head)
		p.packed.Write(data)
	}
	return p.packed.Bytes()
}

func (p *packer) release() {
	if p.packed.Cap() <= maxPooled {
		packers.Put(p)
	}
}

var inflaters = sync.Pool{New: func() any { return flate.NewReader(bytes.NewReader(nil)) }}

// unpack reverses pack.
func unpack(plain []byte) ([]byte, error) {
	size, head := binary.Uvarint(plain)
	if head <= 0 || size > maxSealed {
		return nil, errDamaged
	}
	body := plain[head:]
	if len(body) == int(size) {
		return body, nil
	}
	inflate := inflaters.Get().(io.Reader)
	defer inflaters.Put(inflate)
	if err := inflate.(flate.Resetter).Reset(bytes.NewReader(body), nil); err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(inflate, data); err != nil {
		return nil, errDamaged
	}
	return data, nil
}
