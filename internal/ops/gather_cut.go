package ops

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/index/vector"
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
	g.weigh()
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
	entry := g.s.Entry(path)
	from := &source{path: path, rank: rank, date: g.dateOf(entry), properties: propertyLine(entry)}
	switch {
	case rank < g.named:
		from.byItself = ofNamed
	case rank < g.subjects:
		from.byItself = ofSubject * min(1, 2*g.inName(path))
	}
	note := md.Scan([]byte(g.s.Text(path)))
	if from.properties != "" {
		properties := &part{note: from, date: from.date}
		hits = g.mark(properties, hits, md.Span{End: note.Body}, from.properties)
		g.keep(properties)
	}
	for i, cutOut := range passage.Split(note, g.passage) {
		p := &part{
			note: from, number: i + 1, headings: cutOut.Headings, date: from.date,
			text: strings.Trim(string(cutOut.Of(note.Source)), "\r\n"), byItself: from.byItself / (1 + float64(i)/byPosition),
		}
		if len(cutOut.Headings) > 0 {
			p.date = cmp.Or(dateInName.FindString(cutOut.Headings[len(cutOut.Headings)-1]), from.date)
		}
		hits = g.mark(p, hits, cutOut.Span, p.text)
		if g.scores != nil {
			p.score = bestScore(g.scores[rank], cutOut.Span)
		}
		if strings.TrimSpace(p.text) != "" {
			g.keep(p)
		}
	}
}

// bestScore is the best score of the parts of a note that a span has something of.
func bestScore(scores []vector.Score, span md.Span) (best float32) {
	for i, score := range scores {
		if score.Start < span.End && (i+1 == len(scores) || scores[i+1].Start > span.Start) {
			best = max(best, score.Cosine)
		}
	}
	return best
}

// inName is how much of the question the name of a note has. A common word may be the name of a note, too.
func (g *gathering) inName(path vpath.Path) (share float64) {
	name := fold.String(path.Name())
	for i, word := range g.asked {
		if strings.Contains(name, word.Text) {
			share += g.weights[i]
		}
	}
	return share
}

// keep keeps a passage that has a word of the question or is close to it, or whose note was named.
func (g *gathering) keep(p *part) {
	if p.byItself > 0 || g.alike > 0 && p.score >= g.alike || slices.Max(append(p.has, 0)) >= inHeading {
		p.size = p.cost(false)
		g.parts = append(g.parts, p)
	}
}

// mark finds out which words a passage has in its text or above it. It returns the hits behind the passage.
func (g *gathering) mark(p *part, hits []index.Hit, span md.Span, text string) []index.Hit {
	p.has = make([]float64, len(g.asked))
	for len(hits) > 0 && hits[0].At < span.End {
		if hits[0].At >= span.Start {
			p.has[hits[0].Word] = 1
		}
		hits = hits[1:]
	}
	above, title := fold.String(strings.Join(p.headings, " ")), fold.String(p.note.path.Name())
	for i, word := range g.asked {
		switch {
		case p.has[i] == 1:
		case !g.located[i] && strings.Contains(fold.String(text), word.Text):
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
	return hits
}

// Properties that say nothing about the subject of a note, and how many characters of the others are shown.
var (
	unshown        = []string{"tags", "tag", "aliases", "alias", "cssclasses", "cssclass", "position", "publish"}
	mostProperties = 100
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

// propertyLine shows the properties of a note in a line.
func propertyLine(entry *index.Entry) string {
	properties, err := entry.Properties()
	if err != nil || properties == nil {
		return ""
	}
	var texts []string
	for _, field := range properties.Fields() {
		if value := oneLine(shownProperty(field.Value)); value != "" && !slices.Contains(unshown, strings.ToLower(field.Key)) {
			texts = append(texts, field.Key+": "+value)
		}
	}
	return shortLine(strings.Join(texts, " · "), mostProperties)
}

// shortLine cuts a line that has too many characters.
func shortLine(line string, most int) string {
	if end := cutAt(line, most); end < len(line) {
		return line[:end] + "…"
	}
	return line
}

var dateInName = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)

// dateOf is the date of a note: the one in its name, or in its properties, or the day of its last change.
func (g *gathering) dateOf(entry *index.Entry) string {
	if date := dateInName.FindString(entry.Path.Name()); date != "" {
		return date
	}
	for _, name := range []string{"date", "updated", "created"} {
		if date := dateInName.FindString(propertyText(entry, name)); date != "" {
			return date
		}
	}
	return "changed " + entry.Modified.In(g.zone).Format(time.DateOnly)
}
