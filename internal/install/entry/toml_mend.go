package entry

import (
	"bytes"
	"slices"
)

// mendTOML brings the entry at a path to what it should be, a difference at a
// time, so that what is the same keeps its lines and the comments between them.
// It gives up where the entry is spread over dotted keys.
func mendTOML(t *tables, path []string, value Object) ([]byte, bool) {
	for range mostSteps {
		there, found, err := t.get(path)
		if err != nil {
			return nil, false
		}
		if found && same(there, value) {
			return t.text, true
		}
		changed, ok := t.step(path, there, found, value, len(t.text))
		if !ok || bytes.Equal(changed, t.text) {
			return nil, false
		}
		t = scanTOML(changed)
	}
	return nil, false
}

// get is the value at a path. Just the statements that lead there or are below
// are read: for the library to read a large text takes seconds.
func (t *tables) get(path []string) (value any, found bool, err error) {
	var own []byte
	for _, s := range t.statements {
		leads := s.kind != pair && hasPrefix(path, s.path)
		if s.kind != blankLine && (leads || hasPrefix(s.path, path)) {
			own = append(append(own, t.text[s.start:s.end]...), '\n')
		}
	}
	all, err := parseTOML(own)
	if err != nil {
		return nil, false, err
	}
	return getTOML(all, path)
}

// step mends the first difference of a table. One that is not there yet is
// written at the given place.
func (t *tables) step(path []string, there any, found bool, value Object, at int) ([]byte, bool) {
	table, isTable := there.(map[string]any)
	if whole := t.pairAt(path); whole != nil {
		return t.replace(whole, value), true
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

// setField writes one field of a table that has a header.
func (t *tables) setField(path []string, field Field, current any, exists bool) ([]byte, bool) {
	own := below(path, field.Name)
	if line := t.pairAt(own); line != nil {
		return t.replace(line, field.Value), true
	}
	if object, ok := field.Value.(Object); ok {
		return t.step(own, current, exists, object, t.endOf(path))
	}
	if exists {
		return nil, false
	}
	return t.insertPair(path, field), true
}

func below(path []string, name string) []string { return append(slices.Clone(path), name) }

// pairAt is the pair of a path; nil: there is none.
func (t *tables) pairAt(path []string) *statement {
	for i, s := range t.statements {
		if s.kind == pair && slices.Equal(s.path, path) {
			return &t.statements[i]
		}
	}
	return nil
}

// header is the statement that begins the table of a path; -1: there is none.
func (t *tables) header(path []string) int {
	return slices.IndexFunc(t.statements, func(s statement) bool { return s.kind == tableHeader && slices.Equal(s.path, path) })
}

// replace writes another value in place of a pair's.
func (t *tables) replace(line *statement, value any) []byte {
	return apply(t.text, []splice{{line.value[0], line.value[1], inlineTOML(value)}})
}

// insertPair puts a pair at the end of a table.
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

// endOf is where the last table of a path, or below it, ends.
func (t *tables) endOf(path []string) int {
	at := len(t.text)
	for i, s := range t.statements {
		if (s.kind == tableHeader || s.kind == arrayHeader) && hasPrefix(s.path, path) {
			at = t.sectionEnd(i)
		}
	}
	return at
}
