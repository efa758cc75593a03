// Package embed replaces the embeds of a note, ![[Note]], ![[Note#Heading]], ![[Note#^id]] and ![](Note.md), by the text
// that they name, as Obsidian shows it: without frontmatter, a heading with its section, a block without its id.
//
// The text comes as a quote that names its source, a callout of type embed:
//
//	> [!embed] folder/Note.md#Heading
//	> the text
//
// It takes the place of an embed that is alone on its line; of other embeds it follows the paragraph, list or table that
// they are in. What cannot be shown is a callout of one line that says why. Attachments and canvases stay as they are.
// Where a note itself has callouts of type embed, the type is embed-2, and so on, so that a note's text never passes for
// another's.
//
// Expanding is bounded: three levels, never in a circle, each note read once, and no more characters than the budget.
// The package does no I/O; the caller says how links resolve and how notes are read.
package embed

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// The limits of one expansion.
const (
	MaxDepth = 3          // levels of embeds
	MaxText  = 10_000_000 // characters where the caller sets no limit
	maxReads = 1_000      // notes read
	maxBytes = 32 << 20   // bytes read
)

// Source gives access to the notes that embeds name, as far as the reader may see them.
type Source struct {
	Resolve func(from vpath.Path, link string) (vpath.Path, bool) // the file that a link in a file names
	Read    func(path vpath.Path) ([]byte, error)                 // fault.NotFound: as if the link did not resolve
}

// Part is the text to expand: a range of a note, or a block.
type Part struct {
	Path  vpath.Path
	Note  *md.Note
	Span  md.Span
	Block *edit.Block // nil unless the part is a block; Span is then the block's
}

// Whole is the body of a note.
func Whole(path vpath.Path, note *md.Note) Part {
	return Part{Path: path, Note: note, Span: md.Span{Start: note.Body, End: len(note.Source)}}
}

// Result is an expanded text.
type Result struct {
	Text  []byte
	Shown []Part       // the embedded parts
	Files []vpath.Path // embedded files that are not notes, each once
	Left  int          // embeds that stay as links for want of room
	Label string       // the callouts' type
}

// Expand replaces the embeds of a part. The result has at most limit characters, or as many as the part itself; 0 means
// MaxText.
func Expand(source Source, part Part, limit int) (Result, error) {
	if limit <= 0 {
		limit = MaxText
	}
	e := &expander{source: source, limit: limit, parts: map[string]*found{}, notes: map[vpath.Path]*loaded{}, labels: map[string]bool{}}
	e.noteLabels(part.Span.Of(part.Note.Source))
	result, err := e.run(part, "embed")
	if err != nil || !e.labels["embed"] {
		return result, err
	}
	label := ""
	for n := 2; label == "" || e.labels[label]; n++ {
		label = fmt.Sprintf("embed-%d", n)
	}
	return e.run(part, label)
}

// expander is one expansion.
type expander struct {
	source Source
	limit  int
	notes  map[vpath.Path]*loaded
	parts  map[string]*found // by path and subpath
	labels map[string]bool   // the types of callouts that notes have themselves, if they are like ours
	reads  int
	bytes  int

	left   int // characters
	result Result
	open   []place
}

// loaded is a note that was read; nil if it does not exist.
type loaded struct {
	note    *md.Note
	problem string
}

// found is what an embed names, or why there is nothing.
type found struct {
	Part
	problem string
	chars   int
	lines   int
}

// place is an embed that is being expanded.
type place struct {
	path   vpath.Path
	offset int
}

func (e *expander) run(part Part, label string) (Result, error) {
	e.left = e.limit - utf8.RuneCount(part.Span.Of(part.Note.Source))
	e.result = Result{Label: label}
	text, err := e.expand(part, 0, 0)
	e.result.Text = text
	return e.result, err
}

// expand returns the text of a part with its embeds replaced. Its lines will be indented by width.
func (e *expander) expand(part Part, depth, width int) ([]byte, error) {
	note, span := part.Note, part.Span
	var splices []md.Splice
	if part.Block != nil {
		splices = append(splices, md.Splice{Span: part.Block.Mark()})
	}
	comments := commentsOf(note)
	for _, link := range note.Links {
		if !link.Embed || link.Start < span.Start || link.End > span.End || inComment(comments, link) {
			continue
		}
		shape := shapeOf(note, link, span)
		e.open = append(e.open, place{part.Path, link.Start})
		text, err := e.embed(part.Path, note, link, depth, width+len(shape.indent)+2)
		e.open = e.open[:len(e.open)-1]
		if err != nil {
			return nil, err
		}
		if text != "" {
			splices = append(splices, shape.splice(text))
		}
	}
	for i := range splices {
		splices[i].Start -= span.Start
		splices[i].End -= span.Start
	}
	text := md.Apply(span.Of(note.Source), splices)
	if part.Block != nil {
		text = part.Block.Outdent(note.Source, text)
	}
	return text, nil
}

// embed returns the callout for an embed, or "" if the embed stays as it is.
func (e *expander) embed(from vpath.Path, note *md.Note, link md.Link, depth, width int) (string, error) {
	written := string(link.Of(note.Source))
	name, subpath := md.SplitTarget(link.Target(note.Source))
	to := from
	if name != "" {
		resolved, ok := e.source.Resolve(from, name)
		if !ok {
			return e.remark(written, "not found", width), nil
		}
		to = resolved
	}
	if !to.IsNote() {
		if !slices.Contains(e.result.Files, to) {
			e.result.Files = append(e.result.Files, to)
		}
		return "", nil
	}
	if depth == MaxDepth {
		return e.remark(written, "not expanded: embeds are expanded three levels deep", width), nil
	}
	part, err := e.find(to, subpath)
	switch {
	case err != nil:
		return "", err
	case part.problem != "":
		return e.remark(written, part.problem, width), nil
	case e.isCircle(part.Part):
		return e.remark(written, "not expanded: it would contain itself", width), nil
	}
	head := "[!" + e.result.Label + "] " + string(to) + strings.TrimRight(subpath, "# ")
	cost := part.chars + part.lines*(width+1) + e.headCost(head, width)
	if cost > e.left {
		e.result.Left++
		return e.remark(written, fmt.Sprintf("not expanded: its %d characters do not fit; read it on its own", part.chars), width), nil
	}
	e.left -= cost
	e.result.Shown = append(e.result.Shown, part.Part)
	text, err := e.expand(part.Part, depth+1, width)
	if err != nil {
		return "", err
	}
	return quote(head, string(text)), nil
}

// remark is a callout of one line about an embed that is not expanded.
func (e *expander) remark(written, why string, width int) string {
	head := "[!" + e.result.Label + "] " + written + " " + why
	cost := e.headCost(head, width)
	if cost > e.left {
		return ""
	}
	e.left -= cost
	return quote(head, "")
}

// headCost bounds the characters of a callout's first line and the blank lines around it.
func (e *expander) headCost(head string, width int) int {
	return utf8.RuneCountInString(head) + 3*width + 12
}

// quote makes a callout.
func quote(head, text string) string {
	var quoted strings.Builder
	quoted.WriteString("> " + head)
	text = strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for line := range strings.SplitSeq(strings.TrimRight(text, " \t\n"), "\n") {
		switch {
		case text == "":
		case line == "":
			quoted.WriteString("\n>")
		default:
			quoted.WriteString("\n> " + line)
		}
	}
	return quoted.String()
}

// isCircle reports whether a part contains one of the embeds that lead to it.
func (e *expander) isCircle(part Part) bool {
	return slices.ContainsFunc(e.open, func(at place) bool {
		return at.path == part.Path && part.Span.Start <= at.offset && at.offset < part.Span.End
	})
}

// find returns the part of a note that a subpath names.
func (e *expander) find(path vpath.Path, subpath string) (*found, error) {
	key := string(path) + "\n" + subpath
	if known := e.parts[key]; known != nil {
		return known, nil
	}
	read, err := e.load(path)
	if err != nil {
		return nil, err
	}
	part := &found{problem: read.problem}
	if part.problem == "" {
		part.Part, part.problem = partOf(path, read.note, subpath)
	}
	if part.problem == "" {
		text := part.Span.Of(part.Note.Source)
		part.chars, part.lines = utf8.RuneCount(text), strings.Count(string(text), "\n")+1
		e.noteLabels(text)
	}
	e.parts[key] = part
	return part, nil
}

func (e *expander) load(path vpath.Path) (*loaded, error) {
	if known := e.notes[path]; known != nil {
		return known, nil
	}
	if e.reads >= maxReads || e.bytes >= maxBytes {
		return &loaded{problem: "not expanded: too many embeds; read it on its own"}, nil
	}
	e.reads++
	data, err := e.source.Read(path)
	read := &loaded{}
	switch {
	case errors.Is(err, fault.NotFound):
		read.problem = "not found"
	case errors.Is(err, fault.InvalidArgument):
		read.problem = "not expanded: it is too large"
	case err != nil:
		return nil, err
	default:
		e.bytes += len(data)
		read.note = md.Scan(data)
	}
	e.notes[path] = read
	return read, nil
}

// partOf finds what a subpath names by Obsidian's rules: a block by its id, a heading by its text or a chain of them.
func partOf(path vpath.Path, note *md.Note, subpath string) (part Part, problem string) {
	subpath = strings.Trim(subpath, "# ")
	part = Whole(path, note)
	if subpath == "" {
		return part, ""
	}
	chain := strings.Split(subpath, "#")
	if id, isBlock := strings.CutPrefix(chain[len(chain)-1], "^"); isBlock {
		block, err := edit.FindBlock(note, id)
		if err != nil {
			return part, "not found: the note has no such block"
		}
		part.Span, part.Block = block.Span, &block
		return part, ""
	}
	heading := note.FindHeading(chain)
	if heading < 0 {
		return part, "not found: the note has no such heading"
	}
	part.Span = note.SectionOf(heading).Span
	return part, ""
}

// ownLabel finds callouts whose type is like the one that marks embedded text.
var ownLabel = regexp.MustCompile(`(?i)\[!(embed(?:-\d{1,4})?)[|\]]`)

func (e *expander) noteLabels(text []byte) {
	for _, match := range ownLabel.FindAllSubmatch(text, -1) {
		e.labels[strings.ToLower(string(match[1]))] = true
	}
}

// commentsOf returns the comments of a note, ordered by their end.
func commentsOf(note *md.Note) []md.Region {
	var comments []md.Region
	for _, region := range note.Regions {
		if region.Kind == md.CommentBlock || region.Kind == md.CommentSpan {
			comments = append(comments, region)
		}
	}
	return comments
}

func inComment(comments []md.Region, link md.Link) bool {
	next, _ := slices.BinarySearchFunc(comments, link.End, func(comment md.Region, end int) int { return comment.End - end })
	return next < len(comments) && comments[next].Start <= link.Start
}
