package couch

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"obsidian-mcp/internal/fault"
)

// The limits of what an answer may hold, beside MaxAnswer.
const (
	maxError  = 1 << 16 // bytes of an answer that says what is wrong
	maxRatio  = 100     // of decompressed to compressed bytes, beyond
	freeBytes = 1 << 20 // bytes, since small answers may compress better than that
	maxDepth  = 64      // of arrays and objects in a document
)

// body is an answer as it arrives, within the limits. It remembers why it
// ended too early, which a decoder would hide.
type body struct {
	io.Reader
	broken error
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && err != io.EOF {
		b.broken = err
	}
	return n, err
}

// openBody begins to read an answer.
func (c *Client) openBody(response *http.Response, watch *watchdog) (*body, error) {
	limit := c.opt.MaxAnswer
	if response.StatusCode > 299 {
		limit = min(limit, maxError)
	}
	packed := &counted{from: watched{response.Body, watch}, limit: limit}
	plain := &counted{from: packed, limit: limit}
	switch encoding := strings.ToLower(response.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		unpacked, err := gzip.NewReader(packed)
		if err != nil {
			return nil, err
		}
		plain.from, plain.packed = unpacked, packed
	default:
		return nil, fault.StoreUnavailable.Errorf("CouchDB's answer is compressed in a way that was not asked for")
	}
	return &body{Reader: plain}, nil
}

// text is all of a body that says what is wrong, as far as it can be read. nil
// is one that could not be opened.
func (b *body) text() []byte {
	if b == nil {
		return nil
	}
	all, _ := io.ReadAll(b) // a part may tell enough
	return all
}

// streamed is an answer that is decoded piece by piece, so that it is not held
// twice.
type streamed interface {
	decode(from *json.Decoder) error
}

// decode reads an answer to its end.
func (b *body) decode(answer any) error {
	from := json.NewDecoder(b)
	var err error
	if pieces, ok := answer.(streamed); ok {
		err = pieces.decode(from)
	} else {
		err = from.Decode(answer)
	}
	if err != nil {
		return err
	}
	if _, err := from.Token(); err != io.EOF {
		return errNotJSON
	}
	return nil
}

var errNotJSON = errors.New("no JSON of the right form")

// counted is a reader that fails once it has given too much.
type counted struct {
	from   io.Reader
	packed *counted // what it is decompressed from, or nil
	limit  int64
	n      int64
}

func (r *counted) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.n += int64(n)
	switch {
	case r.n > r.limit:
		return n, fault.StoreUnavailable.Errorf("CouchDB's answer is beyond %d MB: %w", r.limit>>20, errTooLarge)
	case r.packed != nil && r.n > freeBytes && r.n/maxRatio > r.packed.n:
		return n, fault.StoreUnavailable.Errorf("CouchDB's answer grows more than %d times when it is decompressed", maxRatio)
	}
	return n, err
}

// tooDeep reports whether JSON nests beyond the limit. It takes JSON for
// granted.
func tooDeep(data []byte) bool {
	depth, inText := 0, false
	for i := 0; i < len(data); i++ {
		switch b := data[i]; {
		case inText && b == '\\':
			i++
		case b == '"':
			inText = !inText
		case inText:
		case b == '{' || b == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return false
}
