package entry

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

func getTOML(all map[string]any, path []string) (any, bool, error) {
	var value any = all
	for i, name := range path {
		table, ok := value.(map[string]any)
		if !ok {
			return nil, false, &Error{What: "'" + strings.Join(path[:i], ".") + "' must be a table"}
		}
		if value, ok = table[name]; !ok {
			return nil, false, nil
		}
	}
	return value, true, nil
}

// setTOML fixes one difference at a time. If the entry's form does not allow that, it removes the entry and adds it
// again. The result is parsed again, and refused if anything except the entry has changed.
func (t Text) setTOML(path []string, value Object) ([]byte, error) {
	existing, found, err := getTOML(t.toml, path)
	if err != nil {
		return nil, err
	}
	if found && same(existing, value) {
		return t.bytes, nil
	}
	scanned := scanTOML(t.bytes)
	if err := scanned.editable(path); err != nil {
		return nil, err
	}
	changed, ok := updateTOML(scanned, path, value)
	if !ok {
		changed = scanned.without(path)
		changed = scanTOML(changed).add(len(changed), path, value)
	}
	return changed, t.checkTOML(changed, path, value)
}

func (t Text) removeTOML(path []string) ([]byte, error) {
	_, found, err := getTOML(t.toml, path)
	if err != nil || !found {
		return t.bytes, err
	}
	scanned := scanTOML(t.bytes)
	if err := scanned.editable(path); err != nil {
		return nil, err
	}
	changed := scanned.without(path)
	return changed, t.checkTOML(changed, path, nil)
}

// editable refuses forms in which the entry has no lines of its own.
func (t *tables) editable(path []string) error {
	for _, s := range t.statements {
		within := len(s.path) < len(path) && hasPrefix(path, s.path)
		switch {
		case s.kind == pair && within:
			return errorAt(t.text, s.start, "'%s' is an inline table; write it as tables such as [%s] and try again",
				strings.Join(s.path, "."), tomlKey(path))
		case s.kind == arrayHeader && (within || slices.Equal(s.path, path)):
			return errorAt(t.text, s.start, "'%s' is a list of tables; it must be one table", strings.Join(s.path, "."))
		}
	}
	return nil
}

func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

// checkTOML makes sure that an edit changed the entry and nothing else.
func (t Text) checkTOML(after []byte, path []string, value Object) error {
	refused := &Error{What: "'" + strings.Join(path, ".") + "' is in a form that cannot be edited; remove it by hand and try again"}
	now, err := parseTOML(after)
	if err != nil {
		return refused
	}
	existing, found, err := getTOML(now, path)
	if err != nil || found != (value != nil) || found && !same(existing, value) {
		return refused
	}
	if !same(withoutPath(t.toml, path), withoutPath(now, path)) {
		return refused
	}
	return nil
}

// withoutPath returns a table without the value at a path, and without the tables that this leaves empty.
func withoutPath(table map[string]any, path []string) map[string]any {
	table = maps.Clone(table)
	inner, ok := table[path[0]].(map[string]any)
	switch {
	case len(path) == 1:
		delete(table, path[0])
	case ok:
		inner = withoutPath(inner, path[1:])
		table[path[0]] = inner
		if len(inner) == 0 {
			delete(table, path[0])
		}
	}
	return table
}

// without returns the text without the tables and pairs at or below a path, and without the blank line before each of
// those tables.
func (t *tables) without(path []string) []byte {
	var splices []splice
	for i := 0; i < len(t.statements); i++ {
		s := t.statements[i]
		switch {
		case s.kind == blankLine || !hasPrefix(s.path, path):
		case s.kind == pair:
			splices = append(splices, splice{s.start, s.end, ""})
		default:
			start, end := s.start, t.sectionEnd(i)
			if i > 0 && t.isEmpty(i-1) {
				start = t.statements[i-1].start
			}
			splices = append(splices, splice{start, end, ""})
			for i+1 < len(t.statements) && t.statements[i+1].start < end {
				i++
			}
		}
	}
	left := apply(t.text, splices)
	if n := len(splices); n > 0 && splices[n-1].end == len(t.text) && !bytes.HasSuffix(t.text, []byte("\n")) {
		left = trimNewline(left) // the last line had no line break before either
	}
	return left
}

// isEmpty reports whether a statement is an empty line.
func (t *tables) isEmpty(i int) bool {
	s := t.statements[i]
	return s.kind == blankLine && len(bytes.TrimSpace(t.text[s.start:s.end])) == 0
}

// trimNewline removes the final line break.
func trimNewline(text []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
}

// sectionEnd returns where the table of a header ends: after its last pair, so that comments before the next header stay
// with that header.
func (t *tables) sectionEnd(header int) int {
	end := t.statements[header].end
	for _, s := range t.statements[header+1:] {
		if s.kind == tableHeader || s.kind == arrayHeader {
			break
		}
		if s.kind == pair {
			end = s.end
		}
	}
	return end
}

// add writes an entry as tables, at the start of a line or the end of the text. If the last line has no line break, it
// adds none either, so that removing the entry restores the text.
func (t *tables) add(at int, path []string, value Object) []byte {
	newline := newlineOf(t.text)
	block := writeTables(path, value, newline)
	head := t.text[:at]
	switch {
	case len(bytes.TrimPrefix(head, []byte(byteOrderMark))) == 0:
	case !bytes.HasSuffix(head, []byte("\n")):
		block = newline + newline + strings.TrimSuffix(block, newline)
	default:
		block = newline + block
	}
	return apply(t.text, []splice{{at, at, block}})
}
