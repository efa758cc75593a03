package web

import (
	"bytes"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/surface/web/html"
)

func (w *markdownWriter) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		w.text(n)
	case *ast.String:
		w.escape(n.Value)
	case *ast.CodeSpan:
		w.raw("<code>")
		w.escape([]byte(strings.ReplaceAll(plainText(n, w.source), "\n", " ")))
		w.raw("</code>")
	case *ast.Emphasis:
		w.within([]string{"em", "strong"}[min(n.Level-1, 1)], n)
	case *extended.Strikethrough:
		w.within("del", n)
	case *ast.RawHTML:
		if tag := n.Segments.Value(w.source); w.isResultTag(n, tag) {
			w.raw("%s", tag)
		} else {
			w.tag(tag)
		}
	case *span:
		w.span(n)
	}
}

// text writes a run of text. Line ends become line breaks, as in Obsidian.
func (w *markdownWriter) text(n *ast.Text) {
	if n.IsRaw() {
		w.escape(n.Segment.Value(w.source))
	} else {
		w.resolved(n.Segment.Value(w.source))
	}
	if n.HardLineBreak() || n.SoftLineBreak() {
		w.raw("<br>\n")
	}
}

var tagName = regexp.MustCompile(`^</?([A-Za-z][A-Za-z0-9-]*)`)

// styling lists the tags that only change how text looks; their text is enough.
var styling = map[string]bool{
	"b": true, "big": true, "center": true, "em": true, "font": true, "i": true, "kbd": true, "mark": true, "p": true,
	"s": true, "small": true, "span": true, "strong": true, "sub": true, "sup": true, "u": true,
}

// tag shows a raw HTML tag as text, unless dropping it loses nothing.
func (w *markdownWriter) tag(text []byte) {
	found := tagName.FindSubmatch(text)
	switch {
	case bytes.HasPrefix(text, []byte("<!--")):
	case found != nil && strings.EqualFold(string(found[1]), "br"):
		w.raw("<br>")
	case found != nil && styling[strings.ToLower(string(found[1]))]:
	default:
		w.escape(text)
	}
}

func (w *markdownWriter) span(n *span) {
	switch n.kind {
	case tagKind:
		tag := "#" + string(n.text)
		w.link(target{Href: w.markdown.base + searchURL("tag:"+tag)}, "tag", func() { w.escape([]byte(tag)) })
	case mathKind:
		w.raw(`<code class="math">`)
		w.escape(n.text)
		w.raw("</code>")
	case highlightKind:
		w.within("mark", n)
	case taskKind:
		w.task(n.text)
	case wikiLinkKind:
		w.wikiLink(n)
	}
}

// task writes the box of a task, with an unusual mark beside it.
func (w *markdownWriter) task(mark []byte) {
	switch string(mark) {
	case " ":
		w.raw(`<input type="checkbox" disabled aria-label="to do"> `)
	case "x", "X":
		w.raw(`<input type="checkbox" disabled checked aria-label="done"> `)
	default:
		w.raw(`<input type="checkbox" disabled checked aria-label="marked"> <span class="now">`)
		w.escape(mark)
		w.raw("</span> ")
	}
}

func (w *markdownWriter) wikiLink(n *span) {
	to := w.inside(n.dest)
	switch {
	case n.embed && to.Image:
		w.image(to, n)
	case n.embed:
		w.link(to, "embed", func() { w.escape([]byte(n.shown())) })
	default:
		w.link(to, "", func() { w.escape([]byte(n.shown())) })
	}
}

// shown returns the text that a span shows.
func (s *span) shown() string {
	switch {
	case len(s.text) > 0 && !(s.embed && isSize(string(s.text))):
		return string(s.text)
	case s.kind != wikiLinkKind:
		return string(s.text)
	}
	file, sub := md.SplitTarget(s.dest)
	name := strings.TrimSuffix(path.Base("/"+file), ".md")
	if file == "" {
		name = ""
	}
	name = strings.ReplaceAll(name, hash, "#")
	return strings.TrimSpace(name + strings.ReplaceAll(sub, "#", " › "))
}

var pictureSize = regexp.MustCompile(`^([0-9]{1,4})(?:x[0-9]{1,4})?$`)

func isSize(text string) bool { return pictureSize.MatchString(text) }

// image writes a picture from the vault, as wide as the note asks for.
func (w *markdownWriter) image(to target, n *span) {
	w.raw(`<img loading="lazy" src="`)
	w.escape([]byte(to.Href))
	w.raw(`" alt="`)
	w.escape([]byte(n.shown()))
	w.raw(`"`)
	if found := pictureSize.FindSubmatch(n.text); found != nil {
		width, _ := strconv.Atoi(string(found[1])) // found is digits
		w.raw(` width="%d"`, width)
	}
	w.raw(">")
}

func (w *markdownWriter) reference(n ast.Node) {
	switch n := n.(type) {
	case *ast.Link:
		w.link(w.targetOf(address(n.Destination)), "", func() { w.children(n) })
	case *ast.AutoLink:
		to, _ := outside(autoAddress(n, w.source))
		w.link(to, "", func() { w.escape(n.Label(w.source)) })
	case *ast.Image:
		w.markdownImage(n)
	case *extended.FootnoteLink:
		w.raw(`<sup><a href="#fn-%s%d" id="fnref-%s%d-%d" aria-label="Footnote %d">%d</a></sup>`,
			w.part, n.Index, w.part, n.Index, n.RefIndex, n.Index, n.Index)
	case *extended.FootnoteBacklink:
		w.raw(` <a href="#fnref-%s%d-%d" aria-label="Back to the text">↩</a>`, w.part, n.Index, n.RefIndex)
	}
}

// address resolves the escapes and entities of a destination.
func address(written []byte) string {
	if len(written) > maxAddress {
		return string(written[:maxAddress+1]) // too long to lead anywhere; a definition may be used many times
	}
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(written)))
}

func autoAddress(n *ast.AutoLink, source []byte) string {
	written := string(n.URL(source))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(written), "mailto:") {
		return "mailto:" + written
	}
	return written
}

// targetOf returns where a Markdown link leads: out of the vault, or to another file.
func (w *markdownWriter) targetOf(address string) target {
	if len(address) > maxAddress {
		return target{}
	}
	if to, ok := outside(address); ok {
		return to
	}
	if html.Scheme(address) != "" {
		return target{}
	}
	return w.inside(md.PercentDecode(address))
}

// markdownImage writes ![text](target): a picture from the vault is shown, one from
// elsewhere becomes a link.
func (w *markdownWriter) markdownImage(n *ast.Image) {
	to := w.targetOf(address(n.Destination))
	shown, size, _ := strings.Cut(plainText(n, w.source), "|")
	switch {
	case to.Image:
		w.image(to, &span{kind: wikiLinkKind, embed: true, dest: shown, text: []byte(size)})
	case to.Outside:
		w.link(to, "picture", func() { w.escape([]byte("image: " + strings.TrimSpace(shown+" ("+to.Host+")"))) })
	default:
		w.link(to, "", func() { w.escape([]byte("image: " + shown)) })
	}
}

// link writes a link. If it leads nowhere or is nested in another link, only its text
// is written.
func (w *markdownWriter) link(to target, class string, text func()) {
	switch {
	case w.inLink:
		text()
		return
	case to.Missing:
		w.raw(`<span class="missing" title="There is no such note">`)
	case to.Href == "":
		w.raw(`<span class="nowhere">`)
	default:
		w.raw(`<a href="`)
		w.escape([]byte(to.Href))
		w.raw(`"`)
		if class != "" {
			w.raw(` class="%s"`, class)
		}
		if to.Outside {
			w.raw(` rel="noopener noreferrer nofollow" target="_blank"`)
		}
		w.raw(">")
		w.inLink = true
		text()
		w.inLink = false
		w.raw("</a>")
		return
	}
	text()
	w.raw("</span>")
}
