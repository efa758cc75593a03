package docgen

import (
	"regexp"
	"strings"
	"testing"
)

// requests matches the requests of man(7) that the page uses; every reader supports them.
var requests = regexp.MustCompile(`^\.(TH|SH|PP|TP|IP|RS|RE|B|br)( |$)`)

// TestManPageEscapesText checks, with hostile texts, that each line is a known request or
// text, and that characters that are special in roff are escaped.
func TestManPageEscapesText(t *testing.T) {
	evil := ".SH evil \\fBbold 'quote' \"x\" -dash `code` … ~^"
	page := Man(Manual{
		Name: "prog", Short: "'short" + evil, Long: "one\n\n.two " + evil, Flags: []ManualFlag{{Name: "-q, --quiet", About: evil}},
		Commands: []ManualCommand{{Use: "do [X]", Short: evil, Long: ".long", Flags: []ManualFlag{{"--flag", "value", "about"}}}},
		Tools:    []ManualTool{{"a_tool", "Title", `name, mode="x"`}}, Statuses: []ManualStatus{{0, "well"}},
	})
	depth := 0
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if (strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'")) && !requests.MatchString(line) || line == "" {
			t.Errorf("not a known request: %q", line)
		}
		if strings.Contains(strings.NewReplacer(`\fB`, "", `\fI`, "", `\fR`, "", `\-`, "", `\e`, "", `\&`, "", `\(dq`, "", `\(ti`, "", `\(ha`, "", `\(en`, "", `\(em`, "").Replace(line), `\`) {
			t.Errorf("unknown escape: %q", line)
		}
		if strings.Contains(line, "-") && !strings.Contains(line, `\-`) {
			t.Errorf("unescaped dash: %q", line)
		}
		switch line {
		case ".RS":
			depth++
		case ".RE":
			depth--
		}
	}
	for _, want := range []string{`.SH "EXIT STATUS"`, `\fB\-\-vault\-path\fR \fIvalue\fR`, "OBSIDIAN_VAULT_PATH", `\&.two`, `\efBbold`, `\fB\-q, \-\-quiet\fR`, "prog \\- 'short"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if depth != 0 {
		t.Errorf("%d indents are left open", depth)
	}
}
