package docgen

import (
	"regexp"
	"strings"
	"testing"
)

// requests are those of man(7) that the page uses; every reader has them.
var requests = regexp.MustCompile(`^\.(TH|SH|PP|TP|IP|RS|RE|B|br)( |$)`)

// TestManPage: whatever the texts hold, a line is a known request or text, and
// what roff would take for its own is escaped.
func TestManPage(t *testing.T) {
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
			t.Errorf("no request: %q", line)
		}
		if strings.Contains(strings.NewReplacer(`\fB`, "", `\fI`, "", `\fR`, "", `\-`, "", `\e`, "", `\&`, "", `\(dq`, "", `\(ti`, "", `\(ha`, "", `\(en`, "", `\(em`, "").Replace(line), `\`) {
			t.Errorf("an unknown escape: %q", line)
		}
		if strings.Contains(line, "-") && !strings.Contains(line, `\-`) {
			t.Errorf("a bare dash: %q", line)
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
