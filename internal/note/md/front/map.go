package front

import (
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/note/md"
)

// CheckMap returns an error unless a text is empty or YAML with keys at the top.
func CheckMap(text []byte) error {
	var document yaml.Node
	if err := unmarshal(text, &document); err != nil {
		return err
	}
	if document.Kind == yaml.DocumentNode && len(document.Content) > 0 {
		if root := document.Content[0]; root.Kind != yaml.MappingNode && !isEmptyNode(root) {
			return errors.New("it must be a map of keys to values")
		}
	}
	return nil
}

// ReadMap reads YAML with keys at the top, by the same rules and within the same limits as frontmatter. The line of an
// *Invalid error counts from the first line of the text.
func ReadMap(text []byte) ([]Field, error) {
	const fence = "---\n"
	note := md.Scan(slices.Concat([]byte(fence), text, []byte("\n"+fence)))
	if !note.Front.Present || note.Front.Block.End < len(note.Source) {
		return nil, &Invalid{Reason: "it has a line with three dashes, which ends it"}
	}
	block, err := Parse(note)
	if invalid, ok := errors.AsType[*Invalid](err); ok && invalid.Line > 1 {
		return nil, &Invalid{Line: invalid.Line - 1, Reason: invalid.Reason}
	}
	if err != nil {
		return nil, err
	}
	return block.Fields(), nil
}
