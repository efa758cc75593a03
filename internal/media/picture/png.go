package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/color"
	"image/png"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngKept lists the chunks of a PNG file that say how its pixels look. All others are metadata or frames.
var pngKept = map[string]bool{
	"IHDR": true, "PLTE": true, "IDAT": true, "IEND": true, "tRNS": true,
	"gAMA": true, "cHRM": true, "sRGB": true, "iCCP": true, "cICP": true, "sBIT": true, "bKGD": true, "pHYs": true,
}

var (
	errEmpty    = errors.New("it has no pixels")
	errCutShort = errors.New("the file ends too early")
)

func inspectPNG(data []byte) (*source, error) {
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, damaged(formatPNG, err)
	}
	s := &source{format: formatPNG, width: config.Width, height: config.Height, isLossless: true, still: data}
	hasTransparentColour := false
	clean := make([]byte, len(pngSignature), len(data))
	copy(clean, data)
	for rest := data[len(pngSignature):]; ; {
		if len(rest) < 12 || int64(binary.BigEndian.Uint32(rest)) > int64(len(rest))-12 {
			return nil, damaged(formatPNG, errCutShort)
		}
		size := int(binary.BigEndian.Uint32(rest)) + 12
		chunk, kind, body := rest[:size], string(rest[4:8]), rest[8:size-4]
		rest = rest[size:]
		switch {
		case pngKept[kind]:
			clean = append(clean, chunk...)
		case kind == "acTL" && len(body) >= 4:
			s.frames = int(binary.BigEndian.Uint32(body))
		case kind == "fcTL" || kind == "fdAT":
		default:
			s.hasMetadata = true
		}
		switch kind {
		case "eXIf":
			s.orientation = exifOrientation(body)
		case "tRNS":
			hasTransparentColour = true
		case "IEND":
			s.memory = pngMemory(data, config.ColorModel, hasTransparentColour, int64(config.Width)*int64(config.Height))
			s.hasMetadata = s.hasMetadata || len(rest) > 0
			s.clean = clean
			return s, nil
		}
	}
}

// pngMemory estimates what the decoder allocates. With a transparent colour it widens the pixels, and of an interlaced
// picture it keeps each pass beside the whole.
func pngMemory(data []byte, model color.Model, hasTransparentColour bool, pixels int64) int64 {
	const depthAt, interlaceAt = 24, 28 // in the file; DecodeConfig has read both
	each := bytesPerPixel(model)
	if _, isPalette := model.(color.Palette); hasTransparentColour && !isPalette {
		each = 4
		if data[depthAt] == 16 {
			each = 8
		}
	}
	if data[interlaceAt] != 0 {
		each += (each + 1) / 2
	}
	return pixels * each
}
