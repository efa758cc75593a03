// Package front reads a note's frontmatter as typed properties and changes
// one property by splicing its own lines, so that comments, order, quoting and
// every other byte stay as they are.
//
// Values are read by the core schema of YAML 1.2, as Obsidian does: dates are
// text, "yes" is text, 007 is the number 7. What is not valid YAML, or is over
// the limits, is an *Invalid error: the note can still be served as text, but
// its properties can be neither read nor edited.
//
// An edit is checked before it is returned: the changed block is parsed again
// and must hold what was asked for, and all other properties unchanged.
package front

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/note/md"
)

// Limits on frontmatter that is read. They keep hostile YAML cheap.
const (
	MaxBytes     = 64 << 10
	MaxKeys      = 1000
	MaxDepth     = 32
	MaxAnchors   = 100
	maxValues    = 100_000 // after aliases are followed
	textPerValue = 8       // bytes of text that count as one more value
)

// Block is a note's frontmatter.
type Block struct {
	src     []byte
	front   md.Frontmatter
	body    int // where a new block would be put
	lines   []int
	root    *yaml.Node // nil without properties
	entries []entry
	last    located // found last; the next one is often behind it on the same line
	frozen  error   // why the properties can be read but not edited
}

// entry is one property with its place in the YAML.
type entry struct {
	key   string
	value Value
	names *yaml.Node
	holds *yaml.Node
}

// Invalid is the error for frontmatter that cannot be read.
type Invalid struct {
	Line   int // in the note; 0 where no line is to blame
	Reason string
}

func (e *Invalid) Error() string {
	if e.Line == 0 {
		return "the frontmatter " + e.Reason
	}
	return fmt.Sprintf("the frontmatter is not valid YAML: line %d: %s", e.Line, e.Reason)
}

// Parse reads the frontmatter of a note. A note without one has a Block with
// no properties.
func Parse(note *md.Note) (*Block, error) {
	b := &Block{src: note.Source, front: note.Front, body: note.Body}
	if !note.Front.Present {
		return b, nil
	}
	if err := b.checkText(); err != nil {
		return nil, err
	}
	if err := b.parse(); err != nil {
		return nil, err
	}
	if b.root == nil {
		return b, nil
	}
	if b.root.Kind != yaml.MappingNode {
		return nil, &Invalid{b.noteLine(b.root.Line), "the properties must be a map of keys to values"}
	}
	if err := b.checkNodes(); err != nil {
		return nil, err
	}
	return b, b.readEntries()
}

// parse hands the YAML to the library, as a tree with positions.
func (b *Block) parse() error {
	b.lines = lineStarts(b.yaml())
	var document yaml.Node
	masked := newMask(b.yaml())
	if err := unmarshal(masked.text, &document); err != nil {
		return b.invalid(err)
	}
	masked.restore(&document)
	if document.Kind == yaml.DocumentNode && len(document.Content) > 0 {
		b.root = document.Content[0]
	}
	if b.root != nil && isEmptyNode(b.root) {
		b.root = nil
	}
	return nil
}

// unmarshal turns a panic of the library into an error: its input is whatever
// people have on their disks.
func unmarshal(text []byte, into *yaml.Node) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("yaml: %v", reason)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(into); err != nil {
		if err == io.EOF {
			return nil
		}
		return err
	}
	// What follows the first document would be dropped in silence.
	var more yaml.Node
	switch err := decoder.Decode(&more); {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("yaml: line %d: text behind the end of the properties", more.Line)
}

// invalid rewrites the library's error: its line counts from the YAML's first.
func (b *Block) invalid(err error) error {
	reason := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if rest, ok := strings.CutPrefix(reason, "line "); ok {
		var text string
		if number, after, found := strings.Cut(rest, ": "); found {
			text = after
			if _, err := fmt.Sscanf(number, "%d", &line); err == nil {
				if strings.HasPrefix(text, "did not find expected ") {
					line = min(line+1, len(b.lines)) // here the library counts from 0
				}
				return &Invalid{b.noteLine(line), text}
			}
		}
	}
	return &Invalid{b.noteLine(1), reason}
}

// noteLine is the line in the note of a line in the YAML.
func (b *Block) noteLine(line int) int { return line + 1 }

// yaml is the text between the fences.
func (b *Block) yaml() []byte { return b.front.YAML.Of(b.src) }

// Fields are the properties in their order.
func (b *Block) Fields() []Field {
	fields := make([]Field, len(b.entries))
	for i, found := range b.entries {
		fields[i] = Field{found.key, found.value}
	}
	return fields
}

// Empty reports that there are no properties.
func (b *Block) Empty() bool { return len(b.entries) == 0 }

// Get is the value of a property. A key that is spelt like the one asked for
// wins, then one that differs from it in case alone.
func (b *Block) Get(key string) (Value, bool) {
	if i := b.find(key); i >= 0 {
		return b.entries[i].value, true
	}
	return Value{}, false
}

// find is the index of a key: exactly as spelt, else without case where that
// leaves no doubt.
func (b *Block) find(key string) int {
	folded := -1
	for i, found := range b.entries {
		if found.key == key {
			return i
		}
		if strings.EqualFold(found.key, key) {
			if folded >= 0 {
				folded = len(b.entries)
			} else {
				folded = i
			}
		}
	}
	if folded >= len(b.entries) {
		return -1
	}
	return folded
}

// Tags are the tags of the property "tags", without #: a list of texts, or
// one text that is one tag. What cannot be a tag is left out.
func (b *Block) Tags() []string {
	var tags []string
	for _, text := range b.texts("tags") {
		if tag := strings.TrimPrefix(text, "#"); isTag(tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// Aliases are other names of the note: a list of texts, or one text.
func (b *Block) Aliases() []string {
	value, _ := b.Get("aliases")
	if value.Kind == Text && strings.Contains(value.Text, ",") {
		return nil
	}
	return b.texts("aliases")
}

// texts are the texts of a property that is a list or one text.
func (b *Block) texts(key string) []string {
	value, _ := b.Get(key)
	if value.Kind == Text {
		return []string{value.Text}
	}
	var texts []string
	for _, item := range value.Items {
		if item.Kind == Text && item.Text != "" {
			texts = append(texts, item.Text)
		}
	}
	return texts
}

// isTag is what Obsidian accepts as a tag in frontmatter.
func isTag(text string) bool {
	return text != "" && !strings.ContainsAny(text, ", \t\n\u00a0") && strings.Trim(text, "0123456789") != ""
}
