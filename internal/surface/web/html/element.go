package html

// Page returns a whole document.
func Page(language string, parts ...Node) Node {
	return Nodes{Raw("<!doctype html>\n"), newElement("html", append(parts, Attr("lang", language)))}
}

// Script returns a script from an address. It has no content and runs when the page has been read.
func Script(address string) Node {
	return newElement("script", []Node{Attr("src", address), Flag("defer")})
}

// Pre returns preformatted text, which may be wide enough to scroll.
func Pre(parts ...Node) Node { return newElement("pre", append(parts, TabStop())) }

// Post returns a form that is sent with POST.
func Post(address string, parts ...Node) Node {
	return newElement("form", append([]Node{Attr("method", "post"), Attr("action", address)}, parts...))
}

// Hidden returns a field that nobody sees.
func Hidden(name, value string, parts ...Node) Node {
	return newElement("input", append([]Node{Attr("type", "hidden"), Name(name), Value(value)}, parts...))
}

// Input returns a field.
func Input(parts ...Node) Node { return newElement("input", parts) }

// Link returns a link.
func Link(address string, parts ...Node) Node {
	return newElement("a", append([]Node{Href(address)}, parts...))
}

// Section returns a section with the heading that has an id.
func Section(headingID string, parts ...Node) Node {
	return newElement("section", append([]Node{LabelledBy(headingID)}, parts...))
}

// The other elements are called as in HTML.

func Button(parts ...Node) Node  { return newElement("button", parts) }
func Code(parts ...Node) Node    { return newElement("code", parts) }
func Details(parts ...Node) Node { return newElement("details", parts) }
func Div(parts ...Node) Node     { return newElement("div", parts) }
func H2(parts ...Node) Node      { return newElement("h2", parts) }
func H3(parts ...Node) Node      { return newElement("h3", parts) }
func Li(parts ...Node) Node      { return newElement("li", parts) }
func P(parts ...Node) Node       { return newElement("p", parts) }
func Span(parts ...Node) Node    { return newElement("span", parts) }
func Strong(parts ...Node) Node  { return newElement("strong", parts) }
func Summary(parts ...Node) Node { return newElement("summary", parts) }
func Td(parts ...Node) Node      { return newElement("td", parts) }
func Tr(parts ...Node) Node      { return newElement("tr", parts) }
func Ul(parts ...Node) Node      { return newElement("ul", parts) }
