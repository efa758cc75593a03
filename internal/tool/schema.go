package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// typeName returns the JSON type of a parameter. A pointer is nil if the parameter is
// not given.
func typeName(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Pointer:
		return typeName(t.Elem())
	case t == reflect.TypeFor[Object]():
		return "object"
	case t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Int:
		return "integer"
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.Slice && (t.Elem().Kind() == reflect.String || isObjectList(t)):
		return "array"
	}
	panic(fmt.Sprintf("a parameter cannot have the type %v", t))
}

// isObjectList reports whether a parameter is a list of objects rather than of strings.
func isObjectList(t reflect.Type) bool { return t == reflect.TypeFor[[]Object]() }

// inputSchema uses only what every client accepts. Bounds and enums are left to the
// tools, since clients match the tools' own messages.
func inputSchema(params []Param) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, param := range params {
		if param.Hidden {
			continue
		}
		property := &jsonschema.Schema{Type: param.Type, Description: param.About}
		if param.Type == "array" {
			property.Items = &jsonschema.Schema{Type: "string"}
			if param.Objects {
				property.Items.Type = "object"
			}
		}
		if !param.Required && !slices.Contains([]string{"", "[]", "{}", "0", "false"}, param.Default) {
			property.Default = defaultValue(param)
		}
		schema.Properties[param.Name] = property
		schema.PropertyOrder = append(schema.PropertyOrder, param.Name)
		if param.Required {
			schema.Required = append(schema.Required, param.Name)
		}
	}
	return schema
}

// outputSchema describes a result. A list is described as the object that wraps it.
func outputSchema(out reflect.Type) *jsonschema.Schema {
	if out == reflect.TypeFor[Text]() {
		return nil
	}
	if _, isList := reflect.Zero(out).Interface().(interface{ items() any }); isList {
		items, _ := out.FieldByName("Items")
		return &jsonschema.Schema{
			Type: "object", Required: []string{"result"},
			Properties: map[string]*jsonschema.Schema{"result": schemaOf(items.Type)},
		}
	}
	return schemaOf(out)
}

func schemaOf(t reflect.Type) *jsonschema.Schema {
	switch {
	case t == reflect.TypeFor[Object]():
		return &jsonschema.Schema{Type: "object"}
	case t == reflect.TypeFor[json.RawMessage]():
		return &jsonschema.Schema{}
	}
	switch t.Kind() {
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: schemaOf(t.Elem())}
	case reflect.Struct:
		return structSchema(t)
	}
	panic(fmt.Sprintf("a result cannot contain the type %v", t))
}

// structSchema describes an object. It says neither which fields are always there nor what objects in it hold: that would
// take a fifth of the room that all tools have.
func structSchema(t reflect.Type) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
			continue
		case field.Anonymous: // its fields are there, or none of them
			inner := schemaOf(field.Type)
			maps.Copy(schema.Properties, inner.Properties)
			schema.PropertyOrder = append(schema.PropertyOrder, inner.PropertyOrder...)
			continue
		}
		schema.Properties[name] = withoutParts(schemaOf(field.Type))
		schema.PropertyOrder = append(schema.PropertyOrder, name)
		if options == "" && field.Type.Kind() == reflect.Pointer {
			schema.Properties[name] = nullable(schema.Properties[name])
		}
	}
	return schema
}

// withoutParts leaves of an object, or of a list of objects, only that it is one.
func withoutParts(schema *jsonschema.Schema) *jsonschema.Schema {
	schema.Properties, schema.PropertyOrder = nil, nil
	if schema.Items != nil {
		schema.Items = withoutParts(schema.Items)
	}
	return schema
}

// nullable describes a value that may be null.
func nullable(schema *jsonschema.Schema) *jsonschema.Schema {
	schema.Types, schema.Type = []string{schema.Type, "null"}, ""
	return schema
}
