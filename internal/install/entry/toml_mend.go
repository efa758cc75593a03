package entry

import (
	"bytes"
	"slices"
)

// updateTOML fixes one difference at a time in the entry at a path, so that unchanged values keep their lines and
// comments. It gives up if the entry is spread over dotted keys.
func updateTOML(t *tables, path []string, value Object) ([]byte, bool) {
	for range mostSteps {
		existing, found, err := t.get(path)
		if err != nil {
			return nil, false
		}
		if found && same(existing, value) {
			return t.text, true
		}
		changed, ok := t.step(path, existing, found, value, len(t.text))
		if !ok || bytes.Equal(changed, t.text) {
			return nil, false
		}
		t = scanTOML(changed)
	}
	return nil, false
}

// get returns the value at a path. It parses only the statements on the way to the path or below it, because the library
// takes seconds for a large text.
func (t *tables) get(path []string) (value any, found bool, err error) {
	var relevant []byte
	for _, s := range t.statements {
		leads := s.kind != pair && hasPrefix(path, s.path)
		if s.kind != blankLine && (leads || hasPrefix(s.path, path)) {
			relevant = append(append(relevant, t.text[s.start:s.end]...), '\n')
		}
	}
	all, err := parseTOML(relevant)
	if err != nil {
		return nil, false, err
	}
	return getTOML(all, path)
}

// step fixes the first difference in a table. A missing table is added at the given position.
func (t *tables) step(path []string, existing any, found bool, value Object, at int) ([]byte, bool) {
	table, isTable := existing.(map[string]any)
	if inline := t.pairAt(path); inline != nil {
		return t.replace(inline, value), true
	}
	switch {
	case !found:
		return t.add(at, path, value), true
	case !isTable || t.header(path) < 0:
		return nil, false
	}
	for _, name := range asObject(table) {
		if _, wanted := value.named(name.Name); !wanted {
			return t.without(below(path, name.Name)), true
		}
	}
	for _, field := range value {
		current, exists := table[field.Name]
		if exists && same(current, field.Value) {
			continue
		}
		return t.setField(path, field, current, exists)
	}
	return nil, false
}

// setField sets one field of a table with a header.
func (t *tables) setField(path []string, field Field, current any, exists bool) ([]byte, bool) {
	fieldPath := below(path, field.Name)
	if line := t.pairAt(fieldPath); line != nil {
		return t.replace(line, field.Value), true
	}
	if object, ok := field.Value.(Object); ok {
		return t.step(fieldPath, current, exists, object, t.endOf(path))
	}
	if exists {
		return nil, false
	}
	return t.insertPair(path, field), true
}

func below(path []string, name string) []string { return append(slices.Clone(path), name) }

// pairAt returns the pair at a path, or nil.
func (t *tables) pairAt(path []string) *statement {
	for i, s := range t.statements {
		if s.kind == pair && slices.Equal(s.path, path) {
			return &t.statements[i]
		}
	}
	return nil
}

// header returns the index of the statement that begins the table at a path, or -1.
func (t *tables) header(path []string) int {
	return slices.IndexFunc(t.statements, func(s statement) bool {
		return s.kind == tableHeader && slices.Equal(s.path, path)
	})
}

// replace replaces a pair's value.
func (t *tables) replace(line *statement, value any) []byte {
	return apply(t.text, []splice{{line.value[0], line.value[1], inlineTOML(value)}})
}

// insertPair adds a pair at the end of a table.
func (t *tables) insertPair(path []string, field Field) []byte {
	header := t.header(path)
	at, indent := t.sectionEnd(header), ""
	for _, s := range t.statements[header:] {
		if s.start < at {
			line := t.text[s.start:s.end]
			indent = string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
		}
	}
	newline := newlineOf(t.text)
	line := indent + tomlKey([]string{field.Name}) + " = " + inlineTOML(field.Value)
	if bytes.HasSuffix(t.text[:at], []byte("\n")) {
		line += newline
	} else {
		line = newline + line
	}
	return apply(t.text, []splice{{at, at, line}})
}

// endOf returns where the last table at or below a path ends.
func (t *tables) endOf(path []string) int {
	at := len(t.text)
	for i, s := range t.statements {
		if (s.kind == tableHeader || s.kind == arrayHeader) && hasPrefix(s.path, path) {
			at = t.sectionEnd(i)
		}
	}
	return at
}
