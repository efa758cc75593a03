package search

// IsLimit reports whether a property can be compared with a text: it is a
// number or a date.
func IsLimit(text string) bool {
	_, ok := parseLimit(text)
	return ok
}
