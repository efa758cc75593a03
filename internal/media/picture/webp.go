package picture

import (
	"encoding/binary"
	"errors"
	"image"
)

// Flags in the VP8X chunk of a WebP file.
const (
	webpAlpha   = 1 << 4
	webpProfile = 1 << 5
)

// riffChunk is a part of a WebP file.
type riffChunk struct {
	kind string
	body []byte
}

func inspectWebP(data []byte) (*source, error) {
	chunks, trailing, err := riffChunks(data[12:], int64(binary.LittleEndian.Uint32(data[4:]))-4)
	if err != nil {
		return nil, damaged(formatWebP, err)
	}
	s := &source{format: formatWebP, hasMetadata: trailing}
	pixels := &webpPixels{}
	for _, chunk := range chunks {
		if err := s.readWebPChunk(chunk, pixels); err != nil {
			return nil, damaged(formatWebP, err)
		}
	}
	if pixels.bitmap.kind == "" {
		return nil, damaged(formatWebP, errEmpty)
	}
	size, err := pixels.bitmap.size()
	if err != nil {
		return nil, damaged(formatWebP, err)
	}
	if s.frame.Empty() {
		s.frame = image.Rectangle{Max: size}
	}
	if s.width == 0 {
		s.width, s.height = size.X, size.Y
	}
	canvas := image.Rect(0, 0, s.width, s.height)
	if s.frame.Size() != size || !s.frame.In(canvas) {
		return nil, damaged(formatWebP, errors.New("its headers disagree about its size"))
	}
	s.isLossless = pixels.bitmap.kind == "VP8L"
	s.memory = pixels.memory(int64(size.X) * int64(size.Y))
	s.still = pixels.file(size)
	if s.frame == canvas {
		s.clean = s.still
	} else {
		s.memory += int64(s.width) * int64(s.height) * 4
	}
	return s, nil
}

// webpPixels collects the chunks that make up the picture or the first frame of an animation.
type webpPixels struct {
	profile, alpha, bitmap riffChunk
}

func (s *source) readWebPChunk(chunk riffChunk, pixels *webpPixels) error {
	switch body := chunk.body; chunk.kind {
	case "VP8X":
		if len(body) < 10 {
			return errCutShort
		}
		s.width, s.height = uint24(body[4:])+1, uint24(body[7:])+1
	case "ANMF":
		if s.frames++; s.frames == 1 {
			return s.readWebPFrame(body, pixels)
		}
	case "VP8 ", "VP8L":
		if pixels.bitmap.kind == "" {
			pixels.bitmap = chunk
		}
	case "ALPH":
		if pixels.bitmap.kind == "" {
			pixels.alpha = chunk
		}
	case "ICCP":
		pixels.profile = chunk
	case "ANIM":
	case "EXIF":
		s.orientation = exifOrientation(body)
		s.hasMetadata = true
	default:
		s.hasMetadata = true
	}
	return nil
}

// readWebPFrame takes the picture from the first frame of an animation.
func (s *source) readWebPFrame(body []byte, pixels *webpPixels) error {
	const header = 16
	if len(body) < header {
		return errCutShort
	}
	corner := image.Pt(2*uint24(body), 2*uint24(body[3:]))
	s.frame = image.Rectangle{Min: corner, Max: corner.Add(image.Pt(uint24(body[6:])+1, uint24(body[9:])+1))}
	chunks, _, err := riffChunks(body[header:], int64(len(body)-header))
	if err != nil {
		return err
	}
	for _, chunk := range chunks {
		if chunk.kind == "VP8 " || chunk.kind == "VP8L" || chunk.kind == "ALPH" {
			if err := s.readWebPChunk(chunk, pixels); err != nil {
				return err
			}
		}
	}
	return nil
}

// size reads the size of a bitmap from its own header: it decides what the decoder allocates.
func (c riffChunk) size() (image.Point, error) {
	switch {
	case c.kind == "VP8 " && len(c.body) >= 10:
		return image.Pt(int(binary.LittleEndian.Uint16(c.body[6:]))&0x3fff, int(binary.LittleEndian.Uint16(c.body[8:]))&0x3fff), nil
	case c.kind == "VP8L" && len(c.body) >= 5:
		bits := binary.LittleEndian.Uint32(c.body[1:])
		return image.Pt(int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1), nil
	}
	return image.Point{}, errCutShort
}

// memory estimates what the decoder allocates: for lossless pictures and for transparency, four bytes a pixel twice.
func (p *webpPixels) memory(pixels int64) int64 {
	if p.bitmap.kind == "VP8L" || p.alpha.kind != "" {
		return pixels * 8
	}
	return pixels * 2
}

// file writes a file of the picture alone.
func (p *webpPixels) file(size image.Point) []byte {
	var chunks []riffChunk
	if p.bitmap.kind == "VP8L" {
		p.alpha = riffChunk{} // it has its own transparency
	}
	if p.profile.kind != "" || p.alpha.kind != "" {
		header := make([]byte, 10)
		if p.profile.kind != "" {
			header[0] |= webpProfile
		}
		if p.alpha.kind != "" || p.bitmap.kind == "VP8L" && p.bitmap.body[4]&0x10 != 0 {
			header[0] |= webpAlpha
		}
		putUint24(header[4:], size.X-1)
		putUint24(header[7:], size.Y-1)
		chunks = append(chunks, riffChunk{"VP8X", header})
	}
	for _, chunk := range []riffChunk{p.profile, p.alpha, p.bitmap} {
		if chunk.kind != "" {
			chunks = append(chunks, chunk)
		}
	}
	file := []byte("RIFF\x00\x00\x00\x00WEBP")
	for _, chunk := range chunks {
		file = append(file, chunk.kind...)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(chunk.body)))
		file = append(file, chunk.body...)
		if len(chunk.body)%2 == 1 {
			file = append(file, 0)
		}
	}
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	return file
}

// riffChunks splits the first size bytes of data into chunks, and reports whether more follows.
func riffChunks(data []byte, size int64) (chunks []riffChunk, trailing bool, err error) {
	if size < 0 || size > int64(len(data)) {
		return nil, false, errCutShort
	}
	trailing = size < int64(len(data))
	for rest := data[:size]; len(rest) > 0; {
		if len(rest) < 8 || int64(binary.LittleEndian.Uint32(rest[4:])) > int64(len(rest))-8 {
			return nil, false, errCutShort
		}
		length := int(binary.LittleEndian.Uint32(rest[4:]))
		chunks = append(chunks, riffChunk{string(rest[:4]), rest[8 : 8+length]})
		rest = rest[min(8+length+length%2, len(rest)):]
	}
	return chunks, trailing, nil
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

func putUint24(b []byte, n int) { b[0], b[1], b[2] = byte(n), byte(n>>8), byte(n>>16) }
