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

// setJSON fixes one difference at a time and parses the text again after each, until no difference is left.
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
	return nil, &Error{What: "'" + path[len(path)-1] + "' has too many differences; remove it by hand and try again"}
}

// mostSteps bounds how many differences are fixed one by one.
const mostSteps = 1000

func (t Text) removeJSON(path []string) ([]byte, error) {
	found, missing, err := t.json.walk(path)
	if err != nil || len(missing) > 0 {
		return t.bytes, err
	}
	return apply(t.bytes, t.json.remove(found.parent, found.index)), nil
}

// location is where a value is, or where the path to it ends.
type location struct {
	parent node
	index  int // of the value's member in parent
	value  node
}

// walk follows a path. If the path ends early, walk returns the last object and the missing names.
func (d *document) walk(path []string) (location, []string, error) {
	if d.root.kind == 0 {
		return location{}, path, nil
	}
	found := location{value: d.root}
	for i, name := range path {
		if found.value.kind != '{' {
			what := "the file"
			if i > 0 {
				what = "'" + path[i-1] + "'"
			}
			return location{}, nil, errorAt(d.text, found.value.start, "%s must contain an object in braces", what)
		}
		index, err := d.memberIndex(found.value, name)
		if err != nil {
			return location{}, nil, err
		}
		if index < 0 {
			return found, path[i:], nil
		}
		found = location{found.value, index, found.value.members[index].value}
	}
	return found, nil, nil
}

// memberIndex returns the index of the member with a name, or -1. A name that appears twice is an error.
func (d *document) memberIndex(object node, name string) (int, error) {
	index := -1
	for i, m := range object.members {
		if m.name != name {
			continue
		}
		if index >= 0 {
			return 0, errorAt(d.text, m.start, "'%s' appears twice; remove one of them", name)
		}
		index = i
	}
	return index, nil
}

// set returns the next step towards a text with the value.
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

// begin writes the first value of an empty text.
func (d *document) begin(value any) []splice {
	newline, lead := newlineOf(d.text), ""
	if n := len(d.comments); n > 0 && !bytes.HasSuffix(d.text, []byte("\n")) {
		lead = newline
	}
	written := style{newline: newline, unit: "  "}.write(value, "")
	return []splice{{len(d.text), len(d.text), lead + written + newline}}
}

// update fixes the first difference between an existing value and the wanted one.
func (d *document) update(existing node, value any) ([]splice, error) {
	if same(d.decode(existing), value) {
		return nil, nil
	}
	object, ok := value.(Object)
	if !ok || existing.kind != '{' {
		return []splice{{existing.start, existing.end, d.style().write(value, d.indentAt(existing.start))}}, nil
	}
	for i, m := range existing.members {
		if _, err := d.memberIndex(existing, m.name); err != nil {
			return nil, err
		}
		if _, wanted := object.named(m.name); !wanted {
			return d.remove(existing, i), nil
		}
	}
	for _, field := range object {
		index, _ := d.memberIndex(existing, field.Name)
		if index < 0 {
			return d.insert(existing, field.Name, field.Value), nil
		}
		splices, err := d.update(existing.members[index].value, field.Value)
		if err != nil || len(splices) > 0 {
			return splices, err
		}
	}
	return nil, nil
}

// insert adds a member at the end of an object, formatted like its neighbours.
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

// remove removes a member, and the comma that is no longer needed. Comments around it stay.
func (d *document) remove(object node, index int) []splice {
	gone := object.members[index]
	from := object.start + 1
	var splices []splice
	if index > 0 {
		before := object.members[index-1]
		from = before.end()
		if gone.comma < 0 {
			splices = append(splices, splice{before.comma, before.comma + 1, ""})
		}
	}
	start, inComment := d.lastBefore(from, gone.start)
	end := gone.end()
	around := string(d.text[object.start+1:gone.start]) + string(d.text[end:object.end-1])
	if len(object.members) == 1 && strings.TrimSpace(around) == "" {
		return []splice{{object.start + 1, object.end - 1, ""}}
	}
	rest := bytes.TrimLeft(d.text[end:], " \t")
	endsLine := bytes.HasPrefix(rest, []byte("\n")) || bytes.HasPrefix(rest, []byte("\r"))
	if inComment && !endsLine {
		start = gone.start // the comment runs to the end of its line, so the line break stays
	}
	if start == gone.start && !inComment { // do not leave a blank at the start of `{"a": 1, "b": 2}`
		end = len(d.text) - len(bytes.TrimLeft(d.text[end:], " "))
	}
	return append(splices, splice{start, end, ""})
}

// lastBefore returns the end of the last comment in a range, or the start of the range, and whether that comment runs to
// the end of its line.
func (d *document) lastBefore(from, to int) (at int, toLineEnd bool) {
	at = from
	for _, c := range d.comments {
		if c.start >= from && c.end <= to {
			at, toLineEnd = c.end, c.toLineEnd
		}
	}
	return at, toLineEnd
}

// decode decodes a value with encoding/json.
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
	_ = decoder.Decode(&value) // parseJSON found it valid
	return value
}
