package front_test

import (
	"testing"

	"obsidian-mcp/internal/note/md/front"
)

func TestTypes(t *testing.T) {
	for _, test := range []struct {
		value string // JSON
		looks front.Type
		fits  []front.Type
	}{
		{`null`, "", []front.Type{front.TypeText, front.TypeList, front.TypeNumber, front.TypeCheckbox, front.TypeDate, front.TypeDateTime, front.TypeAliases, front.TypeTags}},
		{`"soon"`, front.TypeText, []front.Type{front.TypeText}},
		{`"5"`, front.TypeText, []front.Type{front.TypeText}},
		{`5.50`, front.TypeNumber, []front.Type{front.TypeText, front.TypeNumber}},
		{`true`, front.TypeCheckbox, []front.Type{front.TypeCheckbox}},
		{`"2026-11-16"`, front.TypeDate, []front.Type{front.TypeText, front.TypeDate, front.TypeDateTime}},
		{`"2026-13-16"`, front.TypeText, []front.Type{front.TypeText}},
		{`"2026-11-00"`, front.TypeText, []front.Type{front.TypeText}},
		{`"2026-11-16T09:30"`, front.TypeDateTime, []front.Type{front.TypeText, front.TypeDateTime}},
		{`"2026-11-16T23:59:59"`, front.TypeDateTime, []front.Type{front.TypeText, front.TypeDateTime}},
		{`"2026-11-16T24:00"`, front.TypeText, []front.Type{front.TypeText}},
		{`"2026-11-16T09:60"`, front.TypeText, []front.Type{front.TypeText}},
		{`"2026-11-16T09:30:60"`, front.TypeText, []front.Type{front.TypeText}},
		{`"2026-11-16T"`, front.TypeText, []front.Type{front.TypeText}},
		{`["a"]`, front.TypeList, []front.Type{front.TypeList, front.TypeAliases, front.TypeTags}},
		{`{"a":1}`, front.TypeObject, nil},
	} {
		value, err := front.FromJSON([]byte(test.value))
		if err != nil {
			t.Fatal(err)
		}
		if got := front.TypeOf(value); got != test.looks {
			t.Errorf("%s looks like %q, want %q", test.value, got, test.looks)
		}
		fits := map[front.Type]bool{"of a plugin": true}
		for _, fit := range test.fits {
			fits[fit] = true
		}
		for _, kind := range []front.Type{front.TypeText, front.TypeList, front.TypeNumber, front.TypeCheckbox, front.TypeDate, front.TypeDateTime, front.TypeAliases, front.TypeTags, "of a plugin"} {
			if got := kind.Fits(value); got != fits[kind] {
				t.Errorf("%s fits %s: %v", test.value, kind, got)
			}
		}
	}
}
