package docgen

import "strings"

// roff writes the lines of a manual page. It escapes all text, so that none of it is
// taken for a request.
type roff struct{ out strings.Builder }

func (r *roff) String() string { return r.out.String() }

// request writes a request with quoted arguments.
func (r *roff) request(name string, arguments ...string) {
	line := name
	for _, argument := range arguments {
		line += ` "` + strings.ReplaceAll(escapeRoff(argument), `"`, `\(dq`) + `"`
	}
	r.line(line)
}

func (r *roff) section(name string) { r.request(".SH", name) }

// line writes a line of roff.
func (r *roff) line(text string) { r.out.WriteString(text + "\n") }

// text writes a text as one paragraph, and escapes a beginning that looks like a request.
func (r *roff) text(text string) {
	text = escapeRoff(strings.Join(strings.Fields(plain(text)), " "))
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	r.line(text)
}

// paragraphs writes a text with blank lines between its paragraphs.
func (r *roff) paragraphs(text string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			r.line(".PP")
		}
		r.text(paragraph)
	}
}

// item writes a word, its argument if it has one, and its meaning.
func (r *roff) item(word, argument, about string) {
	r.line(".TP")
	head := `\fB` + escapeRoff(plain(word)) + `\fR`
	if argument != "" {
		head += ` \fI` + escapeRoff(plain(argument)) + `\fR`
	}
	r.line(head)
	r.text(about)
}

// plain removes the backquotes from a text.
func plain(text string) string { return strings.ReplaceAll(text, "`", "") }

// escapeRoff escapes the characters that are special in roff, and those beyond ASCII that
// older readers do not know.
func escapeRoff(text string) string { return roffEscapes.Replace(text) }

var roffEscapes = strings.NewReplacer(
	`\`, `\e`, "-", `\-`, "…", "...", "–", `\(en`, "—", `\(em`, "“", `\(lq`, "”", `\(rq`, "’", `\(cq`, "~", `\(ti`, "^", `\(ha`,
)
