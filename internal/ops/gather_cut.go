package ops

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/passage"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/fold"
)

// What a word counts in a heading or the title of a note, compared with one in the text.
const (
	inHeading = 0.5
	inTitle   = 0.3
)

// cut cuts the notes into passages, and keeps those that have words of the question or whose notes were named.
func (g *gathering) cut() {
	asked, hits := g.s.Hits(g.question.telling, g.notes)
	for _, word := range g.question.telling { // a single character of a script without spaces is found as a part of others
		isAsked := slices.ContainsFunc(asked, func(known index.Word) bool { return strings.Contains(word, known.Text) })
		if !isAsked && isUnspaced(word) && g.s.Occurs(word) {
			asked = append(asked, index.Word{Text: fold.String(word), Rarity: 1})
		}
	}
	g.asked = asked
	g.located = make([]bool, len(asked))
	for _, ofNote := range hits {
		for _, hit := range ofNote {
			g.located[hit.Word] = true
		}
	}
	for rank := range g.notes {
		g.cutNote(rank, hits[rank])
	}
}

// cutNote cuts one note. Its properties are a passage of their own.
func (g *gathering) cutNote(rank int, hits []index.Hit) {
	path := g.notes[rank]
	note := md.Scan([]byte(g.s.Text(path)))
	date := g.dateOf(path)
	worth := 0.0
	switch {
	case rank < g.named:
		worth = ofNamed
	case rank < g.subjects:
		worth = ofSubject
	}
	passages := passage.Split(note, passageSize)
	properties := g.propertiesOf(path)
	if properties != "" {
		passages = slices.Insert(passages, 0, passage.Passage{Span: md.Span{Start: 0, End: note.Body}})
	}
	at := 0
	for number, cutOut := range passages {
		p := &part{
			path: path, date: date, rank: rank, number: number, headings: cutOut.Headings, has: make([]float64, len(g.asked)),
			text: strings.Trim(string(cutOut.Of(note.Source)), "\r\n"), byItself: worth / (1 + float64(number)/byPosition),
		}
		if p.isFront = cutOut.End <= note.Body; p.isFront {
			p.text, p.byItself = strings.TrimRight(properties, "\n"), 0
		}
		if len(cutOut.Headings) > 0 {
			p.date = cmp.Or(dateInName.FindString(cutOut.Headings[len(cutOut.Headings)-1]), date)
		}
		for ; at < len(hits) && hits[at].At < cutOut.Start; at++ {
		}
		for ; at < len(hits) && hits[at].At < cutOut.End; at++ {
			p.has[hits[at].Word] = 1
		}
		g.credit(p)
		if strings.TrimSpace(p.text) != "" && (p.byItself > 0 || slices.Max(append(p.has, 0)) >= inHeading) {
			p.size = p.cost()
			g.parts = append(g.parts, p)
		}
	}
}

// credit counts the words that a passage has above it, and those that the index does not know as words.
func (g *gathering) credit(p *part) {
	above, title := fold.String(strings.Join(p.headings, " ")), fold.String(p.path.Name())
	for i, word := range g.asked {
		switch {
		case p.has[i] == 1:
		case !g.located[i] && strings.Contains(fold.String(p.text), word.Text):
			p.has[i] = 1
		case strings.Contains(above, word.Text):
			p.has[i] = inHeading
		case strings.Contains(title, word.Text):
			p.has[i] = inTitle
			if p.number <= 1 {
				p.has[i] = inHeading
			}
		}
	}
}

// Properties that say nothing about the subject of a note, and how many bytes of the others are shown.
var (
	unshown        = []string{"tags", "tag", "aliases", "alias", "cssclasses", "cssclass", "position", "publish"}
	mostProperties = 240
)

func shownProperty(v front.Value) string {
	if v.Kind != front.List {
		return v.Text
	}
	var texts []string
	for _, item := range v.Items {
		texts = append(texts, shownProperty(item))
	}
	return strings.Join(texts, ", ")
}

// propertiesOf shows the properties of a note in a line.
func (g *gathering) propertiesOf(path vpath.Path) string {
	properties, err := g.s.Entry(path).Properties()
	if err != nil || properties == nil {
		return ""
	}
	var texts []string
	for _, field := range properties.Fields() {
		if value := oneLine(shownProperty(field.Value)); value != "" && !slices.Contains(unshown, strings.ToLower(field.Key)) {
			texts = append(texts, field.Key+": "+value)
		}
	}
	line := strings.Join(texts, " · ")
	if len(line) > mostProperties {
		line = line[:cutAt(line, mostProperties)] + "…"
	}
	if line == "" {
		return ""
	}
	return line + "\n\n"
}

var dateInName = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)

// dateOf is the date of a note: the one in its name, or in its properties, or the day of its last change.
func (g *gathering) dateOf(path vpath.Path) string {
	if date := dateInName.FindString(path.Name()); date != "" {
		return date
	}
	entry := g.s.Entry(path)
	if properties, err := entry.Properties(); err == nil && properties != nil {
		for _, name := range []string{"date", "updated", "created"} {
			if v, ok := properties.Get(name); ok {
				if date := dateInName.FindString(v.Text); date != "" {
					return date
				}
			}
		}
	}
	return "changed " + entry.Modified.In(g.zone).Format(time.DateOnly)
}
