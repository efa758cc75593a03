package couch

import (
	"compress/gzip"
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

// readBody reads an answer to its end, within the limits.
func (c *Client) readBody(response *http.Response, watch *watchdog) ([]byte, error) {
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
	return io.ReadAll(plain)
}

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
