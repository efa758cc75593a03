package dataview

import (
	"regexp"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/order"
)

const longestLine = 32768

// findFields finds the fields in the lines outside of lists.
func (i *importer) findFields() {
	if !strings.Contains(i.text, "::") {
		return
	}
	skip := map[int]bool{}
	for _, item := range i.items {
		for line := range item.LineCount {
			skip[item.Line+line] = true
		}
	}
	for _, block := range i.note.Blocks {
		if block.Kind == md.List || block.Kind == md.Rule {
			for line := range strings.Count(strings.TrimSuffix(i.text[block.Start:block.End], "\n"), "\n") + 1 {
				skip[block.Line-1+line] = true
			}
		}
	}
	for number, line := range i.lines {
		if skip[number] || len(line) > longestLine || !strings.Contains(line, "::") {
			continue
		}
		line = strings.TrimSpace(line)
		fields := inlineFields(line, false)
		if field, ok := fullLineField(line); ok && len(fields) == 0 {
			fields = append(fields, field)
		}
		for _, field := range fields {
			i.gathered.add(field.key, i.inlineValue(field.value))
		}
	}
}

// inlineField is a field in a text.
type inlineField struct {
	key, value string
	start, end int
}

// inlineFields finds [key:: value] and (key:: value), and the emoji of tasks.
func inlineFields(line string, withEmoji bool) []inlineField {
	var all []inlineField
	for _, bracket := range []string{"[]", "()"} {
		for at := strings.IndexByte(line, bracket[0]); at >= 0; {
			next := at + 1
			if field, ok := bracketField(line, at, bracket[0], bracket[1]); ok {
				all = append(all, field)
				next = field.end
			}
			found := strings.IndexByte(line[next:], bracket[0])
			if found < 0 {
				break
			}
			at = next + found
		}
	}
	if withEmoji {
		for _, date := range emojiDates {
			if at := date.pattern.FindStringSubmatchIndex(line); at != nil {
				all = append(all, inlineField{date.key, line[at[2]:at[3]], at[0], at[1]})
			}
		}
	}
	order.Stably(all, func(a, b inlineField) int { return a.start - b.start })
	var kept []inlineField
	for _, field := range all {
		if len(kept) == 0 || kept[len(kept)-1].end < field.start {
			kept = append(kept, field)
		}
	}
	return kept
}

var emojiDates = []struct {
	key     string
	pattern *regexp.Regexp
}{
	{"created", regexp.MustCompile(`\x{2795}\s*(\d{4}-\d{2}-\d{2})`)},
	{"start", regexp.MustCompile(`\x{1F6EB}\s*(\d{4}-\d{2}-\d{2})`)},
	{"scheduled", regexp.MustCompile(`[\x{23F3}\x{231B}]\s*(\d{4}-\d{2}-\d{2})`)},
	{"due", regexp.MustCompile(`(?:\x{1F4C5}|\x{1F4C6}|\x{1F5D3}\x{FE0F}?)\s*(\d{4}-\d{2}-\d{2})`)},
	{"completion", regexp.MustCompile(`\x{2705}\s*(\d{4}-\d{2}-\d{2})`)},
}

// bracketField reads a field that starts at a bracket.
func bracketField(line string, start int, open, end byte) (inlineField, bool) {
	key, _, ok := strings.Cut(line[start+1:], "::")
	if !ok || strings.ContainsAny(strings.TrimSpace(key), "[]()") {
		return inlineField{}, false
	}
	from := start + 1 + len(key) + len("::")
	nesting, isEscaped := 0, false
	for at := from; at < len(line); at++ {
		switch c := line[at]; {
		case c == '\\':
			isEscaped = !isEscaped
		case isEscaped:
			isEscaped = false
		case c == open:
			nesting++
		case c == end && nesting == 0:
			return inlineField{strings.TrimSpace(key), strings.TrimSpace(line[from:at]), start, at + 1}, true
		case c == end:
			nesting--
		}
	}
	return inlineField{}, false
}

var fullLineKey = regexp.MustCompile("^[^0-9A-Za-z_\\p{L}]*([0-9A-Za-z_\\p{L}\\s/-]*)[_*~`]*$")

// fullLineField reads a line that is a field as a whole: Key:: value.
func fullLineField(line string) (inlineField, bool) {
	key, rest, ok := strings.Cut(line, "::")
	if !ok {
		return inlineField{}, false
	}
	match := fullLineKey.FindStringSubmatch(strings.TrimSpace(key))
	if match == nil {
		return inlineField{}, false
	}
	return inlineField{key: match[1], value: strings.TrimSpace(rest), end: len(line)}, true
}

// inlineValue reads the value of an inline field.
func (i *importer) inlineValue(text string) value.Value {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	text = strings.Clone(text)
	if v, ok := whole(text, i.clock, (*parser).inline); ok {
		return i.ownLinks(v)
	}
	return text
}

func (i *importer) ownLinks(v value.Value) value.Value {
	switch v := v.(type) {
	case value.Link:
		return i.own(v)
	case value.List:
		for n := range v {
			v[n] = i.ownLinks(v[n])
		}
	}
	return v
}

// inline reads a value, or several with commas between them.
func (p *parser) inline() (value.Value, bool) {
	first, ok := p.inlineAtom()
	if !ok {
		return nil, false
	}
	if !p.around(",") {
		return first, true
	}
	list := value.List{first}
	p.separated(func() bool {
		v, ok := p.inlineAtom()
		if ok {
			list = append(list, v)
		}
		return ok
	})
	return list, true
}

func (p *parser) inlineAtom() (value.Value, bool) {
	if date, ok := p.date(); ok {
		return date, true
	}
	if length, ok := p.duration(); ok {
		return length.Normal(), true
	}
	if text, ok := p.quotedText(); ok {
		return text, true
	}
	if tag, ok := p.tag(); ok {
		return tag, true
	}
	if link, ok := p.embed(); ok {
		return link, true
	}
	if on, ok := p.truth(); ok {
		return on, true
	}
	if number, ok := p.number(); ok {
		return number, true
	}
	return "null", p.literally("null")
}
