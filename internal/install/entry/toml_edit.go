package entry

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// parseTOML reads a whole text with the library, which never writes.
func parseTOML(text []byte) (map[string]any, error) {
	bare := bytes.TrimPrefix(text, []byte(byteOrderMark))
	all := map[string]any{}
	err := toml.Unmarshal(bare, &all)
	if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := wrong.Position()
		return nil, &Error{line, column, "not valid TOML: " + strings.TrimPrefix(wrong.Error(), "toml: ")}
	}
	if err != nil {
		return nil, &Error{What: "not valid TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	}
	return all, nil
}

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

// setTOML mends one difference after the other; where the entry is written in a
// way that does not allow it, it is taken out and written anew. What comes out
// is read again, and is refused unless it differs from before in the entry alone.
func (t Text) setTOML(path []string, value Object) ([]byte, error) {
	there, found, err := getTOML(t.toml, path)
	if err != nil {
		return nil, err
	}
	if found && same(there, value) {
		return t.bytes, nil
	}
	scanned := scanTOML(t.bytes)
	if err := scanned.editable(path); err != nil {
		return nil, err
	}
	changed, ok := mendTOML(scanned, path, value)
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

// editable refuses tables that hold the entry in a way that has no lines of its
// own for it.
func (t *tables) editable(path []string) error {
	for _, s := range t.statements {
		within := len(s.path) < len(path) && hasPrefix(path, s.path)
		switch {
		case s.kind == pair && within:
			return errorAt(t.text, s.start, "'%s' is written in braces, in one line; write it as tables such as [%s] and try again",
				strings.Join(s.path, "."), tomlKey(path))
		case s.kind == arrayHeader && (within || slices.Equal(s.path, path)):
			return errorAt(t.text, s.start, "'%s' is a list of tables, and must be one table", strings.Join(s.path, "."))
		}
	}
	return nil
}

func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

// checkTOML makes sure that a change is what it was meant to be: the entry, and
// nothing else.
func (t Text) checkTOML(after []byte, path []string, value Object) error {
	refused := &Error{What: "'" + strings.Join(path, ".") + "' is written in a way that cannot be edited; take it out by hand and try again"}
	now, err := parseTOML(after)
	if err != nil {
		return refused
	}
	there, found, err := getTOML(now, path)
	if err != nil || found != (value != nil) || found && !same(there, value) {
		return refused
	}
	if !same(dropped(t.toml, path), dropped(now, path)) {
		return refused
	}
	return nil
}

// dropped is a table without what is at a path, nor tables that are empty then.
func dropped(table map[string]any, path []string) map[string]any {
	table = maps.Clone(table)
	inner, ok := table[path[0]].(map[string]any)
	switch {
	case len(path) == 1:
		delete(table, path[0])
	case ok:
		inner = dropped(inner, path[1:])
		table[path[0]] = inner
		if len(inner) == 0 {
			delete(table, path[0])
		}
	}
	return table
}

// without is the text without the tables and pairs at a path and below, and the
// blank line before each of the tables.
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
		left = trimNewline(left) // the last line has no end, as before
	}
	return left
}

// isEmpty reports whether a statement is a line without anything.
func (t *tables) isEmpty(i int) bool {
	s := t.statements[i]
	return s.kind == blankLine && len(bytes.TrimSpace(t.text[s.start:s.end])) == 0
}

// trimNewline is a text without its last line's end.
func trimNewline(text []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
}

// sectionEnd is where the table of a header ends: behind its last pair, so that
// comments before the next header stay with that.
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

// add writes an entry as tables of its own, at a place that is a line's start or
// the text's end. A text whose last line has no end gets none here either, so
// that taking the entry out again finds what was there.
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
