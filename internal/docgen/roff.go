package docgen

import "strings"

// roff writes the lines of a manual page. What it is given is text: nothing in
// it is taken for a request.
type roff struct{ strings.Builder }

// request writes a request with quoted arguments.
func (r *roff) request(name string, arguments ...string) {
	line := name
	for _, argument := range arguments {
		line += ` "` + strings.ReplaceAll(escapeRoff(argument), `"`, `\(dq`) + `"`
	}
	r.line(line)
}

func (r *roff) section(name string) { r.request(".SH", name) }

// line writes a line that is roff already.
func (r *roff) line(text string) { r.WriteString(text + "\n") }

// text writes a text as one paragraph. A line that begins as a request does is
// kept from being one.
func (r *roff) text(text string) {
	text = escapeRoff(strings.Join(strings.Fields(plain(text)), " "))
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	r.line(text)
}

// paragraphs writes a text that has blank lines between its paragraphs.
func (r *roff) paragraphs(text string) {
	for i, one := range strings.Split(text, "\n\n") {
		if i > 0 {
			r.line(".PP")
		}
		r.text(one)
	}
}

// item writes a word and what it means; argument is what follows the word.
func (r *roff) item(word, argument, about string) {
	r.line(".TP")
	head := `\fB` + escapeRoff(plain(word)) + `\fR`
	if argument != "" {
		head += ` \fI` + escapeRoff(plain(argument)) + `\fR`
	}
	r.line(head)
	r.text(about)
}

// plain takes the code marks off a text.
func plain(text string) string { return strings.ReplaceAll(text, "`", "") }

// escapeRoff writes the characters that roff takes for its own, and those beyond
// ASCII that older readers do not know.
func escapeRoff(text string) string { return roffEscapes.Replace(text) }

var roffEscapes = strings.NewReplacer(
	`\`, `\e`, "-", `\-`, "…", "...", "–", `\(en`, "—", `\(em`, "“", `\(lq`, "”", `\(rq`, "’", `\(cq`, "~", `\(ti`, "^", `\(ha`,
)
