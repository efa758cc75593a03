// Package bases evaluates Obsidian's Bases: YAML with filters, formulas and views over the files of a vault.
//
// What Obsidian's documents leave open is listed in docs/BASES.md; most of it is decided in choices.go.
package bases

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/query/value"
)

// Base is a parsed base.
type Base struct {
	filter    *filter
	formulas  map[string]expression
	summaries map[string]expression
	names     map[string]string // the names that columns are shown with, by property
	views     []view
}

// view is one view of a base.
type view struct {
	kind, name string
	filter     *filter
	columns    []property
	sort       []sortKey
	group      *sortKey
	limit      int // -1: none
	summaries  []columnSummary
}

// property is the id of a column as it is written, and what it means.
type property struct {
	id   string
	expr expression
}

type sortKey struct {
	property
	descending bool
}

type columnSummary struct {
	property
	name string
}

// filter is a condition, or several of them.
type filter struct {
	kind  filterKind
	expr  expression
	parts []*filter
}

type filterKind string

const (
	single filterKind = ""
	allOf  filterKind = "and"
	anyOf  filterKind = "or"
	noneOf filterKind = "not"
)

// Error says what is wrong with a base, and where.
type Error struct {
	In     string // the part of the base, such as formula "x"
	Line   int    // of the YAML; 0 if unknown
	Column int    // in the expression; 0 if unknown
	Reason string
}

func (e *Error) Error() string {
	place := e.In
	if e.Line > 0 {
		place = fmt.Sprintf("line %d", e.Line)
	}
	if e.Column > 0 {
		place += fmt.Sprintf(", column %d", e.Column)
	}
	if place == "" {
		return e.Reason
	}
	return place + ": " + e.Reason
}

// Parse reads a base.
func Parse(text []byte) (*Base, error) {
	fields, err := front.ReadMap(text)
	if invalid, ok := errors.AsType[*front.Invalid](err); ok {
		return nil, &Error{Line: invalid.Line, Reason: invalid.Reason}
	}
	if err != nil {
		return nil, &Error{Reason: err.Error()}
	}
	base := &Base{formulas: map[string]expression{}, summaries: map[string]expression{}, names: map[string]string{}}
	for _, field := range fields {
		if err := base.read(field); err != nil {
			return nil, err
		}
	}
	return base, nil
}

// read reads one key of a base. Keys that nobody knows are kept by the file and ignored here.
func (b *Base) read(field front.Field) (err error) {
	switch field.Key {
	case "filters":
		b.filter, err = readFilter(field.Value, "filters")
	case "formulas":
		readExpressions(field.Value, "formula", b.formulas)
	case "summaries":
		readExpressions(field.Value, "summary", b.summaries)
	case "properties":
		for _, shown := range field.Value.Fields {
			for _, setting := range shown.Value.Fields {
				if setting.Key == "displayName" {
					b.names[plainID(shown.Key)] = setting.Value.Text
				}
			}
		}
	case "views":
		for _, item := range field.Value.Items {
			read, err := readView(item)
			if err != nil {
				return err
			}
			b.views = append(b.views, read)
		}
	}
	return err
}

func readExpressions(from front.Value, what string, into map[string]expression) {
	for _, field := range from.Fields {
		parsed, err := parse(field.Value.Text)
		if err != nil {
			parsed = broken{in(fmt.Sprintf("%s %q", what, field.Key), err)}
		}
		into[field.Key] = parsed
	}
}

// broken is an expression that cannot be understood. It makes errors in its own cells, and fails a filter.
type broken struct{ err error }

func (b broken) evaluate(*rowScope) (value.Value, error) { return nil, b.err }

// in says in which part of a base an error is.
func in(place string, err error) error {
	if known, ok := errors.AsType[*Error](err); ok && known.In == "" {
		return &Error{In: place, Column: known.Column, Reason: known.Reason}
	}
	return err
}

func readFilter(from front.Value, place string) (*filter, error) {
	switch from.Kind {
	case front.Null:
		return nil, nil
	case front.Text, front.Bool, front.Number:
		parsed, err := parse(from.Text)
		return &filter{expr: parsed}, in(fmt.Sprintf("%s %q", place, from.Text), err)
	case front.Map:
		if len(from.Fields) != 1 || !slices.Contains([]filterKind{allOf, anyOf, noneOf}, filterKind(from.Fields[0].Key)) {
			return nil, &Error{In: place, Reason: "a filter is a text, or a map with exactly one of and, or, not"}
		}
	default:
		return nil, &Error{In: place, Reason: "a filter is a text, or a map with exactly one of and, or, not"}
	}
	read := &filter{kind: filterKind(from.Fields[0].Key)}
	parts := from.Fields[0].Value.Items
	if from.Fields[0].Value.Kind != front.List {
		parts = []front.Value{from.Fields[0].Value}
	}
	for _, part := range parts {
		inner, err := readFilter(part, place)
		if err != nil {
			return nil, err
		}
		if inner != nil {
			read.parts = append(read.parts, inner)
		}
	}
	return read, nil
}

func readView(from front.Value) (view, error) {
	read := view{kind: "table", limit: -1}
	for _, field := range from.Fields {
		var err error
		switch field.Key {
		case "type":
			read.kind = field.Value.Text
		case "name":
			read.name = field.Value.Text
		case "filters":
			read.filter, err = readFilter(field.Value, fmt.Sprintf("filters of view %q", read.name))
		case "order":
			for _, item := range field.Value.Items {
				read.columns = append(read.columns, propertyOf(item.Text))
			}
		case "sort":
			for _, item := range field.Value.Items {
				read.sort = append(read.sort, readSortKey(item))
			}
		case "groupBy":
			if key := readSortKey(field.Value); key.id != "" {
				read.group = &key
			}
		case "limit":
			if limit := field.Value.Float(); field.Value.Kind == front.Number && limit >= 0 {
				read.limit = int(min(limit, 1e9))
			}
		case "summaries":
			for _, item := range field.Value.Fields {
				read.summaries = append(read.summaries, columnSummary{propertyOf(item.Key), item.Value.Text})
			}
		}
		if err != nil {
			return view{}, err
		}
	}
	return read, nil
}

// readSortKey reads what to sort or group by; very old bases call the property column.
func readSortKey(from front.Value) (key sortKey) {
	if from.Kind == front.Text {
		return sortKey{property: propertyOf(from.Text)}
	}
	for _, field := range from.Fields {
		switch field.Key {
		case "property", "column":
			key.property = propertyOf(field.Value.Text)
		case "direction":
			key.descending = strings.EqualFold(field.Value.Text, "DESC")
		}
	}
	return key
}

// propertyOf reads the id of a property: note.x, file.x, formula.x, or a bare name of a property of notes.
func propertyOf(id string) property {
	plain := plainID(id)
	space, name, _ := strings.Cut(plain, ".")
	switch space {
	case "file":
		return property{id, member{variable{"file"}, name}}
	case "formula":
		return property{id, member{variable{"formula"}, name}}
	}
	return property{id, member{variable{"note"}, name}}
}

// plainID is the id of a property with its kind: x and note["x"] are note.x.
func plainID(id string) string {
	if name, ok := strings.CutPrefix(id, `note["`); ok {
		return "note." + strings.TrimSuffix(name, `"]`)
	}
	for _, space := range []string{"note.", "file.", "formula."} {
		if strings.HasPrefix(id, space) {
			return id
		}
	}
	return "note." + id
}

// header is the name that a column is shown with.
func (b *Base) header(p property) string {
	if name := b.names[plainID(p.id)]; name != "" {
		return name
	}
	_, name, _ := strings.Cut(plainID(p.id), ".")
	return name
}

// Views lists the names of the views.
func (b *Base) Views() []string {
	names := make([]string, len(b.views))
	for i, view := range b.views {
		names[i] = view.name
	}
	return names
}
