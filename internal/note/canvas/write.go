package canvas

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/md"
)

// layout says how the text of a list or an object is laid out. Each part holds white space, and a comma in between.
type layout struct {
	open, between, close string
	colon                string // after the key of an object, with the colon
}

// write returns the canvas with all changes.
func (e *editor) write() []byte {
	if e.root == nil || len(e.root.members) == 0 {
		return e.writeNew()
	}
	var splices []md.Splice
	missing := ""
	for _, list := range []struct {
		key    string
		source *value
		keys   []string
		items  []*item
	}{{"nodes", e.file.nodes, nodeKeys, e.nodes}, {"edges", e.file.edges, edgeKeys, e.edges}} {
		switch isNew := slices.ContainsFunc(list.items, (*item).isNew); {
		case list.source != nil && (isNew || slices.ContainsFunc(list.items, (*item).isDropped)):
			splices = append(splices, replacing(list.source.span, e.list(list.source, list.keys, list.items)))
		case list.source != nil:
			for _, changed := range list.items {
				if changed.source != nil {
					splices = append(splices, replacing(changed.source.span, e.object(changed, list.keys, layout{})))
				}
			}
		case isNew:
			missing += e.newMember(list.key, e.list(nil, list.keys, list.items))
		}
	}
	if last := e.root.members[len(e.root.members)-1].value.end; missing != "" {
		splices = append(splices, replacing(span{last, last}, missing))
	}
	return md.Apply(e.src, splices)
}

// isNew reports whether the edit adds an item.
func (i *item) isNew() bool { return i.source == nil && !i.removed }

// isDropped reports whether the edit removes an item of the file.
func (i *item) isDropped() bool { return i.source != nil && i.removed }

// replacing returns the splice that puts a text in the place of a span.
func replacing(at span, text string) md.Splice {
	return md.Splice{Span: md.Span{Start: at.start, End: at.end}, Text: []byte(text)}
}

// writeNew writes a canvas that had no content, as Obsidian lays it out.
func (e *editor) writeNew() []byte {
	added := slices.ContainsFunc(slices.Concat(e.nodes, e.edges), (*item).isNew)
	if !added {
		return e.src
	}
	newline := e.newline()
	compact := layout{between: ",", colon: ":"}
	list := func(items []*item, keys []string) string {
		var objects []string
		for _, item := range items {
			if item.isNew() {
				objects = append(objects, newline+"\t\t"+e.object(item, keys, compact))
			}
		}
		if len(objects) == 0 {
			return "[]"
		}
		return "[" + strings.Join(objects, ",") + newline + "\t]"
	}
	text := "{" + newline + "\t\"nodes\":" + list(e.nodes, nodeKeys) + "," + newline + "\t\"edges\":" + list(e.edges, edgeKeys) + newline + "}"
	if e.root != nil {
		return md.Apply(e.src, []md.Splice{replacing(e.root.span, text)})
	}
	if bytes.HasPrefix(e.src, byteOrderMark) {
		text = string(byteOrderMark) + text
	}
	return []byte(text)
}

// newline is how the file ends its lines.
func (e *editor) newline() string {
	if at := bytes.IndexByte(e.src, '\n'); at > 0 && e.src[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// list writes a list: what stays with the bytes around it, then what is new.
func (e *editor) list(source *value, keys []string, items []*item) string {
	outer, inner := e.layoutOfList(source)
	var out strings.Builder
	count := 0
	put := func(between, text string) {
		if count++; count == 1 {
			between = outer.open
		}
		out.WriteString(between + text)
	}
	byStart := map[int]*item{}
	for _, item := range items {
		if item.source != nil {
			byStart[item.source.start] = item
		}
	}
	if source != nil {
		for i, old := range source.items {
			between := ""
			if i > 0 {
				between = string(e.src[source.items[i-1].end:old.start])
			}
			if item := byStart[old.start]; item == nil {
				put(between, string(old.of(e.src)))
			} else if !item.removed {
				put(between, e.object(item, keys, inner))
			}
		}
	}
	for _, item := range items {
		if item.isNew() {
			put(outer.between, e.object(item, keys, inner))
		}
	}
	if count == 0 {
		return "[]"
	}
	return "[" + out.String() + outer.close + "]"
}

// object writes a node or an edge: a new one in the given layout, one of the file with its own bytes around the changes.
func (e *editor) object(written *item, keys []string, inner layout) string {
	if written.source == nil {
		var members []string
		for _, key := range keys {
			if text, given := written.set[key]; given {
				members = append(members, quote(key)+inner.colon+text)
			}
		}
		return "{" + inner.open + strings.Join(members, inner.between) + inner.close + "}"
	}
	source := written.source
	if len(written.set)+len(written.unset) == 0 {
		return string(source.of(e.src))
	}
	var splices []md.Splice
	added := ""
	inner = e.layoutOfObject(source)
	for _, key := range keys {
		text, isSet := written.set[key]
		old := source.get(key)
		switch {
		case isSet && old == nil:
			added += inner.between + quote(key) + inner.colon + text
		case isSet && !e.same(old, text):
			splices = append(splices, replacing(span{old.start - source.start, old.end - source.start}, text))
		}
	}
	for _, gap := range source.without(written.unset) {
		splices = append(splices, replacing(span{gap.start - source.start, gap.end - source.start}, ""))
	}
	if added != "" {
		last := source.members[len(source.members)-1].value.end - source.start
		splices = append(splices, replacing(span{last, last}, added))
	}
	return string(md.Apply(source.of(e.src), splices))
}

// without returns the spans to cut so that an object loses some of its keys, each with one comma.
func (v *value) without(keys map[string]bool) (cuts []span) {
	kept := false
	for i, member := range v.members {
		switch {
		case !keys[member.key]:
			kept = true
		case kept:
			cuts = append(cuts, span{v.members[i-1].value.end, member.value.end})
		case i+1 < len(v.members):
			cuts = append(cuts, span{member.at.start, v.members[i+1].at.start})
		}
	}
	return cuts
}

// same reports whether a value of the file already is what is to be written, however it is spelt.
func (e *editor) same(old *value, text string) bool {
	if before, isText := old.text(e.src); isText {
		return quote(before) == text
	}
	before, err := strconv.ParseFloat(string(old.of(e.src)), 64)
	after, _ := strconv.ParseFloat(text, 64)
	return old.kind == '0' && err == nil && before == after
}

// newMember writes a list that the file does not have yet, as the last key of the file.
func (e *editor) newMember(key, list string) string {
	own := e.layoutOfObject(e.root)
	return own.between + quote(key) + own.colon + list
}

// layoutOfList says how a list and the objects in it are laid out: as it is, else as the other list of the file, else as
// the file itself.
func (e *editor) layoutOfList(source *value) (outer, inner layout) {
	for _, list := range []*value{source, e.file.nodes, e.file.edges} {
		if list == nil {
			continue
		}
		for i := len(list.items) - 1; i >= 0; i-- {
			if item := list.items[i]; item.kind == '{' && len(item.members) > 0 {
				inner = e.layoutOfObject(item)
				if source != nil && len(source.items) > 0 {
					list = source
				}
				return e.layoutAround(list, inner), inner
			}
		}
	}
	own, compact := e.layoutOfObject(e.root), layout{between: ",", colon: ":"}
	if !strings.Contains(own.open, "\n") {
		if own.colon != ":" || own.between != "," {
			compact = layout{between: ", ", colon: ": "}
		}
		return layout{between: compact.between}, compact
	}
	_, indent, _ := strings.Cut(own.open, "\n")
	deeper := own.open + indent
	outer = layout{open: deeper, between: "," + deeper, close: own.open}
	if own.colon != ":" { // pretty-printed: each key on a line of its own
		return outer, layout{open: deeper + indent, between: "," + deeper + indent, close: deeper, colon: own.colon}
	}
	return outer, compact
}

// layoutAround says how a list is laid out that has at least one item.
func (e *editor) layoutAround(list *value, inner layout) layout {
	first, last := list.items[0], list.items[len(list.items)-1]
	around := layout{open: string(e.src[list.start+1 : first.start]), close: string(e.src[last.end : list.end-1])}
	switch {
	case len(list.items) > 1:
		around.between = string(e.src[list.items[len(list.items)-2].end:last.start])
	case strings.Contains(around.open, "\n"):
		around.between = "," + around.open
	case strings.Contains(inner.between, "\n"):
		around.between = ", "
	default:
		around.between = inner.between
	}
	return around
}

// layoutOfObject says how an object is laid out that has at least one key.
func (e *editor) layoutOfObject(object *value) layout {
	first, last := object.members[0], object.members[len(object.members)-1]
	own := layout{
		open:  string(e.src[object.start+1 : first.at.start]),
		close: string(e.src[last.value.end : object.end-1]),
		colon: string(e.src[first.at.end:first.value.start]),
	}
	switch {
	case len(object.members) > 1:
		own.between = string(e.src[object.members[len(object.members)-2].value.end:last.at.start])
	case strings.Contains(own.open, "\n"):
		own.between = "," + own.open
	case own.colon != ":":
		own.between = ", "
	default:
		own.between = ","
	}
	return own
}

// quote writes a text as JSON, as JavaScript would.
func quote(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r < 0x20:
			if at := strings.IndexRune("\b\t\n\f\r", r); at >= 0 {
				out.WriteString(`\` + string("btnfr"[at]))
			} else {
				const hex = "0123456789abcdef"
				out.WriteString(`\u00` + string(hex[r>>4]) + string(hex[r&15]))
			}
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
