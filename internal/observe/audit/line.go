package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"obsidian-mcp/internal/vault/call"
)

// OK is the kind of a call that succeeded; others have the code of their fault.
const OK = "ok"

// lost is the kind of a line that stands for those that could not be kept.
const lost = "lost"

// Line is what the log says of a call.
type Line struct {
	Time       time.Time      `json:"time"` // zero: now
	Client     string         `json:"client,omitempty"`
	Token      string         `json:"token,omitempty"` // its name
	Tool       string         `json:"tool,omitempty"`
	Paths      []string       `json:"paths,omitempty"`
	Kind       string         `json:"kind"`
	DurationMS int64          `json:"duration_ms"`
	Changes    []call.Touched `json:"changes,omitempty"`
	ChangeID   string         `json:"change_id,omitempty"`
	Lost       int            `json:"lost,omitempty"` // calls whose lines are missing here
}

// encode is the line as it stands in the file, with its end.
func (line Line) encode(now func() time.Time) ([]byte, error) {
	if line.Time.IsZero() {
		line.Time = now()
	}
	line.Time = line.Time.UTC().Truncate(time.Microsecond)
	for _, chosen := range []*string{&line.Client, &line.Token, &line.Tool} {
		*chosen = fit(*chosen)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		return nil, err
	}
	clean := plain(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
	return append(ownToken.ReplaceAll(clean, []byte("omcp_[redacted]")), '\n'), nil
}

// ownToken is what a bearer token of ours looks like: people mistake where it goes.
var ownToken = regexp.MustCompile(`omcp_[A-Za-z0-9]+`)

// longestName is how much is kept of a name that a client may have chosen.
const longestName = 200 // bytes

// fit is a name that is not too long.
func fit(name string) string {
	if len(name) <= longestName {
		return name
	}
	end := longestName
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}

// plain escapes in JSON what a terminal or a reader of lines could take for
// more than a letter: such runes are in strings alone.
func plain(text []byte) []byte {
	clean := make([]byte, 0, len(text)+1)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case unicode.IsPrint(r):
			clean = append(clean, text[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			clean = fmt.Appendf(clean, `\u%04x\u%04x`, high, low)
		default:
			clean = fmt.Appendf(clean, `\u%04x`, r)
		}
		text = text[size:]
	}
	return clean
}
