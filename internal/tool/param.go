package tool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/wire"
)

// Param is a parameter of a tool.
type Param struct {
	Name     string
	Type     string // string, integer, boolean, array or object
	About    string
	Default  string // as the signature shows it
	Required bool
	Objects  bool // a list of objects rather than of strings
	Hidden   bool // accepted, but not listed: every tool of its kind has it
	loose    bool // JSON of any type is accepted and kept as its text
	field    int
}

// String returns the parameter as a signature shows it.
func (p Param) String() string {
	switch {
	case p.Required:
		return p.Name
	case p.Type == "string":
		return fmt.Sprintf("%s=%q", p.Name, p.Default)
	case p.Default == "":
		return p.Name + "=null"
	}
	return p.Name + "=" + p.Default
}

// Signature lists a tool's parameters.
func (t Tool) Signature() string {
	var parts []string
	for _, param := range t.Params {
		if !param.Hidden {
			parts = append(parts, param.String())
		}
	}
	return strings.Join(parts, ", ")
}

// sharedParams describe the parameters that many tools have. A field with such a name needs neither a description nor a
// default of its own, and may have both.
var sharedParams = map[string]Param{
	"expected_hash": {About: "_meta.hash from before; refused if the note has changed"},
	"dry_run":       {About: "only report", Default: "false"},
	"confirm":       {About: "id from the refusal, if the user agrees"},
	"limit":         {About: "maximum", Required: true}, // each tool has its own default
	"offset":        {About: "skip", Default: "0"},
}

// paramsOf reads the parameters from a struct's fields.
func paramsOf(in reflect.Type) []Param {
	var params []Param
	for i := range in.NumField() {
		field := in.Field(i)
		shared, isShared := sharedParams[field.Tag.Get("json")]
		defaultText, optional := field.Tag.Lookup("default")
		if !optional && isShared {
			defaultText, optional = shared.Default, !shared.Required
		}
		param := Param{
			Name: field.Tag.Get("json"), About: cmp.Or(field.Tag.Get("jsonschema"), shared.About),
			Type: typeName(field.Type), Default: defaultText, Required: !optional, loose: field.Tag.Get("loose") != "", field: i,
			Hidden: field.Tag.Get("hidden") != "", Objects: isObjectList(field.Type),
		}
		if param.Name == "" || param.About == "" {
			panic(fmt.Sprintf("%v.%s needs a json name and a description", in, field.Name))
		}
		params = append(params, param)
	}
	return params
}

// decode reads arguments into a struct. Names must match exactly; null counts as not
// given; a number or boolean may come as text, as some clients and every command line
// send it.
func decode(params []Param, args json.RawMessage, into any) error {
	given := map[string]json.RawMessage{}
	if len(args) > 0 && string(args) != "null" {
		if err := wire.Check(args); err != nil {
			return fault.InvalidArgument.Errorf("the arguments are not valid JSON: %s", err)
		}
		if json.Unmarshal(args, &given) != nil {
			return fault.InvalidArgument.Errorf("the arguments must be a JSON object")
		}
	}
	acceptOtherName(params, given)
	target := reflect.ValueOf(into).Elem()
	for _, param := range params {
		raw, ok := given[param.Name]
		delete(given, param.Name)
		if !ok || string(raw) == "null" {
			if param.Required {
				return missing(param, params, given)
			}
			if raw = defaultValue(param); raw == nil {
				continue
			}
		}
		if err := set(target.Field(param.field), param, raw); err != nil {
			return err
		}
	}
	return unknown(params, given)
}

// noteNames are the names that tools use for the note they work on.
var noteNames = []string{"name", "path", "note", "uri"}

// acceptOtherName renames an argument for the note that a tool works on: models mix up what tools call it.
func acceptOtherName(params []Param, given map[string]json.RawMessage) {
	var own []string
	for _, param := range params {
		if slices.Contains(noteNames, param.Name) {
			own = append(own, param.Name)
		}
	}
	if len(own) != 1 || given[own[0]] != nil {
		return
	}
	for _, name := range noteNames {
		if value := given[name]; value != nil {
			delete(given, name)
			given[own[0]] = value
			return
		}
	}
}

// missing reports a missing parameter, and an unknown one that may have been meant for
// it.
func missing(param Param, params []Param, given map[string]json.RawMessage) error {
	err := fault.InvalidArgument.Errorf("the parameter '%s' is missing", param.Name)
	for name := range given {
		if !slices.ContainsFunc(params, func(p Param) bool { return p.Name == name }) {
			return err.WithHint("unknown parameter '%s'; did you mean '%s'?", name, param.Name)
		}
	}
	return err
}

func defaultValue(param Param) json.RawMessage {
	switch {
	case param.Type == "string":
		quoted, _ := json.Marshal(param.Default)
		return quoted
	case param.Default == "":
		return nil
	}
	return json.RawMessage(param.Default)
}

func set(field reflect.Value, param Param, raw json.RawMessage) error {
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	text := strings.TrimSpace(string(raw))
	if param.Type != "string" && strings.HasPrefix(text, `"`) {
		var unquoted string
		if json.Unmarshal(raw, &unquoted) == nil {
			text = strings.TrimSpace(unquoted)
		}
	}
	switch param.Type {
	case "integer":
		number, err := strconv.ParseInt(text, 10, 32)
		if float, floatErr := strconv.ParseFloat(text, 64); err != nil && floatErr == nil && float == math.Trunc(float) {
			number, err = int64(max(math.MinInt32, min(math.MaxInt32, float))), nil // 10.0 and 1e1 are whole numbers too
		}
		if err != nil {
			return wrongType(param, "a whole number")
		}
		field.SetInt(number)
	case "boolean":
		if text != "true" && text != "false" {
			return wrongType(param, "true or false")
		}
		field.SetBool(text == "true")
	case "object":
		if !strings.HasPrefix(text, "{") || wire.Check([]byte(text)) != nil {
			return wrongType(param, "an object")
		}
		field.SetBytes([]byte(text))
	case "array":
		if param.Objects {
			return setObjects(field, param, text)
		}
		if json.Unmarshal([]byte(text), field.Addr().Interface()) != nil {
			return wrongType(param, "a list of strings")
		}
	default:
		if json.Unmarshal(raw, field.Addr().Interface()) != nil {
			if !param.loose {
				return wrongType(param, "a string")
			}
			field.SetString(text)
		}
	}
	return nil
}

// setObjects reads a list of objects.
func setObjects(field reflect.Value, param Param, text string) error {
	var items []json.RawMessage
	if json.Unmarshal([]byte(text), &items) != nil || wire.Check([]byte(text)) != nil {
		return wrongType(param, "a list of objects")
	}
	objects := make([]Object, len(items))
	for i, item := range items {
		if !strings.HasPrefix(string(item), "{") {
			return wrongType(param, "a list of objects")
		}
		objects[i] = Object(item)
	}
	field.Set(reflect.ValueOf(objects))
	return nil
}

func wrongType(param Param, want string) error {
	return fault.InvalidArgument.Errorf("the parameter '%s' must be %s", param.Name, want)
}

// unknown refuses parameters that the tool does not have. Ignoring a misspelt one would
// silently do something other than the caller meant.
func unknown(params []Param, given map[string]json.RawMessage) error {
	if len(given) == 0 {
		return nil
	}
	first := slices.Sorted(maps.Keys(given))[0]
	var names []string
	for _, param := range params {
		names = append(names, param.Name)
	}
	err := fault.InvalidArgument.Errorf("unknown parameter '%s'", first)
	if near := fault.Nearest(first, names); near != "" {
		return err.WithHint("did you mean '%s'?", near)
	}
	if len(names) == 0 {
		return err.WithHint("this tool takes no parameters")
	}
	return err.WithHint("the parameters are: %s", strings.Join(names, ", "))
}
