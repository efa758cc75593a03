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
	label // the title of a callout, a heading inside of a quote or an item
	outline
)

// unit is text that is read together: a paragraph, or a list item without its
// children.
type unit struct {
	text    string // a line break where the author meant one
	kind    kind
	box     string // of a task, the character in it
	depth   int    // of a list item
	words   int
	section int  // index of the heading above it; -1 before the first
	linked  int  // bytes of the text that links show
	digest  bool // in a callout that sums up
}

// mark is what stands before the unit's text in a summary.
func (u *unit) mark() string {
	switch u.kind {
	case listItem:
		return "- "
	case openTask, doneTask:
		return "- [" + u.box + "] "
	}
	return ""
}

// lineBreak is how a line break in the unit is written: what belongs to an
// item is indented.
func (u *unit) lineBreak() string {
	if u.mark() != "" {
		return "\n  "
	}
	return "\n"
}

func markWords(u *unit) int { return countWords(u.mark()) }

// heading is a heading as it reads.
type heading struct {
	text  string
	level int
}

// text is a note as it reads.
type text struct {
	units    []unit
	headings []heading
	tables   []unit // the head rows
	total    int    // words
}

// sparse is how many words of text speak for themselves. Below that, the
// headings of a note say as much.
const sparse = 10

// telling is what a summary is drawn from: the text; where there is hardly
// any, the headings too; where there is nothing else, the heads of tables.
func (t *text) telling() []unit {
	words := 0
	for i := range t.units {
		words += t.units[i].words
	}
	if words >= sparse {
		return t.units
	}
	all, next := []unit{}, 0
	for section := -1; section < len(t.headings); section++ {
		if section >= 0 && countWords(t.headings[section].text) > 0 {
			all = append(all, unit{text: t.headings[section].text, kind: outline, section: section})
		}
		for ; next < len(t.units) && t.units[next].section == section; next++ {
			all = append(all, t.units[next])
		}
	}
	if len(all) == 0 {
		return t.tables
	}
	return all
}
