// Package value has the values of the vault's query languages: what properties, fields and expressions hold.
//
// A Value is nil, a bool, a float64, a string, a Date, a Duration, a Link, a List, or Fields. The languages differ in how
// they order, compare, add and print values; those rules are theirs, not this package's.
package value

import (
	"math"
	"strconv"
	"strings"
)

// Value is any value; nil is null.
type Value any

// List is an ordered list of values.
type List []Value

// Fields are values by name: an object, a page, an item of a list.
type Fields interface {
	// Get returns the value of a field, and whether there is one.
	Get(name string) (Value, bool)
	// Keys lists the fields in their order.
	Keys() []string
}

// LinkKind says what a link points at.
type LinkKind string

// What links point at.
const (
	ToFile   LinkKind = "file"
	ToHeader LinkKind = "header"
	ToBlock  LinkKind = "block"
)

// Link is a link to a file or a part of one.
type Link struct {
	Path    string // as written, or the path of the file once it is known
	Kind    LinkKind
	Subpath string
	Display string // "" if the link has no text of its own
	Embed   bool
}

// FileLink returns a link to a file.
func FileLink(path string) Link { return Link{Path: path, Kind: ToFile} }

// Number writes a number as JavaScript does.
func Number(n float64) string {
	switch {
	case math.IsNaN(n):
		return "NaN"
	case math.IsInf(n, 0):
		return strings.TrimPrefix(strconv.FormatFloat(n, 'f', -1, 64), "+") + "inity"
	case n == 0:
		return "0"
	}
	size := math.Abs(n)
	if size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(n, 'e', -1, 64), "e")
	sign, digits := exponent[:1], strings.TrimLeft(exponent[1:], "0")
	return mantissa + "e" + sign + digits
}
