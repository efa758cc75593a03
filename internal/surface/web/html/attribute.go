package html

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// attribute is an attribute of the element that it is given to.
type attribute struct {
	name  name
	value string
	bare  bool // it has no value
}

func (a attribute) write(out *bytes.Buffer) {
	out.WriteString(" " + string(a.name))
	if a.bare {
		return
	}
	out.WriteString(`="`)
	_, _ = escaper.WriteString(out, a.value)
	out.WriteString(`"`)
}

// Attr returns an attribute. An address goes through Address.
func Attr(name name, value string) Node {
	if slices.Contains(addresses, name) {
		value = Address(value)
	}
	return attribute{name: checked(name), value: value}
}

// Flag returns an attribute without a value.
func Flag(name name) Node { return attribute{name: checked(name), bare: true} }

// Number returns an attribute whose value is a number.
func Number[N int | float64](name name, value N) Node {
	return Attr(name, strconv.FormatFloat(float64(value), 'f', -1, 64))
}

// addresses lists the attributes that name an address, also those of htmx.
var addresses = []name{
	"href", "src", "action", "formaction", "poster", "cite", "hx-get", "hx-post", "hx-put", "hx-patch", "hx-delete",
}

// checked refuses attributes that hold code, styles, other pages or addresses in a notation of their own.
func checked(name name) name {
	isCode := strings.HasPrefix(string(name), "on") || strings.HasPrefix(string(name), "hx-on") ||
		slices.Contains([]string{"style", "srcdoc", "srcset", "ping", "http-equiv", "hx-vals", "hx-vars", "hx-headers"}, string(name))
	if isCode {
		panic("html: an attribute " + string(name) + " is not allowed here")
	}
	return name
}

// Address returns an address if it is safe to follow, and "#" otherwise. It is safe if it is relative to this page or if
// its scheme is http, https, mailto or obsidian.
func Address(address string) string {
	switch Scheme(address) {
	case "", "http:", "https:", "mailto:", "obsidian:":
		return address
	}
	return "#"
}

// Scheme returns the scheme of an address with its colon in lower case, however it is disguised; "//" if the address
// names a server without a scheme, and "" if it is relative.
func Scheme(address string) string {
	stripped := strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return -1 // browsers ignore them
		}
		return r
	}, address)
	slashes := strings.ReplaceAll(stripped, `\`, "/") // as browsers read them
	if strings.HasPrefix(slashes, "//") || strings.HasPrefix(stripped, `\`) {
		return "//"
	}
	before, _, found := strings.Cut(stripped, ":")
	if !found || strings.ContainsAny(before, "/?#") {
		return ""
	}
	return strings.ToLower(before) + ":"
}

// The attributes that many elements have.

// Class returns the class attribute.
func Class(class string) Node { return Attr("class", class) }

// ID returns the id attribute.
func ID(id string) Node { return Attr("id", id) }

// Href returns where a link leads.
func Href(address string) Node { return Attr("href", address) }

// Name returns the name of a field.
func Name(name string) Node { return Attr("name", name) }

// Value returns the value of a field.
func Value(value string) Node { return Attr("value", value) }

// Label returns what screen readers say for an element.
func Label(label string) Node { return Attr("aria-label", label) }

// LabelledBy names the element that is the label of another.
func LabelledBy(id string) Node { return Attr("aria-labelledby", id) }

// Role returns the role of an element.
func Role(role string) Node { return Attr("role", role) }

// TabStop lets the keyboard reach an element that scrolls.
func TabStop() Node { return Attr("tabindex", "0") }
