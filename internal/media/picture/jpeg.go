package picture

import (
	"bytes"
	"encoding/binary"
	"image/jpeg"
)

// Markers of JPEG segments.
const (
	jpegSOF2  = 0xc2 // progressive
	jpegRST0  = 0xd0
	jpegRST7  = 0xd7
	jpegEOI   = 0xd9
	jpegSOS   = 0xda
	jpegAPP0  = 0xe0
	jpegAPP1  = 0xe1
	jpegAPP2  = 0xe2
	jpegAPP14 = 0xee
	jpegAPP15 = 0xef
	jpegCOM   = 0xfe
)

func inspectJPEG(data []byte) (*source, error) {
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, damaged(formatJPEG, err)
	}
	s := &source{format: formatJPEG, width: config.Width, height: config.Height, still: data}
	s.memory = int64(config.Width) * int64(config.Height) * bytesPerPixel(config.ColorModel)
	clean := make([]byte, 2, len(data))
	copy(clean, data)
	for at := 2; ; {
		if skipped := bytes.IndexByte(data[at:], 0xff); skipped > 0 { // decoders skip such bytes, too
			at += skipped
			s.hasMetadata = true
		}
		marker, end, ok := jpegSegment(data, at)
		if !ok {
			return nil, damaged(formatJPEG, errCutShort)
		}
		segment := data[at:end]
		at = end
		switch {
		case marker == jpegEOI:
			s.hasMetadata = s.hasMetadata || len(data) > end // phones append films and second pictures
			s.clean = append(clean, segment...)
			return s, nil
		case isJPEGMetadata(marker, segment):
			s.hasMetadata = true
			if exif, ok := bytes.CutPrefix(segment[4:], []byte("Exif\x00\x00")); ok && marker == jpegAPP1 && s.orientation == 0 {
				s.orientation = exifOrientation(exif)
			}
			continue
		case marker == jpegSOF2:
			s.memory += progressiveMemory(segment)
		case marker == jpegSOS:
			s.passes++
			at = jpegScanEnd(data, end)
			segment = data[end-len(segment) : at]
		}
		clean = append(clean, segment...)
	}
}

// jpegSegment finds the segment at an offset: its marker, and where it ends.
func jpegSegment(data []byte, at int) (marker byte, end int, ok bool) {
	if at+2 > len(data) || data[at] != 0xff {
		return 0, 0, false
	}
	marker = data[at+1]
	switch {
	case marker == 0xff: // a fill byte
		return marker, at + 1, true
	case marker == jpegEOI, marker >= jpegRST0 && marker <= jpegRST7, marker == 0x01:
		return marker, at + 2, true
	case at+4 > len(data):
		return 0, 0, false
	}
	size := int(binary.BigEndian.Uint16(data[at+2:]))
	return marker, at + 2 + size, size >= 2 && at+2+size <= len(data)
}

// jpegScanEnd returns where the compressed data that begins at an offset ends: at the next marker that is not part of it.
func jpegScanEnd(data []byte, at int) int {
	for {
		next := bytes.IndexByte(data[at:], 0xff)
		if next < 0 || at+next+1 >= len(data) {
			return len(data)
		}
		at += next
		if marker := data[at+1]; marker != 0 && marker != 0xff && (marker < jpegRST0 || marker > jpegRST7) {
			return at
		}
		at++
	}
}

// isJPEGMetadata reports whether a segment can be left out without changing a pixel. JFIF, colour profiles and Adobe's
// note on colours stay.
func isJPEGMetadata(marker byte, segment []byte) bool {
	if marker == jpegCOM {
		return true
	}
	if marker < jpegAPP0 || marker > jpegAPP15 {
		return false
	}
	body := segment[4:]
	isKept := marker == jpegAPP0 && bytes.HasPrefix(body, []byte("JFIF\x00")) ||
		marker == jpegAPP2 && bytes.HasPrefix(body, []byte("ICC_PROFILE\x00")) ||
		marker == jpegAPP14 && bytes.HasPrefix(body, []byte("Adobe"))
	return !isKept
}

// progressiveMemory is what the decoder keeps of a progressive picture until its last pass: four bytes for each
// coefficient of each component.
func progressiveMemory(frame []byte) int64 {
	if len(frame) < 10 {
		return 0
	}
	height, width := int64(binary.BigEndian.Uint16(frame[5:])), int64(binary.BigEndian.Uint16(frame[7:]))
	var most, sum int64
	for i := 11; i < len(frame); i += 3 {
		sampling := int64(frame[i]>>4) * int64(frame[i]&15)
		most, sum = max(most, sampling), sum+sampling
	}
	if most == 0 {
		return 0
	}
	return width * height * 4 * sum / most
}
