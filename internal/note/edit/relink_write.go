package edit

import (
	"path"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// rewrite rewrites one link if necessary.
func (s *source) rewrite(
	src []byte, link md.Link, target string, form linkForm, quote func(string) string,
) (rewritten, bool) {
	linkPath, subpath := md.SplitTarget(target)
	if s.relinker.parts != nil && subpath != "" {
		return s.rewritePart(src, link, linkPath, subpath, form, quote)
	}
	was, is, breaks := s.target(linkPath)
	if !breaks {
		if dest, ok := s.carried(linkPath); ok {
			return withDestination(src, link, dest, subpath, form, quote), true
		}
		return rewritten{}, false
	}
	dest, form, ok := s.destination(link, is, form)
	if !ok {
		return rewritten{}, false
	}
	if subpath != "" && s.relinker.lacks != nil && s.relinker.lacks(subpath) {
		return withoutSubpath(src, link, dest, form, quote), true
	}
	changed := withDestination(src, link, dest, subpath, form, quote)
	if form < encoded && link.Kind != md.Definition && link.HasText && is.Name() != was.Name() &&
		string(link.Text.Of(src)) == quote(was.Name()) && canShow(was.Name()) && canShow(is.Name()) {
		changed.splices = append(changed.splices, md.Splice{Span: link.Text, Text: []byte(quote(is.Name()))})
	}
	return changed, true
}

// carried returns the destination with which an unresolved relative link of a moved note still points to the same path:
// there may be a file that the set does not contain.
func (s *source) carried(linkPath string) (string, bool) {
	isRelative := strings.HasPrefix(linkPath, "./") || strings.HasPrefix(linkPath, "../")
	if !s.relinker.pins || s.from == s.path || !isRelative {
		return "", false
	}
	if _, ok := s.old.Resolve(linkPath); ok {
		return "", false
	}
	target := path.Join(string(s.from.Dir()), linkPath)
	if target == ".." || strings.HasPrefix(target, "../") {
		return "", false // outside the vault
	}
	dest := relativeTo(string(s.path.Dir()), target)
	return dest, dest != linkPath
}

// relativeTo returns the path from a folder to a target.
func relativeTo(folder, target string) string {
	up := ""
	for folder != "" && !strings.HasPrefix(target+"/", folder+"/") {
		up += "../"
		folder = strings.TrimSuffix(path.Dir(folder), ".")
	}
	if folder != "" {
		target = strings.TrimPrefix(target, folder+"/")
	}
	if up == "" {
		up = "./"
	}
	return up + target
}

// canShow reports whether a name can be the text of a link without escaping.
func canShow(name string) bool { return !strings.ContainsAny(name, "[]|\\`<$") }

// withDestination returns a link with a new destination and its old subpath.
func withDestination(
	src []byte, link md.Link, dest, subpath string, form linkForm, quote func(string) string,
) rewritten {
	changed := rewritten{target: dest + subpath}
	switch {
	case form >= encoded && link.Kind == md.WikiLink:
		changed.splices = asMarkdown(src, link, changed.target, form)
	case form >= encoded:
		changed.splices = []md.Splice{{Span: link.Dest, Text: []byte(encodeAll(changed.target))}}
		if form == spaced && link.Kind == md.MarkdownLink {
			changed.splices = append(insert(openingOf(link), " "), changed.splices...)
		}
	default:
		changed.splices = []md.Splice{{Span: link.PathSpan(src), Text: []byte(quote(written(link, dest)))}}
	}
	return changed
}

// withoutSubpath returns a link with a new destination and no subpath.
func withoutSubpath(src []byte, link md.Link, dest string, form linkForm, quote func(string) string) rewritten {
	changed := withDestination(src, link, dest, "", form, quote)
	if form < encoded {
		changed.splices = []md.Splice{{Span: link.Dest, Text: []byte(quote(written(link, dest)))}}
	}
	return changed
}

// openingOf returns where the destination of a Markdown link starts, including its <.
func openingOf(link md.Link) int {
	if link.Angled {
		return link.Dest.Start - 1
	}
	return link.Dest.Start
}

// asMarkdown turns a wikilink into a Markdown link that shows the same text and contains no character that could be a
// mark.
func asMarkdown(src []byte, link md.Link, target string, form linkForm) []md.Splice {
	var shown string
	if link.HasText {
		shown = string(link.Text.Of(src))
	} else {
		linkPath, subpath := md.SplitTarget(target)
		name := vpath.Path(linkPath).Name()
		shown = strings.TrimPrefix(name+strings.ReplaceAll(subpath, "#", " > "), " > ")
	}
	gap := ""
	if form == spaced {
		gap = " "
	}
	start := link.Start
	if link.Embed {
		start++ // the ! stays
	}
	text := "[" + withoutMarks.Replace(shown) + "](" + gap + encodeAll(target) + ")"
	return []md.Splice{{Span: md.Span{Start: start, End: link.End}, Text: []byte(text)}}
}

// withoutMarks replaces the marks of Markdown by HTML entities. Backslashes would not help: code that starts at a stray
// backtick before the link ignores them.
var withoutMarks = strings.NewReplacer(
	`\|`, "&verbar;", "|", "&verbar;", `\`, "&bsol;", "`", "&grave;", "$", "&dollar;", "%", "&percnt;",
	"<", "&lt;", ">", "&gt;", "[", "&lbrack;", "]", "&rbrack;", "#", "&num;", "^", "&Hat;",
)
