package summary

// kind says what a unit is.
type kind uint8

const (
	paragraph kind = iota
	listItem
	openTask
	doneTask
	quote
	callout
	label   // the title of a callout, or a heading inside a quote or an item
	outline // a heading or the head row of a table, used where there is hardly any text
)

// unit is a paragraph, or a list item without its children.
type unit struct {
	text    string // with line breaks only where the author meant them
	kind    kind
	box     string // the character in the checkbox of a task
	depth   int    // of a list item
	words   int
	section int  // index of the heading above it; -1 before the first
	linked  int  // bytes of the text that belong to links
	digest  bool // whether it is in a callout that announces a summary
}

// mark returns the list marker and checkbox before the unit's text in a summary.
func (u *unit) mark() string {
	switch u.kind {
	case listItem:
		return "- "
	case openTask, doneTask:
		return "- [" + u.box + "] "
	}
	return ""
}

// lineBreak returns how to write a line break inside the unit. The lines of a list item are indented.
func (u *unit) lineBreak() string {
	if u.mark() != "" {
		return "\n  "
	}
	return "\n"
}

func markWords(u *unit) int { return countWords(u.mark()) }

// heading is a heading without markup.
type heading struct {
	text  string
	level int
}

// text is a note without markup.
type text struct {
	units    []unit
	headings []heading
	tables   []unit // the head rows of its tables
	total    int    // its words
	searched int    // bytes examined in search of the ends of links, which a test bounds
}

// sparse is the number of words below which the headings of a note are as informative as its text.
const sparse = 10

// candidates returns the units from which a summary is chosen: the text; if there is hardly any, the headings too; if
// there is nothing else, the head rows of tables.
func (t *text) candidates() []unit {
	words := 0
	for i := range t.units {
		words += t.units[i].words
	}
	if words >= sparse {
		return t.units
	}
	units, next := []unit{}, 0
	for section := -1; section < len(t.headings); section++ {
		if section >= 0 && countWords(t.headings[section].text) > 0 {
			units = append(units, unit{text: t.headings[section].text, kind: outline, section: section})
		}
		for ; next < len(t.units) && t.units[next].section == section; next++ {
			units = append(units, t.units[next])
		}
	}
	if len(units) == 0 {
		return t.tables
	}
	return units
}
