package front

import (
	"errors"

	"go.yaml.in/yaml/v3"
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
