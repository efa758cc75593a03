package format

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	compressedMark = "\u000eLZ\u001d"
	base64Mark     = "~" // the compressed bytes are the decoded base64 of the chunk
)

// compress returns the compressed form of a chunk's text, or the text itself if compression does not shorten it.
// A text that starts like a compressed one is always compressed, because readers would try to expand it.
func compress(piece string) string {
	source, mark := []byte(piece), compressedMark
	if decoded, err := base64.StdEncoding.Strict().DecodeString(piece); err == nil && !strings.ContainsAny(piece, "\r\n") {
		source, mark = decoded, compressedMark+base64Mark
	}
	var deflated bytes.Buffer
	writer, err := flate.NewWriter(&deflated, flate.BestCompression)
	if err != nil {
		return piece
	}
	if _, err := writer.Write(source); err != nil || writer.Close() != nil {
		return piece
	}
	stored := mark + base64.StdEncoding.EncodeToString(deflated.Bytes())
	if len(stored) >= utf16Length(piece) && !looksCompressed(piece) {
		return piece
	}
	return stored
}

func looksCompressed(piece string) bool { return strings.HasPrefix(piece, compressedMark) }

// expand undoes compress; a text without the mark is returned unchanged.
func expand(stored string, limit int64) (string, error) {
	packed, marked := strings.CutPrefix(stored, compressedMark)
	if !marked || packed == "" {
		return packed, nil
	}
	packed, isBase64 := strings.CutPrefix(packed, base64Mark)
	deflated, err := appendBase64(nil, packed)
	if err != nil {
		return "", err
	}
	content, err := inflate(deflated, limit)
	if err != nil {
		return "", err
	}
	if isBase64 {
		return base64.StdEncoding.EncodeToString(content), nil
	}
	if !utf8.Valid(content) {
		return "", damaged("a compressed chunk is not text")
	}
	return string(content), nil
}

func inflate(deflated []byte, limit int64) ([]byte, error) {
	reader := flate.NewReader(bytes.NewReader(deflated))
	content, err := io.ReadAll(io.LimitReader(reader, limit+1))
	switch {
	case err != nil:
		return nil, damaged("a compressed chunk cannot be expanded")
	case int64(len(content)) > limit:
		return nil, damaged("a compressed chunk expands to more than %d bytes", limit)
	}
	return content, nil
}
