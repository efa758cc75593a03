package edit

import (
	"bytes"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
)

// TagRename renames a tag and the tags nested in it. What lies in code, links and addresses is not a tag and stays.
type TagRename struct {
	from []vpath.Key // its parts
	to   string
	word []byte // in every frontmatter with the tag, once that is in lower case
}

// NewTagRename makes the renaming of a tag. Both names come without #.
func NewTagRename(from, to string) TagRename {
	return TagRename{from: tagParts(from), to: to, word: plainWord(from)}
}

// plainWord returns the longest run of ASCII letters and digits of a tag, in lower case: other characters may be escaped or
// composed in several ways.
func plainWord(tag string) []byte {
	longest := ""
	for word := range strings.FieldsFuncSeq(strings.ToLower(tag), func(r rune) bool { return r < '0' || '9' < r && r < 'a' || r > 'z' }) {
		if len(word) > len(longest) {
			longest = word
		}
	}
	return []byte(longest)
}

func tagParts(tag string) []vpath.Key {
	var parts []vpath.Key
	for part := range strings.SplitSeq(tag, "/") {
		parts = append(parts, vpath.FoldKey(part))
	}
	return parts
}

// Of returns the new name of a tag, and whether it changes.
func (r TagRename) Of(tag string) (string, bool) {
	parts := tagParts(tag)
	if len(parts) < len(r.from) || !slices.Equal(parts[:len(r.from)], r.from) {
		return tag, false
	}
	renamed := r.to
	if rest := strings.SplitN(tag, "/", len(r.from)+1); len(rest) > len(r.from) {
		renamed += "/" + rest[len(r.from)]
	}
	return renamed, renamed != tag
}

// Splices returns the changes in a note, one for each tag. Frontmatter that cannot be read is an error.
func (r TagRename) Splices(note *md.Note) ([]md.Splice, error) {
	splices, err := r.frontmatter(note)
	if err != nil {
		return nil, err
	}
	for _, span := range note.Tags {
		if renamed, changed := r.Of(string(note.Source[span.Start+1 : span.End])); changed {
			splices = append(splices, md.Splice{Span: md.Span{Start: span.Start + 1, End: span.End}, Text: []byte(renamed)})
		}
	}
	return splices, nil
}

// Headings returns what rewrites the links to the headings of a note that contain the tag, or nil if there are none.
func (r TagRename) Headings(set *vpath.Set, path vpath.Path, note *md.Note) *Reanchor {
	texts := map[int]string{}
	for i, heading := range note.Headings {
		var inside []md.Splice
		for _, span := range note.Tags {
			renamed, changed := r.Of(string(note.Source[span.Start+1 : span.End]))
			if changed && heading.Text.Start <= span.Start && span.End <= heading.Text.End {
				at := md.Span{Start: span.Start + 1 - heading.Text.Start, End: span.End - heading.Text.Start}
				inside = append(inside, md.Splice{Span: at, Text: []byte(renamed)})
			}
		}
		if len(inside) > 0 {
			texts[i] = string(md.Apply(heading.Text.Of(note.Source), inside))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return &Reanchor{set: set, path: path, rename: renameHeadings(note, texts)}
}

// MayBeIn reports whether a frontmatter may have the tag.
func (r TagRename) MayBeIn(frontmatter string) bool {
	return bytes.Contains(bytes.ToLower([]byte(frontmatter)), r.word)
}

// frontmatter renames the tags of the properties tags and tag.
func (r TagRename) frontmatter(note *md.Note) ([]md.Splice, error) {
	if !note.Front.Present || !r.MayBeIn(string(note.Front.YAML.Of(note.Source))) {
		return nil, nil
	}
	return editProperties(note, func(block *front.Block) ([]md.Splice, error) {
		var splices []md.Splice
		for _, key := range []string{tagsKey, "tag"} {
			changed, err := block.ReplaceTexts(key, r.inText)
			if err != nil {
				return nil, err
			}
			splices = append(splices, changed...)
		}
		return splices, nil
	})
}

// Changes reports whether the value of the property tags or tag changes.
func (r TagRename) Changes(value front.Value) bool {
	if value.Kind == front.List {
		return slices.ContainsFunc(value.Items, r.Changes)
	}
	_, changed := r.inText(value.Text)
	return changed && value.Kind == front.Text
}

// inText renames the tags in a text that holds one, or several separated by commas or spaces, each perhaps with a #. A tag
// that is there already is not repeated.
func (r TagRename) inText(text string) (string, bool) {
	var out strings.Builder
	changed := false
	present := map[vpath.Key]bool{}
	words := tagWords(text)
	for _, word := range words {
		if _, differs := r.Of(word.tag); !differs {
			present[vpath.FoldKey(word.tag)] = true
		}
	}
	for _, word := range words {
		renamed, differs := r.Of(word.tag)
		if differs {
			changed = true
			key := vpath.FoldKey(renamed)
			if present[key] && len(words) > 1 {
				continue
			}
			present[key] = true
		}
		if out.Len() > 0 {
			out.WriteString(word.before)
		}
		out.WriteString(word.mark + renamed)
	}
	return out.String(), changed
}

// tagWord is a tag in a text, with what separates it from the one before.
type tagWord struct{ before, mark, tag string }

func tagWords(text string) []tagWord {
	const separators = ", \t"
	var words []tagWord
	for text != "" {
		rest := strings.TrimLeft(text, separators)
		before := text[:len(text)-len(rest)]
		end := strings.IndexAny(rest, separators)
		if end < 0 {
			end = len(rest)
		}
		tag := strings.TrimPrefix(rest[:end], "#")
		if end > 0 {
			words = append(words, tagWord{before, rest[:end-len(tag)], tag})
		}
		text = rest[end:]
	}
	return words
}
