package front

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// checkText rejects text that must not reach the parser.
func (b *Block) checkText() error {
	text := b.yaml()
	if len(text) > MaxBytes {
		return &Invalid{0, "is larger than 64 KB"}
	}
	if !utf8.Valid(text) {
		return &Invalid{0, "is not valid UTF-8"}
	}
	if bytes.Count(text, []byte{'&'}) > maxMarks || bytes.Count(text, []byte{'['}) > maxMarks ||
		bytes.Count(text, []byte{'{'}) > maxMarks {
		return &Invalid{0, "has too many brackets or anchors"}
	}
	line := 1
	for part := range bytes.Lines(text) {
		if isDocumentMark(part) {
			return &Invalid{b.noteLine(line), "a second YAML document or a directive"}
		}
		line++
	}
	return nil
}

// maxMarks is more than any frontmatter within the other limits needs, and few enough for the parser to be fast.
const maxMarks = 4000

// isDocumentMark reports whether a line starts or ends a YAML document.
func isDocumentMark(line []byte) bool {
	if line[0] == '%' {
		return true
	}
	if !bytes.HasPrefix(line, []byte("---")) && !bytes.HasPrefix(line, []byte("...")) {
		return false
	}
	return len(line) == 3 || bytes.IndexByte([]byte(" \t\r\n"), line[3]) >= 0
}

// checkNodes checks the parsed tree against the limits and rejects what Obsidian's parser rejects but the library accepts.
func (b *Block) checkNodes() error {
	var keys, anchors int
	var visit func(node *yaml.Node, depth int) error
	visit = func(node *yaml.Node, depth int) error {
		if depth > MaxDepth {
			return &Invalid{b.noteLine(node.Line), "nested too deeply"}
		}
		if node.Anchor != "" {
			anchors++
		}
		if node.Kind == yaml.MappingNode {
			keys += len(node.Content) / 2
			if err := b.checkKeys(node); err != nil {
				return err
			}
		}
		if keys > MaxKeys || anchors > MaxAnchors {
			return &Invalid{b.noteLine(node.Line), "more than 1,000 keys or 100 anchors"}
		}
		if node.Style&yaml.TaggedStyle != 0 && !coreTag(node.Tag) {
			return &Invalid{b.noteLine(node.Line), "unknown tag " + node.Tag}
		}
		for _, child := range node.Content {
			if err := visit(child, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return visit(b.root, 0)
}

func coreTag(tag string) bool {
	switch strings.TrimPrefix(tag, "tag:yaml.org,2002:") {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map",
		"str", "int", "float", "bool", "null", "seq", "map":
		return true
	}
	return false
}

// checkKeys rejects duplicate keys. A key that is a collection, such as the unquoted template code {{date}}, can be read,
// but programs differ on what it means, so the properties cannot be edited.
func (b *Block) checkKeys(node *yaml.Node) error {
	seen := make(map[string]bool, len(node.Content)/2)
	for i := 0; i < len(node.Content); i += 2 {
		if node.Content[i].Kind == yaml.MappingNode || node.Content[i].Kind == yaml.SequenceNode {
			b.frozen = &Invalid{
				b.noteLine(node.Content[i].Line), "a key is a map or a list (put template code in quotes)",
			}
		}
		key := keyText(node.Content[i])
		if seen[key] {
			return &Invalid{b.noteLine(node.Content[i].Line), fmt.Sprintf("duplicate key %q", key)}
		}
		seen[key] = true
	}
	return nil
}
