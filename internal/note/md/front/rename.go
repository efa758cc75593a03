package front

import (
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"

	"go.yaml.in/yaml/v3"
)

// Rename gives a property another key. Only the key's bytes change. A key that does not exist changes nothing; a new key
// that another property has is refused.
func (b *Block) Rename(from, to string) ([]md.Splice, error) {
	if to == "" {
		return nil, fault.InvalidArgument.Errorf("a property needs a name")
	}
	at := b.find(from)
	if at < 0 || b.entries[at].key == to {
		return nil, nil
	}
	wanted := b.Fields()
	for i, field := range wanted {
		if i != at && strings.EqualFold(field.Key, to) {
			return nil, fault.AlreadyExists.Errorf("the note already has a property '%s'", field.Key)
		}
	}
	wanted[at].Key = to
	key := b.entries[at].keyNode
	span := b.span(key, b.column(b.start(key)), b.isFlow())
	w := writer{eol: b.eol(), json: b.isFlow() && key.Style&yaml.DoubleQuotedStyle != 0}
	return b.checked([]md.Splice{b.splice(span, w.key(to))}, wanted)
}
