package web

import (
	"regexp"
	"strings"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
)

// embeds tells the writer which callouts of a text are embedded notes, as read_note marks them.
type embeds struct {
	label string // their type; "" if there are none
	// resolve has, for embedded notes, a function that finds what their links mean. Links of others are taken literally.
	resolve map[string]func(link string) (path string, ok bool)
}

// mostEmbedded is how many embedded notes have their links resolved, each with a call of a tool.
const mostEmbedded = 16

// otherLabel finds the type of callout in the hint that read_note gives if notes have callouts of the usual type.
var otherLabel = regexp.MustCompile(`\[!(embed-[0-9]+)\]`)

func embedLabel(hints []tool.Hint) string {
	for _, hint := range hints {
		if found := otherLabel.FindStringSubmatch(hint.Text); found != nil {
			return found[1]
		}
	}
	return "embed"
}

// embedsOf prepares the embeds of a note's text.
func (v *visit) embedsOf(text noteText) embeds {
	e := embeds{label: text.Label, resolve: map[string]func(string) (string, bool){}}
	if e.label == "" {
		return e
	}
	mark := "[!" + e.label + "] "
	for line := range strings.Lines(text.Text) {
		_, head, found := strings.Cut(line, mark)
		file, _, named := embedSource(strings.TrimRight(head, "\r\n"))
		if !found || !named || e.resolve[file] != nil {
			continue
		}
		if len(e.resolve) == mostEmbedded {
			break
		}
		if resolve := v.resolver(file); resolve != nil {
			e.resolve[file] = resolve
		}
	}
	return e
}

// embedSource returns the note and the part of it that the head of an embed names. Other heads say why there is none.
func embedSource(head string) (file, sub string, ok bool) {
	if strings.HasPrefix(head, "![") {
		return "", "", false
	}
	for at := range head {
		if head[at] == '#' && vpath.Path(head[:at]).IsNote() {
			return head[:at], head[at:], true
		}
	}
	return head, "", vpath.Path(head).IsNote()
}

// embedded writes an embedded note as a quote that begins with a link to it. Its links are those of that note.
func (w *markdownWriter) embedded(head *callout) {
	w.raw(`<blockquote class="embedded"><p class="embedded-from">`)
	file, sub, ok := embedSource(string(withoutUnseen(head.Lines().Value(w.source))))
	outer, resolve := w.from, w.markdown.resolve
	if ok {
		name := strings.TrimSuffix(file, vpath.NoteExt) + strings.ReplaceAll(sub, "#", " › ")
		w.link(target{Href: w.markdown.base + noteURL(file) + fragmentOf(sub)}, "", func() { w.escape([]byte(name)) })
		w.from, w.markdown.resolve = file, w.markdown.embeds.resolve[file]
	} else {
		w.children(head)
	}
	w.raw("</p>\n")
	for child := head.NextSibling(); child != nil; child = child.NextSibling() {
		w.node(child)
	}
	w.from, w.markdown.resolve = outer, resolve
	w.raw("</blockquote>")
}

// isEmbed reports whether a callout holds an embedded note.
func (w *markdownWriter) isEmbed(head *callout) bool {
	return w.markdown.embeds.label != "" && head.written == w.markdown.embeds.label
}

// withinEmbedded returns where a link leads that names no file, in an embedded note: to that note's page.
func (w *markdownWriter) withinEmbedded(sub string) target {
	if strings.Trim(sub, "#") == "" {
		return target{Missing: true}
	}
	return target{Href: w.markdown.base + noteURL(w.from) + fragmentOf(sub)}
}

// fragmentOf returns the fragment of an address that leads to a heading; "" for blocks, which have no address.
func fragmentOf(sub string) string {
	if heading := sub[strings.LastIndexByte(sub, '#')+1:]; heading != "" && !strings.HasPrefix(heading, "^") {
		return "#" + headingID(heading)
	}
	return ""
}
