package bases

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/query/value"
)

// builtin is a function. It gets its arguments unevaluated, because if() needs only one of them.
type builtin func(r *rowScope, arguments []expression) (value.Value, error)

// eager makes a builtin of a function that takes values, from least to most of them.
func eager(least, most int, run func(r *rowScope, arguments []value.Value) (value.Value, error)) builtin {
	return func(r *rowScope, arguments []expression) (value.Value, error) {
		if len(arguments) < least || len(arguments) > most {
			return nil, fmt.Errorf("%d arguments are too few or too many", len(arguments))
		}
		values, err := evaluateAll(r, arguments)
		if err != nil {
			return nil, err
		}
		return run(r, values)
	}
}

const manyArguments = 1000

// functions are the global functions by name. It is filled when the program starts, because the parser asks for the names.
var functions map[string]builtin

func init() {
	functions = map[string]builtin{
		"escapeHTML": eager(1, 1, func(_ *rowScope, a []value.Value) (value.Value, error) {
			return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(Text(a[0])), nil
		}),
		"date":     eager(1, 1, makeDate),
		"duration": eager(1, 1, makeDuration),
		"file":     eager(1, 1, makeFile),
		"html":     eager(1, 1, rich("html")),
		"image":    eager(1, 1, rich("image")),
		"icon":     eager(1, 1, rich("icon")),
		"if":       choose,
		"link":     eager(1, 2, makeLink),
		"list": eager(1, 1, func(_ *rowScope, a []value.Value) (value.Value, error) {
			if list, ok := a[0].(value.List); ok {
				return list, nil
			}
			return value.List{a[0]}, nil
		}),
		"max": eager(1, manyArguments, extreme(math.Max)),
		"min": eager(1, manyArguments, extreme(math.Min)),
		"now": eager(0, 0, func(r *rowScope, _ []value.Value) (value.Value, error) { return value.Date{Time: r.now}, nil }),
		"today": eager(0, 0, func(r *rowScope, _ []value.Value) (value.Value, error) {
			day := value.Date{Time: r.now}.Day()
			day.IsDay = true
			return day, nil
		}),
		"number": eager(1, 1, makeNumber),
		"random": eager(0, 0, func(r *rowScope, _ []value.Value) (value.Value, error) { return r.random(), nil }),
	}
}

func functionNames() []string { return slices.Sorted(maps.Keys(functions)) }

func (c call) evaluate(r *rowScope) (value.Value, error) {
	v, err := functions[c.name](r, c.arguments)
	if err != nil && !isFinal(err) {
		return nil, fmt.Errorf("%s(): %w", c.name, err)
	}
	return v, err
}

func choose(r *rowScope, arguments []expression) (value.Value, error) {
	if len(arguments) < 2 || len(arguments) > 3 {
		return nil, errors.New("it takes a condition, a value, and perhaps another value")
	}
	condition, err := arguments[0].evaluate(r)
	switch {
	case err != nil:
		return nil, err
	case isTruthy(condition):
		return arguments[1].evaluate(r)
	case len(arguments) == 3:
		return arguments[2].evaluate(r)
	}
	return nil, nil
}

func makeDate(r *rowScope, a []value.Value) (value.Value, error) {
	switch v := a[0].(type) {
	case nil:
		return nil, nil
	case float64:
		return value.Date{Time: time.UnixMilli(int64(v)).In(r.now.Location())}, nil
	}
	date, ok := r.asDate(r.comparable(a[0]))
	if !ok {
		return nil, notA{Text(a[0]), "date"}
	}
	return date, nil
}

func makeDuration(_ *rowScope, a []value.Value) (value.Value, error) {
	if a[0] == nil {
		return nil, nil
	}
	length, ok := durationOf(a[0])
	if !ok {
		return nil, notA{Text(a[0]), "duration"}
	}
	return length, nil
}

func makeFile(r *rowScope, a []value.Value) (value.Value, error) {
	if file := r.fileAt(a[0]); file != nil {
		return file, nil
	}
	return nil, nil
}

// fileAt returns the file that a value names: a file, a link, or the text of one; nil if no file has it.
func (r *rowScope) fileAt(v value.Value) *File {
	if file := fileOf(v); file != nil {
		return file
	}
	path := ""
	switch v := v.(type) {
	case value.Link:
		path = v.Path
	case string:
		path = v
		if inner, ok := strings.CutPrefix(v, "[["); ok {
			path, _, _ = strings.Cut(strings.TrimSuffix(inner, "]]"), "|")
		}
		path, _, _ = strings.Cut(path, "#")
	}
	if path == "" {
		return nil
	}
	return r.vault.ByPath(r.vault.Resolve(path, r.file.Path))
}

func rich(kind string) func(*rowScope, []value.Value) (value.Value, error) {
	return func(_ *rowScope, a []value.Value) (value.Value, error) {
		if file := fileOf(a[0]); file != nil {
			return Rich{kind, file.Path}, nil
		}
		if link, ok := a[0].(value.Link); ok {
			return Rich{kind, link.Path}, nil
		}
		return Rich{kind, Text(a[0])}, nil
	}
}

func makeLink(_ *rowScope, a []value.Value) (value.Value, error) {
	link, isLink := a[0].(value.Link)
	switch file := fileOf(a[0]); {
	case a[0] == nil:
		return nil, nil
	case file != nil:
		link = value.FileLink(file.Path)
	case !isLink:
		link = value.FileLink(Text(a[0]))
	}
	if len(a) > 1 && a[1] != nil {
		link.Display = Text(a[1])
	}
	return link, nil
}

func extreme(better func(x, y float64) float64) func(*rowScope, []value.Value) (value.Value, error) {
	return func(_ *rowScope, a []value.Value) (value.Value, error) {
		var best value.Value
		for _, v := range a {
			number, ok := v.(float64)
			switch {
			case v == nil:
				continue
			case !ok:
				return nil, notA{Text(v), "number"}
			case best != nil:
				number = better(best.(float64), number)
			}
			best = number
		}
		return best, nil
	}
}

func makeNumber(_ *rowScope, a []value.Value) (value.Value, error) {
	switch v := a[0].(type) {
	case nil:
		return nil, nil
	case float64:
		return v, nil
	case bool:
		if v {
			return 1.0, nil
		}
		return 0.0, nil
	case value.Date:
		return float64(v.Time.UnixMilli()), nil
	case value.Duration:
		return v.Millis(), nil
	}
	number, err := strconv.ParseFloat(strings.TrimSpace(Text(a[0])), 64)
	if err != nil {
		return nil, notA{Text(a[0]), "number"}
	}
	return number, nil
}

// notA says that a value is not of a kind. It shows the value in its own cell only.
type notA struct{ text, kind string }

func (n notA) Error() string { return fmt.Sprintf("%q is not a %s", n.text, n.kind) }

// reasonOf says why an expression failed, without what the note says.
func reasonOf(err error) string {
	if wrong, ok := errors.AsType[notA](err); ok {
		return "a value is not a " + wrong.kind
	}
	return err.Error()
}

// unknown is the error about a name that nothing has.
func unknown(kind, name string, known []string) error {
	return &Error{Reason: fmt.Sprintf("no %s is named %q", kind, name) + fault.DidYouMean(name, known)}
}
