package edit

import (
	"path"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// write writes one link anew if it has to be.
func (s *source) write(src []byte, link md.Link, target string, how way, quote func(string) string) (rewritten, bool) {
	linkPath, subpath := md.SplitTarget(target)
	was, is, breaks := s.target(linkPath)
	if !breaks {
		if dest, ok := s.carried(linkPath); ok {
			return asWritten(src, link, dest, subpath, how, quote), true
		}
		return rewritten{}, false
	}
	dest, how, ok := s.destination(link, is, how)
	if !ok {
		return rewritten{}, false
	}
	changed := asWritten(src, link, dest, subpath, how, quote)
	if how < encoded && link.Kind != md.Definition && link.HasText && is.Name() != was.Name() &&
		string(link.Text.Of(src)) == quote(was.Name()) && canShow(was.Name()) && canShow(is.Name()) {
		changed.splices = append(changed.splices, md.Splice{Span: link.Text, Text: []byte(quote(is.Name()))})
	}
	return changed, true
}

// carried is how a relative link of a moved note that means nothing here names
// the same place as before: there may be a file that the relinker does not know
// of. What is there does not matter.
func (s *source) carried(linkPath string) (string, bool) {
	isRelative := strings.HasPrefix(linkPath, "./") || strings.HasPrefix(linkPath, "../")
	if !s.pins || s.from == s.path || !isRelative {
		return "", false
	}
	if _, known := s.old.Resolve(linkPath); known {
		return "", false
	}
	place := path.Join(string(s.from.Dir()), linkPath)
	if place == ".." || strings.HasPrefix(place, "../") {
		return "", false // outside of the vault
	}
	dest := relativeTo(string(s.path.Dir()), place)
	return dest, dest != linkPath
}

// relativeTo is the way from a folder to a place.
func relativeTo(folder, place string) string {
	up := ""
	for folder != "" && !strings.HasPrefix(place+"/", folder+"/") {
		up += "../"
		folder = strings.TrimSuffix(path.Dir(folder), ".")
	}
	if folder != "" {
		place = strings.TrimPrefix(place, folder+"/")
	}
	if up == "" {
		up = "./"
	}
	return up + place
}

// canShow reports whether a name can stand as a link's text as it is.
func canShow(name string) bool { return !strings.ContainsAny(name, "[]|\\`<$") }

// asWritten is a link whose destination is another, its subpath as it was.
func asWritten(src []byte, link md.Link, dest, subpath string, how way, quote func(string) string) rewritten {
	changed := rewritten{target: dest + subpath}
	switch {
	case how >= encoded && link.Kind == md.WikiLink:
		changed.splices = asMarkdown(src, link, changed.target, how)
	case how >= encoded:
		changed.splices = []md.Splice{{Span: link.Dest, Text: []byte(encodeAll(changed.target))}}
		if how == spaced && link.Kind == md.MarkdownLink {
			changed.splices = append(insert(openingOf(link), " "), changed.splices...)
		}
	default:
		changed.splices = []md.Splice{{Span: link.PathSpan(src), Text: []byte(quote(written(link, dest)))}}
	}
	return changed
}

// openingOf is where a Markdown link's destination begins, its < included.
func openingOf(link md.Link) int {
	if link.Angled {
		return link.Dest.Start - 1
	}
	return link.Dest.Start
}

// asMarkdown writes a wikilink as a Markdown link, in which no character of
// path, subpath and text can be taken for a mark. It shows what it showed.
func asMarkdown(src []byte, link md.Link, target string, how way) []md.Splice {
	var shown string
	if link.HasText {
		shown = string(link.Text.Of(src))
	} else {
		linkPath, subpath := md.SplitTarget(target)
		name := vpath.Path(linkPath).Name()
		shown = strings.TrimPrefix(name+strings.ReplaceAll(subpath, "#", " > "), " > ")
	}
	gap := ""
	if how == spaced {
		gap = " "
	}
	start := link.Start
	if link.Embed {
		start++ // the ! stays
	}
	text := "[" + withoutMarks.Replace(shown) + "](" + gap + encodeAll(target) + ")"
	return []md.Splice{{Span: md.Span{Start: start, End: link.End}, Text: []byte(text)}}
}

// withoutMarks writes text so that it holds no mark of Markdown. A backslash
// would not do: a stray backtick before the link sees no backslashes.
var withoutMarks = strings.NewReplacer(
	`\|`, "&verbar;", "|", "&verbar;", `\`, "&bsol;", "`", "&grave;", "$", "&dollar;", "%", "&percnt;",
	"<", "&lt;", ">", "&gt;", "[", "&lbrack;", "]", "&rbrack;", "#", "&num;", "^", "&Hat;",
)
