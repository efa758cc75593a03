package merge

import (
	"bytes"
	"slices"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
)

// head is a merged block of properties.
type head struct {
	block    []byte
	keptBoth []string // properties that both sides have set to different values
}

// properties records the properties that both sides set to different values. The block has our value; theirs becomes a comment in the
// text, so that it is not lost.
func (m *merger) properties(h head) {
	for _, property := range h.keptBoth {
		m.keptBoth = append(m.keptBoth, property)
		m.add("%% Conflict: the other version has " + property + " %%" + m.eol)
	}
}

// mergeProperties merges the properties of three versions by name. ok is false if a block cannot be read; it is then merged line by
// line.
func mergeProperties(base, ours, theirs []byte) (merged head, ok bool) {
	var blocks [3]*front.Block
	for i, text := range [][]byte{base, ours, theirs} {
		block, err := front.Parse(md.Scan(text))
		if err != nil {
			return merged, false
		}
		blocks[i] = block
	}
	blockOf := func(text []byte) []byte { return text[:md.BodyStart(text)] }
	switch {
	case bytes.Equal(blockOf(theirs), blockOf(base)):
		return head{block: blockOf(ours)}, true
	case bytes.Equal(blockOf(ours), blockOf(base)):
		return head{block: blockOf(theirs)}, true
	}
	text := ours
	for _, key := range changedKeys(blocks[0], blocks[2]) {
		was, inBase := blocks[0].Get(key)
		mine, inOurs := blocks[1].Get(key)
		other, inTheirs := blocks[2].Get(key)
		value, present := other, inTheirs
		switch {
		case inOurs == inTheirs && mine.Equal(other):
			continue
		case inOurs == inBase && mine.Equal(was): // theirs counts
		case inOurs && inTheirs && mine.Kind == front.List && other.Kind == front.List:
			if text, ok = withUnion(text, key, was, mine, other); !ok {
				return merged, false
			}
			continue
		case !inTheirs:
			continue // removed by them, changed by us
		case !inOurs: // removed by us, changed by them
		default:
			merged.keptBoth = append(merged.keptBoth, key+": "+spelling(other))
			continue
		}
		if text, ok = with(text, key, value, present); !ok {
			return merged, false
		}
	}
	merged.block = blockOf(text)
	return merged, true
}

// changedKeys lists the properties that a side has changed, added or removed, in their order.
func changedKeys(base, side *front.Block) (keys []string) {
	for _, field := range side.Fields() {
		if was, ok := base.Get(field.Key); !ok || !was.Equal(field.Value) {
			keys = append(keys, field.Key)
		}
	}
	for _, field := range base.Fields() {
		if _, ok := side.Get(field.Key); !ok {
			keys = append(keys, field.Key)
		}
	}
	return keys
}

// withUnion merges a list as a set: it adds to our list what their side added, and removes what their side removed.
func withUnion(text []byte, key string, base, ours, theirs front.Value) ([]byte, bool) {
	has := func(list front.Value, item front.Value) bool { return slices.ContainsFunc(list.Items, item.Equal) }
	text, ok := spliced(text, func(block *front.Block) ([]md.Splice, error) {
		return block.RemoveItems(key, func(item front.Value) bool { return has(base, item) && !has(theirs, item) })
	})
	for _, item := range theirs.Items {
		if ok && !has(base, item) && !has(ours, item) {
			text, ok = spliced(text, func(block *front.Block) ([]md.Splice, error) { return block.AddItem(key, item) })
		}
	}
	return text, ok
}

// with sets a property of a note, or removes it.
func with(text []byte, key string, value front.Value, present bool) ([]byte, bool) {
	return spliced(text, func(block *front.Block) ([]md.Splice, error) {
		if present {
			return block.Set(key, value)
		}
		return block.Remove(key)
	})
}

// spliced edits the properties of a note.
func spliced(text []byte, edit func(*front.Block) ([]md.Splice, error)) ([]byte, bool) {
	block, err := front.Parse(md.Scan(text))
	if err != nil {
		return nil, false
	}
	splices, err := edit(block)
	if err != nil {
		return nil, false
	}
	return md.Apply(text, splices), true
}

// spelling returns a value as it is shown in reports.
func spelling(value front.Value) string {
	text, err := value.MarshalJSON()
	if err != nil {
		return value.Text
	}
	return string(text)
}
