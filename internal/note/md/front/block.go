// Package front reads the frontmatter of a note as typed properties, and edits a property by splicing its own lines, so
// that comments, order, quoting and all other bytes stay as they are.
//
// It reads values by the core schema of YAML 1.2, as Obsidian does: dates are text, "yes" is text, 007 is the number 7.
// Frontmatter that is not valid YAML, or exceeds the limits, is an *Invalid error: the note can still be served as text,
// but its properties can be neither read nor edited.
//
// Every edit is verified before it is returned: the edited block is parsed again, must contain the new value and must
// leave all other properties unchanged.
package front

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/note/md"
)

// Limits on frontmatter. They keep hostile YAML cheap.
const (
	MaxBytes     = 64 << 10
	MaxKeys      = 1000
	MaxDepth     = 32
	MaxAnchors   = 100
	maxValues    = 100_000 // with aliases expanded
	textPerValue = 8       // bytes of text that count as one value
)

// Block is the frontmatter of a note.
type Block struct {
	src     []byte
	front   md.Frontmatter
	body    int // where a new block goes
	lines   []int
	root    *yaml.Node // nil if there are no properties
	entries []entry
	last    position // the last result of start; the next node is often on the same line
	frozen  error    // why the properties can be read but not edited; nil if they can
}

// entry is a property and its nodes in the YAML.
type entry struct {
	key       string
	value     Value
	keyNode   *yaml.Node
	valueNode *yaml.Node
}

// Invalid is the error for frontmatter that cannot be read.
type Invalid struct {
	Line   int // in the note; 0 if the error concerns no single line
	Reason string
}

func (e *Invalid) Error() string {
	if e.Line == 0 {
		return "the frontmatter " + e.Reason
	}
	return fmt.Sprintf("the frontmatter is not valid YAML: line %d: %s", e.Line, e.Reason)
}

// Parse reads the frontmatter of a note. For a note without frontmatter it returns a Block without properties.
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

// parse lets the library parse the YAML into a tree with positions.
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

// unmarshal parses YAML and turns a panic of the library into an error, since its input may be anything.
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
	// The decoder would silently drop anything after the first document.
	var more yaml.Node
	switch err := decoder.Decode(&more); {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("yaml: line %d: text after the end of the properties", more.Line)
}

// invalid converts the library's error, whose line numbers count from the first line of the YAML.
func (b *Block) invalid(err error) error {
	reason := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if rest, ok := strings.CutPrefix(reason, "line "); ok {
		var text string
		if number, after, found := strings.Cut(rest, ": "); found {
			text = after
			if _, err := fmt.Sscanf(number, "%d", &line); err == nil {
				if strings.HasPrefix(text, "did not find expected ") {
					line = min(line+1, len(b.lines)) // in this message the library counts from 0
				}
				return &Invalid{b.noteLine(line), text}
			}
		}
	}
	return &Invalid{b.noteLine(1), reason}
}

// noteLine returns the line in the note for a line in the YAML.
func (b *Block) noteLine(line int) int { return line + 1 }

// yaml returns the text between the fences.
func (b *Block) yaml() []byte { return b.front.YAML.Of(b.src) }

// Fields returns the properties in document order.
func (b *Block) Fields() []Field {
	fields := make([]Field, len(b.entries))
	for i, found := range b.entries {
		fields[i] = Field{found.key, found.value}
	}
	return fields
}

// Empty reports whether there are no properties.
func (b *Block) Empty() bool { return len(b.entries) == 0 }

// Get returns the value of a property. It prefers the key with exactly this spelling to one that differs only in case.
func (b *Block) Get(key string) (Value, bool) {
	if i := b.find(key); i >= 0 {
		return b.entries[i].value, true
	}
	return Value{}, false
}

// find returns the index of a key, or -1: the exact spelling, else the only key that differs just in case.
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

// Tags returns the tags in the property "tags", without #. The property may be a list of texts, or a text that is one
// tag. Values that cannot be tags are omitted.
func (b *Block) Tags() []string {
	var tags []string
	for _, text := range b.texts("tags") {
		if tag := strings.TrimPrefix(text, "#"); isTag(tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// Aliases returns other names of the note, from a list of texts or a single text.
func (b *Block) Aliases() []string {
	value, _ := b.Get("aliases")
	if value.Kind == Text && strings.Contains(value.Text, ",") {
		return nil
	}
	return b.texts("aliases")
}

// texts returns the texts of a property that is a list or a single text.
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

// isTag reports whether Obsidian accepts the text as a tag in frontmatter.
func isTag(text string) bool {
	return text != "" && !strings.ContainsAny(text, ", \t\n\u00a0") && strings.Trim(text, "0123456789") != ""
}
