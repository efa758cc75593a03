package entry

import (
	"bytes"
	"encoding/json"
	"strings"
)

func (d *document) get(path []string) (any, bool, error) {
	found, missing, err := d.walk(path)
	if err != nil || len(missing) > 0 {
		return nil, false, err
	}
	return d.decode(found.value), true, nil
}

// setJSON mends one difference after the other, and reads the text again after
// each, so that it ends with a text that says what it should.
func (t Text) setJSON(path []string, value Object) ([]byte, error) {
	d := t.json
	for range mostSteps {
		splices, err := d.set(path, value)
		if err != nil {
			return nil, err
		}
		if len(splices) == 0 {
			return d.text, nil
		}
		if d, err = parseJSON(apply(d.text, splices), t.format); err != nil {
			return nil, err
		}
	}
	return nil, &Error{What: "'" + path[len(path)-1] + "' has too many differences; take it out by hand and try again"}
}

// mostSteps bounds how many differences are mended one by one.
const mostSteps = 1000

func (t Text) removeJSON(path []string) ([]byte, error) {
	found, missing, err := t.json.walk(path)
	if err != nil || len(missing) > 0 {
		return t.bytes, err
	}
	return apply(t.bytes, t.json.remove(found.parent, found.index)), nil
}

// place is a value that was found, or how far the way there goes.
type place struct {
	parent node
	index  int // of the value's member in parent
	value  node
}

// walk follows a path. Where it ends early, the last object and the names that
// are missing are given.
func (d *document) walk(path []string) (place, []string, error) {
	if d.root.kind == 0 {
		return place{}, path, nil
	}
	found := place{value: d.root}
	for i, name := range path {
		if found.value.kind != '{' {
			what := "the file"
			if i > 0 {
				what = "'" + path[i-1] + "'"
			}
			return place{}, nil, errorAt(d.text, found.value.start, "%s must hold an object in braces", what)
		}
		index, err := d.only(found.value, name)
		if err != nil {
			return place{}, nil, err
		}
		if index < 0 {
			return found, path[i:], nil
		}
		found = place{found.value, index, found.value.members[index].value}
	}
	return found, nil, nil
}

// only is the index of the one member of a name; -1: there is none.
func (d *document) only(object node, name string) (int, error) {
	index := -1
	for i, m := range object.members {
		if m.name != name {
			continue
		}
		if index >= 0 {
			return 0, errorAt(d.text, m.start, "'%s' is there twice; take one of them out", name)
		}
		index = i
	}
	return index, nil
}

// set is the next step towards a text that holds the value.
func (d *document) set(path []string, value Object) ([]splice, error) {
	found, missing, err := d.walk(path)
	switch {
	case err != nil:
		return nil, err
	case d.root.kind == 0:
		return d.begin(nest(path, value)), nil
	case len(missing) > 0:
		return d.insert(found.value, missing[0], nest(missing[1:], value)), nil
	}
	return d.update(found.value, value)
}

// begin writes the first value of a text that has none.
func (d *document) begin(value any) []splice {
	newline, lead := newlineOf(d.text), ""
	if n := len(d.comments); n > 0 && !bytes.HasSuffix(d.text, []byte("\n")) {
		lead = newline
	}
	written := style{newline: newline, unit: "  "}.write(value, "")
	return []splice{{len(d.text), len(d.text), lead + written + newline}}
}

// update is the first difference between a value that is there and the one that
// should be.
func (d *document) update(there node, value any) ([]splice, error) {
	if same(d.decode(there), value) {
		return nil, nil
	}
	object, ok := value.(Object)
	if !ok || there.kind != '{' {
		return []splice{{there.start, there.end, d.style().write(value, d.indentAt(there.start))}}, nil
	}
	for i, m := range there.members {
		if _, err := d.only(there, m.name); err != nil {
			return nil, err
		}
		if _, wanted := object.named(m.name); !wanted {
			return d.remove(there, i), nil
		}
	}
	for _, field := range object {
		index, _ := d.only(there, field.Name)
		if index < 0 {
			return d.insert(there, field.Name, field.Value), nil
		}
		splices, err := d.update(there.members[index].value, field.Value)
		if err != nil || len(splices) > 0 {
			return splices, err
		}
	}
	return nil, nil
}

// insert puts a member at an object's end, dressed as its neighbours are.
func (d *document) insert(object node, name string, value any) []splice {
	closing := object.end - 1
	key := quoteJSON(name) + ": "
	if strings.TrimSpace(string(d.text[object.start+1:closing])) == "" {
		written := d.style().object(Object{{name, value}}, d.indentAt(object.start))
		return []splice{{object.start, object.end, written}}
	}
	var splices []splice
	from, spare := object.start+1, ""
	if n := len(object.members); n > 0 {
		last := object.members[n-1]
		from = last.end()
		if last.comma < 0 {
			splices = append(splices, splice{from, from, ","})
		} else {
			spare = ","
		}
	}
	at, _ := d.lastBefore(from, closing)
	if !bytes.ContainsAny(d.text[at:closing], "\r\n") {
		return append(splices, splice{at, at, " " + key + style{}.write(value, "") + spare})
	}
	s, indent := d.style(), d.memberIndent(object)
	return append(splices, splice{at, at, newlineOf(d.text) + indent + key + s.write(value, indent) + spare})
}

// remove takes a member out, and the comma that is one too many then. Comments
// around it stay.
func (d *document) remove(object node, index int) []splice {
	own := object.members[index]
	from := object.start + 1
	var splices []splice
	if index > 0 {
		before := object.members[index-1]
		from = before.end()
		if own.comma < 0 {
			splices = append(splices, splice{before.comma, before.comma + 1, ""})
		}
	}
	start, inComment := d.lastBefore(from, own.start)
	end := own.end()
	if len(object.members) == 1 && strings.TrimSpace(string(d.text[object.start+1:own.start])+string(d.text[end:object.end-1])) == "" {
		return []splice{{object.start + 1, object.end - 1, ""}}
	}
	if rest := bytes.TrimLeft(d.text[end:], " \t"); inComment && !bytes.HasPrefix(rest, []byte("\n")) && !bytes.HasPrefix(rest, []byte("\r")) {
		start = own.start // the comment ends with its line, which is kept
	}
	if start == own.start && !inComment { // so that `{"a": 1, "b": 2}` keeps no blank at its start
		end = len(d.text) - len(bytes.TrimLeft(d.text[end:], " "))
	}
	return append(splices, splice{start, end, ""})
}

// lastBefore is the end of the last comment between two places, or the first of
// them; and whether that comment goes to the end of its line.
func (d *document) lastBefore(from, to int) (at int, toLineEnd bool) {
	at = from
	for _, c := range d.comments {
		if c.start >= from && c.end <= to {
			at, toLineEnd = c.end, c.toLineEnd
		}
	}
	return at, toLineEnd
}

// decode is a value as encoding/json has it.
func (d *document) decode(n node) any {
	bare := bytes.Clone(d.text[n.start:n.end])
	blank := func(start, end int) {
		for i := max(start, n.start); i < min(end, n.end); i++ {
			bare[i-n.start] = ' '
		}
	}
	for _, c := range d.comments {
		blank(c.start, c.end)
	}
	for _, comma := range d.spare {
		blank(comma, comma+1)
	}
	decoder := json.NewDecoder(bytes.NewReader(bare))
	decoder.UseNumber()
	var value any
	_ = decoder.Decode(&value) // it was found to be valid
	return value
}
