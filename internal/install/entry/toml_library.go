//go:build !container

package entry

import (
	"bytes"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// parseTOML parses a whole text with the library. The library is never used for writing.
func parseTOML(text []byte) (map[string]any, error) {
	bare := bytes.TrimPrefix(text, []byte(byteOrderMark))
	all := map[string]any{}
	err := toml.Unmarshal(bare, &all)
	if invalid, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := invalid.Position()
		return nil, &Error{line, column, "not valid TOML: " + strings.TrimPrefix(invalid.Error(), "toml: ")}
	}
	if err != nil {
		return nil, &Error{What: "not valid TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	}
	return all, nil
}

// unquoteTOML decodes a quoted string.
func unquoteTOML(quoted []byte) string {
	var holder struct{ Text string }
	_ = toml.Unmarshal(append([]byte("Text = "), quoted...), &holder) // it is valid
	return holder.Text
}
