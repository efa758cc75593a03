package entry_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"obsidian-mcp/internal/install/entry"
)

// Rewriting an inline table keeps the types of other values: floats, dates, times.
func TestInlineTableKeepsTypes(t *testing.T) {
	for _, value := range []string{
		"20.0", "0.5", "1e30", "-2.5e-9", "-inf", "5", "true", "'a\\b'", "[1, 2.0]",
		"1979-05-27", "07:32:00", "07:32:00.25", "1979-05-27T07:32:00", "1979-05-27T07:32:00Z", "1979-05-27T07:32:00.5+02:00",
	} {
		t.Run(value, func(t *testing.T) {
			text := "[servers]\nown = { command = 'old', kept = " + value + " }\n"
			existing, _, err := entry.Get([]byte(text), entry.TOML, "servers", "own")
			if err != nil {
				t.Fatal(err)
			}
			want := maps.Clone(existing.(map[string]any))
			want["command"] = "new"
			var object entry.Object
			for _, name := range slices.Sorted(maps.Keys(want)) {
				object = append(object, entry.Field{Name: name, Value: want[name]})
			}
			after := set(t, text, entry.TOML, object)
			got, _, err := entry.Get([]byte(after), entry.TOML, "servers", "own")
			if err != nil || !reflect.DeepEqual(got, any(want)) {
				t.Errorf("%v in\n%s", err, after)
			}
		})
	}
}
