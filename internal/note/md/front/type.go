package front

import "strings"

// Type is a type that Obsidian gives a property in all notes.
type Type string

// Obsidian's types, as types.json spells them.
const (
	TypeText     Type = "text"
	TypeList     Type = "multitext"
	TypeNumber   Type = "number"
	TypeCheckbox Type = "checkbox"
	TypeDate     Type = "date"
	TypeDateTime Type = "datetime"
	TypeAliases  Type = "aliases"
	TypeTags     Type = "tags"
)

// TypeObject is the type of a map, which Obsidian shows but cannot edit.
const TypeObject Type = "object"

// BuiltInType returns the type that Obsidian itself gives a property, or "".
func BuiltInType(name string) Type {
	switch strings.ToLower(name) {
	case "tags":
		return TypeTags
	case "aliases":
		return TypeAliases
	case "cssclasses":
		return TypeList
	}
	return ""
}

// TypeOf returns the type that a value looks like; "" for null, which fits any.
func TypeOf(v Value) Type {
	switch v.Kind {
	case Bool:
		return TypeCheckbox
	case Number:
		return TypeNumber
	case List:
		return TypeList
	case Map:
		return TypeObject
	case Text:
		switch {
		case isDate(v.Text):
			return TypeDate
		case isDateTime(v.Text):
			return TypeDateTime
		}
		return TypeText
	}
	return ""
}

// Fits reports whether a value is of a type. Anything fits a type that is not Obsidian's own.
func (t Type) Fits(v Value) bool {
	found := TypeOf(v)
	switch t {
	case TypeText:
		return v.Kind != List && v.Kind != Map && v.Kind != Bool
	case TypeNumber, TypeCheckbox, TypeDate:
		return found == t || v.Kind == Null
	case TypeDateTime:
		return found == TypeDate || found == TypeDateTime || v.Kind == Null
	case TypeList, TypeTags, TypeAliases:
		return found == TypeList || v.Kind == Null
	}
	return true
}

// Example describes the values of a type in a few words.
func (t Type) Example() string {
	switch t {
	case TypeNumber:
		return "a number"
	case TypeCheckbox:
		return "true or false"
	case TypeDate:
		return "a date such as 2026-11-16"
	case TypeDateTime:
		return "a time such as 2026-11-16T09:30:00"
	case TypeList, TypeTags, TypeAliases:
		return "a list"
	}
	return "text"
}

// isDate reports whether a text is a date such as 2026-11-16.
func isDate(text string) bool {
	return matches(text, "0000-00-00") && "01" <= text[5:7] && text[5:7] <= "12" && "01" <= text[8:] && text[8:] <= "31"
}

// isDateTime reports whether a text is a date and a time such as 2026-11-16T09:30 or 2026-11-16T09:30:00.
func isDateTime(text string) bool {
	date, clock, _ := strings.Cut(text, "T")
	return isDate(date) && (matches(clock, "00:00") || matches(clock, "00:00:00")) && clock < "24" &&
		clock[3:] < "6" && (len(clock) == 5 || clock[6:] < "6")
}

// matches reports whether a text has digits where a pattern has them, and else the same characters.
func matches(text, pattern string) bool {
	if len(text) != len(pattern) {
		return false
	}
	for i := range len(text) {
		isDigit := '0' <= text[i] && text[i] <= '9'
		if pattern[i] == '0' && !isDigit || pattern[i] != '0' && text[i] != pattern[i] {
			return false
		}
	}
	return true
}
