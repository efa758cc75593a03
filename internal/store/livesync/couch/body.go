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

// Limits on a response, besides MaxAnswer.
const (
	maxError  = 1 << 16 // bytes of an error response
	maxRatio  = 100     // of decompressed to compressed bytes, checked
	freeBytes = 1 << 20 // beyond this many bytes, because small responses may compress better
	maxDepth  = 64      // of arrays and objects in a document
)

// body is a response body within the limits. It remembers why it ended too early, which a JSON decoder would hide.
type body struct {
	from   io.Reader
	broken error
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if err != nil && err != io.EOF {
		b.broken = err
	}
	return n, err
}

// openBody wraps the body of a response in the limits, and decompresses it.
func (c *Client) openBody(response *http.Response, watch *watchdog) (*body, error) {
	limit := c.opt.MaxAnswer
	if response.StatusCode > 299 {
		limit = min(limit, maxError)
	}
	packed := &counted{from: watched{from: response.Body, watch: watch}, limit: limit}
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
		return nil, fault.StoreUnavailable.Errorf("the response from CouchDB has an unexpected content encoding")
	}
	return &body{from: plain}, nil
}

// text returns an error response as far as it can be read. b is nil if it could not be opened.
func (b *body) text() []byte {
	if b == nil {
		return nil
	}
	all, _ := io.ReadAll(b) // a part may be enough
	return all
}

// streamed is a response that decodes itself piece by piece, so that it is not in memory twice.
type streamed interface {
	decode(from *json.Decoder) error
}

// decode reads a response to its end.
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

var errNotJSON = errors.New("not the expected JSON")

// counted is a reader that fails once it has returned too much.
type counted struct {
	from   io.Reader
	packed *counted // the compressed source, or nil
	limit  int64
	n      int64
}

func (r *counted) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.n += int64(n)
	switch {
	case r.n > r.limit:
		return n, fault.StoreUnavailable.Errorf("the response from CouchDB exceeds %d MB: %w", r.limit>>20, errTooLarge)
	case r.packed != nil && r.n > freeBytes && r.n/maxRatio > r.packed.n:
		return n, fault.StoreUnavailable.Errorf("the response from CouchDB grows more than %d times when it is decompressed", maxRatio)
	}
	return n, err
}

// tooDeep reports whether JSON nests deeper than maxDepth. It assumes valid JSON.
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
