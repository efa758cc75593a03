package picture

import (
	"bytes"
	"encoding/binary"
	"image/gif"
)

// Blocks of a GIF file.
const (
	gifExtension = 0x21
	gifFrame     = 0x2c
	gifTrailer   = 0x3b

	gifControl = 0xf9 // the extension with the transparent colour of the next frame
)

func inspectGIF(data []byte) (*source, error) {
	config, err := gif.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, damaged(formatGIF, err)
	}
	s := &source{format: formatGIF, width: config.Width, height: config.Height, isLossless: true, still: data}
	s.memory = int64(config.Width) * int64(config.Height)
	start := 13
	if packed := data[10]; packed&0x80 != 0 {
		start += 3 << (packed&7 + 1)
	}
	if start > len(data) {
		return nil, damaged(formatGIF, errCutShort)
	}
	clean := bytes.Clone(data[:start])
	for at := start; ; {
		end, ok := gifBlockEnd(data, at)
		if !ok {
			return nil, damaged(formatGIF, errCutShort)
		}
		block := data[at:end]
		at = end
		switch block[0] {
		case gifTrailer:
			s.hasMetadata = s.hasMetadata || len(data) > end
			isWhole := s.frame.Dx() == s.width && s.frame.Dy() == s.height
			switch {
			case s.frames == 0:
				return nil, damaged(formatGIF, errEmpty)
			case isWhole:
				s.clean = append(clean, gifTrailer)
			default:
				s.memory += s.memory * 4 // the canvas that the frame is drawn on
			}
			return s, nil
		case gifFrame:
			if s.frames++; s.frames == 1 {
				s.frame.Max.X, s.frame.Max.Y = int(binary.LittleEndian.Uint16(block[5:])), int(binary.LittleEndian.Uint16(block[7:]))
				clean = append(clean, block...)
			}
		case gifExtension:
			switch isLoop := bytes.HasPrefix(block[2:], []byte("\x0bNETSCAPE2.0")); {
			case block[1] == gifControl && s.frames == 0:
				clean = append(clean, block...)
			case block[1] != gifControl && !isLoop:
				s.hasMetadata = true
			}
		}
	}
}

// gifBlockEnd returns where the block at an offset ends.
func gifBlockEnd(data []byte, at int) (end int, ok bool) {
	if at >= len(data) {
		return 0, false
	}
	switch data[at] {
	case gifTrailer:
		return at + 1, true
	case gifExtension:
		at += 2
	case gifFrame:
		if at+10 > len(data) {
			return 0, false
		}
		if packed := data[at+9]; packed&0x80 != 0 {
			at += 3 << (packed&7 + 1)
		}
		at += 11
	default:
		return 0, false
	}
	for at < len(data) {
		size := int(data[at])
		at += 1 + size
		if size == 0 {
			return at, true
		}
	}
	return 0, false
}
