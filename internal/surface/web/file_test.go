package web

import (
	"strings"
	"testing"
)

// An SVG is recognized even after long comments and declarations.
func TestSniffsSVGAfterProlog(t *testing.T) {
	long := "<!-- " + strings.Repeat("made by hand ", 200) + "-->\n"
	for data, want := range map[string]string{
		long + "<svg></svg>": "image/svg+xml",
		"<?xml version=\"1.0\"?>\n" + long + long + "<!DOCTYPE svg>\n<svg>": "image/svg+xml",
		long + "<html>": "", long + "<svg": "image/svg+xml", long + "hello <svg>": "", "<!--": "", "<?": "",
	} {
		if got := sniffed([]byte(data)); got != want {
			t.Errorf("%.20q… %.20q: %q, want %q", data, data[max(0, len(data)-20):], got, want)
		}
	}
}
