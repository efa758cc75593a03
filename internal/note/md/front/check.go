package front

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// checkText refuses what must not reach the parser.
func (b *Block) checkText() error {
	text := b.yaml()
	if len(text) > MaxBytes {
		return &Invalid{0, "is larger than 64 KB"}
	}
	if !utf8.Valid(text) {
		return &Invalid{0, "is not valid UTF-8"}
	}
	if bytes.Count(text, []byte{'&'}) > maxMarks || bytes.Count(text, []byte{'['}) > maxMarks || bytes.Count(text, []byte{'{'}) > maxMarks {
		return &Invalid{0, "has too many brackets or anchors"}
	}
	line := 1
	for part := range bytes.Lines(text) {
		if isDocumentMark(part) {
			return &Invalid{b.noteLine(line), "a second document or a directive"}
		}
		line++
	}
	return nil
}

// maxMarks is more than any frontmatter within the limits holds, and few
// enough for the parser.
const maxMarks = 4000

// isDocumentMark reports a line that begins or ends a YAML document.
func isDocumentMark(line []byte) bool {
	if line[0] == '%' {
		return true
	}
	if !bytes.HasPrefix(line, []byte("---")) && !bytes.HasPrefix(line, []byte("...")) {
		return false
	}
	return len(line) == 3 || bytes.IndexByte([]byte(" \t\r\n"), line[3]) >= 0
}

// checkNodes holds the parsed tree to the limits, and refuses what Obsidian's
// parser refuses though ours accepts it.
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
			return &Invalid{b.noteLine(node.Line), "the tag " + node.Tag + " is not known"}
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

// checkKeys refuses a key that is there twice. A key that is a collection,
// which {{date}} makes, can be read; programs differ on what it means.
func (b *Block) checkKeys(node *yaml.Node) error {
	seen := make(map[string]bool, len(node.Content)/2)
	for i := 0; i < len(node.Content); i += 2 {
		if node.Content[i].Kind == yaml.MappingNode || node.Content[i].Kind == yaml.SequenceNode {
			b.frozen = &Invalid{b.noteLine(node.Content[i].Line), "a key is a map or a list (template code must be in quotes)"}
		}
		key := keyText(node.Content[i])
		if seen[key] {
			return &Invalid{b.noteLine(node.Content[i].Line), "the key \"" + key + "\" is there twice"}
		}
		seen[key] = true
	}
	return nil
}
