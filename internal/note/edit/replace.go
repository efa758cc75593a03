package edit

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
)

// Replacement replaces every occurrence of a text in a note.
type Replacement struct {
	pattern   *regexp.Regexp
	text      string
	expands   bool // $1 in the text stands for a group
	wholeWord bool
	body      bool
	front     bool
	inCode    bool
}

// ReplaceOptions say what a Replacement matches, and where.
type ReplaceOptions struct {
	Old, New    string
	Regex       bool // Old is a regular expression, and $1 or ${name} in New is a group of it
	IgnoreCase  bool
	WholeWord   bool
	Body, Front bool
	InCode      bool
}

// NewReplacement checks the options.
func NewReplacement(o ReplaceOptions) (*Replacement, error) {
	if o.Old == "" {
		return nil, fault.InvalidArgument.Errorf("the text to replace is empty")
	}
	source := o.Old
	if !o.Regex {
		source = strings.ReplaceAll(regexp.QuoteMeta(o.Old), "\n", `\r?\n`)
	}
	flags := "(?m)"
	if o.IgnoreCase {
		flags = "(?mi)"
	}
	pattern, err := regexp.Compile(flags + source)
	if err != nil {
		return nil, fault.InvalidArgument.Errorf("'%s' is not a valid regular expression: %s", o.Old, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if pattern.MatchString("") {
		return nil, fault.InvalidArgument.Errorf("'%s' matches empty text", o.Old).WithHint("use + instead of *, or match the text around it")
	}
	return &Replacement{
		pattern: pattern, text: o.New, expands: o.Regex, wholeWord: o.WholeWord, body: o.Body, front: o.Front, inCode: o.InCode,
	}, nil
}

// Splices returns the changes in a note. Replaced line ends get those of the note. Frontmatter that would no longer be
// valid is refused.
func (r *Replacement) Splices(note *md.Note) ([]md.Splice, error) {
	var splices []md.Splice
	if r.front && note.Front.Present {
		splices = r.in(note, note.Front.YAML, nil)
		if len(splices) > 0 {
			if _, err := Properties(note); err != nil {
				return nil, err
			}
			if _, err := Properties(md.Scan(md.Apply(note.Source, splices))); err != nil {
				return nil, fault.InvalidArgument.Errorf("the frontmatter would not be valid YAML any more")
			}
		}
	}
	if r.body {
		splices = append(splices, r.in(note, md.Span{Start: note.Body, End: len(note.Source)}, r.code(note))...)
	}
	return splices, nil
}

// in replaces the matches within a span of a note, except those that touch code.
func (r *Replacement) in(note *md.Note, span md.Span, code []md.Span) []md.Splice {
	var splices []md.Splice
	part := span.Of(note.Source)
	for _, match := range r.pattern.FindAllSubmatchIndex(part, -1) {
		found := md.Span{Start: span.Start + match[0], End: span.Start + match[1]}
		if found.Len() == 0 || r.wholeWord && !isWholeWord(note.Source, found) || touches(found, code) {
			continue
		}
		text := []byte(r.text)
		if r.expands {
			text = r.pattern.Expand(nil, text, part, match)
		}
		splices = append(splices, md.Splice{Span: found, Text: []byte(withLineEnds(string(text), bodyLineEnd(note)))})
	}
	return splices
}

// code lists the code of a note that is left alone.
func (r *Replacement) code(note *md.Note) []md.Span {
	if r.inCode {
		return nil
	}
	var spans []md.Span
	for _, region := range note.Regions {
		if region.Kind == md.CodeBlock || region.Kind == md.CodeSpan {
			spans = append(spans, region.Span)
		}
	}
	return spans
}

// touches reports whether a span overlaps one of others, which are in order.
func touches(span md.Span, others []md.Span) bool {
	next, _ := slices.BinarySearchFunc(others, span.Start, func(other md.Span, start int) int {
		if other.End <= start {
			return -1
		}
		return 1
	})
	return next < len(others) && others[next].Start < span.End
}

// isWholeWord reports whether no letter, digit or underscore stands on either side of a span.
func isWholeWord(src []byte, span md.Span) bool {
	before, _ := utf8.DecodeLastRune(src[:span.Start])
	after, _ := utf8.DecodeRune(src[span.End:])
	first, _ := utf8.DecodeRune(src[span.Start:])
	last, _ := utf8.DecodeLastRune(src[:span.End])
	return !(isWord(before) && isWord(first)) && !(isWord(after) && isWord(last))
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_')
}
