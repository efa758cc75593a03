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
)

// OK is the kind of a call that succeeded; a failed call has its fault's code.
const OK = "ok"

// lost is the kind of a line that counts the lines that could not be queued.
const lost = "lost"

// Line is one call in the log.
type Line struct {
	Time       time.Time `json:"time"` // the zero time means now
	Client     string    `json:"client,omitempty"`
	Token      string    `json:"token,omitempty"` // the token's name, never its value
	Tool       string    `json:"tool,omitempty"`
	Paths      []string  `json:"paths,omitempty"`
	Kind       string    `json:"kind"`
	DurationMS int64     `json:"duration_ms"`
	Changes    []Change  `json:"changes,omitempty"`
	ChangeID   string    `json:"change_id,omitempty"`
	Lost       int       `json:"lost,omitempty"` // how many calls have no line
}

// Change is a file that the call changed. The hashes are those of its bytes, "" where it did not exist.
type Change struct {
	Path   string `json:"path"`
	To     string `json:"to,omitempty"` // the new path of a moved file
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// encode returns the line as it is written to the file, line feed included.
func (line Line) encode(now func() time.Time) ([]byte, error) {
	if line.Time.IsZero() {
		line.Time = now()
	}
	line.Time = line.Time.UTC().Truncate(time.Microsecond)
	for _, name := range []*string{&line.Client, &line.Token, &line.Tool} {
		*name = shorten(*name)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		return nil, err
	}
	clean := escape(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
	return append(ownToken.ReplaceAll(clean, []byte("omcp_[redacted]")), '\n'), nil
}

// ownToken matches our own bearer tokens, which people sometimes paste into the wrong field.
var ownToken = regexp.MustCompile(`omcp_[A-Za-z0-9]+`)

// maxName is how many bytes of a name are logged: clients choose some of them.
const maxName = 200

// shorten cuts a name to maxName bytes, at a character boundary.
func shorten(name string) string {
	if len(name) <= maxName {
		return name
	}
	end := maxName
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}

// escape replaces characters in JSON text that a terminal or a line reader might
// interpret. In JSON such characters occur inside strings only.
func escape(text []byte) []byte {
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
