package kind

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// format is a file format that is recognised by its first bytes. Its value describes a file of that format.
type format string

const (
	unknown    format = ""
	avif       format = "an AVIF picture"
	bmp        format = "a BMP picture"
	gif        format = "a GIF picture"
	heic       format = "a HEIC picture"
	ico        format = "an icon"
	jpeg       format = "a JPEG picture"
	png        format = "a PNG picture"
	tiff       format = "a TIFF picture"
	webp       format = "a WebP picture"
	flac       format = "FLAC audio"
	mp3        format = "MP3 audio"
	ogg        format = "an Ogg recording"
	wav        format = "WAV audio"
	matroska   format = "a Matroska video"
	mp4        format = "an MP4 recording"
	webm       format = "a WebM recording"
	pdf        format = "a PDF document"
	ole        format = "an Office document in the old or encrypted form"
	zip        format = "a ZIP archive"
	executable format = "a program"
)

// signatures lists the formats that always begin with the same bytes.
var signatures = []struct {
	prefix string
	format format
}{
	{"\x89PNG\r\n\x1a\n", png},
	{"\xff\xd8\xff", jpeg},
	{"GIF87a", gif},
	{"GIF89a", gif},
	{"II*\x00", tiff},
	{"MM\x00*", tiff},
	{"II+\x00", tiff}, // BigTIFF
	{"MM\x00+", tiff},
	{"\x00\x00\x01\x00", ico},
	{"fLaC", flac},
	{"OggS", ogg},
	{"PK\x03\x04", zip},
	{"PK\x05\x06", zip}, // an empty archive
	{"PK\x07\x08", zip}, // the first of several parts
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ole},
	{"\x7fELF", executable},
	{"\xfe\xed\xfa\xce", executable}, // Mach-O, in both byte orders
	{"\xfe\xed\xfa\xcf", executable},
	{"\xce\xfa\xed\xfe", executable},
	{"\xcf\xfa\xed\xfe", executable},
	{"\xca\xfe\xba\xbe", executable}, // Mach-O for several processors, and Java classes
}

// formatOf recognises a format by the content of a file.
func formatOf(data []byte) format {
	for _, signature := range signatures {
		if bytes.HasPrefix(data, []byte(signature.prefix)) {
			return signature.format
		}
	}
	switch {
	case bytes.HasPrefix(data, []byte("RIFF")), bytes.HasPrefix(data, []byte("RF64")):
		return riffFormat(data)
	case bytes.HasPrefix(data, []byte("\x1a\x45\xdf\xa3")):
		return ebmlFormat(data)
	case isBMP(data):
		return bmp
	case bytes.HasPrefix(data, []byte("MZ")) && !looksLikeText(data):
		return executable
	case bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")): // readers accept it that late
		return pdf
	case bytes.HasPrefix(data, []byte("ID3")):
		return taggedFormat(data)
	case isMP3Frame(data):
		return mp3
	}
	return boxFormat(data)
}

func riffFormat(data []byte) format {
	if len(data) < 12 {
		return unknown
	}
	switch string(data[8:12]) {
	case "WEBP":
		return webp
	case "WAVE":
		return wav
	}
	return unknown
}

// ebmlFormat tells WebM from Matroska by the document type, which is in the first element.
func ebmlFormat(data []byte) format {
	header := data[:min(len(data), 256)]
	switch {
	case bytes.Contains(header, []byte("webm")):
		return webm
	case bytes.Contains(header, []byte("matroska")):
		return matroska
	}
	return unknown
}

// isBMP looks at the size of the second header too: many texts begin with "BM".
func isBMP(data []byte) bool {
	if len(data) < 18 || !bytes.HasPrefix(data, []byte("BM")) {
		return false
	}
	return slices.Contains([]uint32{12, 16, 40, 52, 56, 64, 108, 124}, binary.LittleEndian.Uint32(data[14:]))
}

// taggedFormat looks behind an ID3 tag, which some programs put before FLAC audio as well.
func taggedFormat(data []byte) format {
	if len(data) < 10 {
		return unknown
	}
	size := 10
	for i, b := range data[6:10] {
		size += int(b&0x7f) << (7 * (3 - i))
	}
	if size < len(data) && bytes.HasPrefix(data[size:], []byte("fLaC")) {
		return flac
	}
	return mp3
}

// isMP3Frame reports whether data begins with the header of an MPEG audio frame of layer II or III.
func isMP3Frame(data []byte) bool {
	if len(data) < 4 || data[0] != 0xff || data[1]&0xe0 != 0xe0 {
		return false
	}
	version, layer := data[1]>>3&3, data[1]>>1&3
	bitrate, sampleRate := data[2]>>4, data[2]>>2&3
	return version != 1 && (layer == 1 || layer == 2) && bitrate != 15 && sampleRate != 3
}

// boxFormat recognises files that consist of boxes, each with a size and a type: MP4 and its relatives. The first box lists
// the brands that the file complies with.
func boxFormat(data []byte) format {
	if len(data) < 12 {
		return unknown
	}
	switch string(data[4:8]) {
	case "ftyp":
	case "moov", "mdat", "wide", "pnot": // QuickTime files of old have no list of brands
		return mp4
	default:
		return unknown
	}
	end := min(int64(binary.BigEndian.Uint32(data)), int64(len(data)))
	found := mp4
	for at := int64(8); at+4 <= end; at += 4 {
		switch brand := string(data[at : at+4]); {
		case at == 12: // the version of the first brand
		case brand == "avif" || brand == "avis":
			return avif
		case slices.Contains([]string{"heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"}, brand):
			found = heic
		}
	}
	return found
}
