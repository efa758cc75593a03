package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestReadHidden(t *testing.T) {
	for name, c := range map[string]struct {
		keys, want string
		err        error
	}{
		"Enter":                   {"abc\rdef", "abc", nil},
		"a line feed":             {"abc\n", "abc", nil},
		"a paste with line ends":  {"\x1b[200~ab\r\ncd\n\x1b[201~e\r", "ab\r\ncd\ne", nil},
		"a paste with keys in it": {"\x1b[200~a\x03\x04b\x1b[201~\r", "a\x03\x04b", nil},
		"arrows":                  {"a\x1b[D\x1b[1;5C\x1bOPb\r", "aPb", nil},
		"backspace":               {"aü\x7f\x7f\x7fb\b\x7fc\r", "c", nil},
		"other control keys":      {"a\x01\tb\r", "ab", nil},
		"Ctrl-U":                  {"abc\x15d\r", "d", nil},
		"Ctrl-C":                  {"abc\x03\r", "", context.Canceled},
		"Ctrl-D":                  {"\x04", "", io.EOF},
		"Ctrl-D in a line":        {"a\x04b\r", "ab", nil},
		"the end":                 {"abc", "", io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readHidden(strings.NewReader(c.keys))
			if got != c.want || !errors.Is(err, c.err) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	if _, err := readHidden(strings.NewReader(strings.Repeat("x", mostHidden+1) + "\r")); err == nil {
		t.Error("an endless line")
	}
}
