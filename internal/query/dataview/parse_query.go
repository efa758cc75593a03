package dataview

import (
	"strings"
	"unicode"
)

// Parse reads a query.
func Parse(text string, clock Clock) (*Query, error) {
	p := &parser{text: text, clock: clock}
	if query, ok := p.query(); ok {
		return query, nil
	}
	return nil, p.syntaxError()
}

func (p *parser) query() (*Query, bool) {
	query := &Query{source: source{kind: fromFolder}}
	p.gap()
	if !p.header(query) {
		return nil, false
	}
	p.gap()
	if from, ok := p.from(); ok {
		query.source = from
	}
	for p.gap(); p.at < len(p.text); p.gap() {
		next, ok := p.command()
		if !ok {
			return nil, false
		}
		query.steps = append(query.steps, next)
	}
	return query, true
}

// gap skips white space and comments.
func (p *parser) gap() {
	for p.blanks() || strings.HasPrefix(p.rest(), "//") {
		if strings.HasPrefix(p.rest(), "//") {
			if end := strings.IndexByte(p.rest(), '\n'); end >= 0 {
				p.at += end
			} else {
				p.at = len(p.text)
			}
		}
	}
}

// header reads the kind of the query and what it shows.
func (p *parser) header(query *Query) bool {
	word, ok := p.word("TABLE", "LIST", "TASK", "CALENDAR")
	if !ok {
		return false
	}
	switch query.Kind = Kind(strings.ToLower(word)); {
	case query.Kind == Task:
		return true
	case query.Kind == Calendar:
		if !p.blanks() {
			p.fail("a blank and an expression")
			return false
		}
		field, ok := p.named()
		query.Columns = []Named{field}
		return ok
	case p.at == len(p.text):
		return true
	case !p.blanks():
		p.fail("a blank after " + word)
		return false
	}
	query.WithoutID = p.withoutID()
	if query.Kind == ListKind {
		if format, ok := p.field(); ok {
			query.Format = format
		}
		return true
	}
	p.separated(func() bool {
		field, ok := p.named()
		if ok {
			query.Columns = append(query.Columns, field)
		}
		return ok
	})
	return true
}

func (p *parser) withoutID() bool {
	return p.attempt(func() bool {
		if _, ok := p.word("WITHOUT"); !ok || !p.blanks() {
			return false
		}
		_, ok := p.word("ID")
		p.blanks()
		return ok
	})
}

// named reads an expression that may have a name; without one, its text is its name.
func (p *parser) named() (field Named, ok bool) {
	if p.attempt(func() bool {
		if field.Expression, ok = p.field(); !ok || !p.blanks() {
			return false
		}
		if _, ok := p.word("AS"); !ok || !p.blanks() {
			return false
		}
		if field.Name, ok = p.identifier(); !ok {
			field.Name, ok = p.quotedText()
		}
		return ok
	}) {
		return field, true
	}
	start := p.at
	if field.Expression, ok = p.field(); !ok {
		return Named{}, false
	}
	field.Name = onOneLine(p.text[start:p.at])
	return field, true
}

// onOneLine joins lines without anything between them.
func onOneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "")
}

// command reads one step of a query.
func (p *parser) command() (step, bool) {
	if from, ok := p.from(); ok {
		return step{kind: again, stray: from}, true
	}
	var read step
	for _, command := range []struct {
		word string
		kind stepKind
		rest func() bool
	}{
		{"WHERE", where, func() (ok bool) { read.field.Expression, ok = p.field(); return ok }},
		{"SORT", sortBy, func() bool { return p.separated(func() bool { return p.sortKey(&read) }) > 0 }},
		{"LIMIT", limit, func() (ok bool) { read.field.Expression, ok = p.field(); return ok }},
		{"GROUP BY", groupBy, func() (ok bool) { read.field, ok = p.named(); return ok }},
		{"FLATTEN", flatten, func() (ok bool) { read.field, ok = p.named(); return ok }},
	} {
		read = step{kind: command.kind}
		if p.attempt(func() bool {
			_, ok := p.word(command.word)
			return ok && p.blanks() && command.rest()
		}) {
			return read, true
		}
	}
	p.fail("FROM, WHERE, SORT, LIMIT, GROUP BY, FLATTEN or the end of the query")
	return step{}, false
}

func (p *parser) sortKey(into *step) bool {
	by, ok := p.field()
	if !ok {
		return false
	}
	p.blanks()
	word, _ := p.word("ASCENDING", "DESCENDING", "ASC", "DESC")
	into.sort = append(into.sort, sortKey{by, strings.HasPrefix(word, "DESC")})
	return true
}

// --- sources

func (p *parser) from() (from source, ok bool) {
	ok = p.attempt(func() bool {
		if _, ok := p.word("FROM"); !ok || !p.blanks() {
			return false
		}
		from, ok = p.source()
		return ok
	})
	return from, ok
}

// source reads sources with and/or between them, which group from the left.
func (p *parser) source() (source, bool) {
	if p.depth >= maxDepth {
		p.fail("a source that is nested less deeply")
		return source{}, false
	}
	p.depth++
	defer func() { p.depth-- }()
	left, ok := p.atomSource()
	if !ok {
		return source{}, false
	}
	for p.attempt(func() bool {
		p.blanks()
		op, found := p.operator(levels[0])
		if !found {
			return false
		}
		p.blanks()
		right, found := p.atomSource()
		if found {
			kind, first := fromBoth, left
			if op == "|" {
				kind = fromEither
			}
			left = source{kind: kind, left: &first, right: &right}
		}
		return found
	}) {
	}
	return left, true
}

func (p *parser) atomSource() (source, bool) {
	var result source
	for _, read := range []func() bool{
		func() (ok bool) { return p.inner(&result) },
		func() (ok bool) {
			if !p.literally("-") && !p.literally("!") {
				return false
			}
			of, ok := p.atomSource()
			result = source{kind: fromOthers, left: &of}
			return ok
		},
		func() bool { return p.linkSource(&result, fromOutgoing, "outgoing(", ")") },
		func() bool { return p.linkSource(&result, fromIncoming, "", "") },
		func() bool {
			folder, ok := p.quotedText()
			result = source{kind: fromFolder, text: folder}
			return ok
		},
		func() bool {
			tag, ok := p.tag()
			result = source{kind: fromTag, text: tag}
			return ok
		},
		func() bool {
			if !p.literally("csv(") {
				return false
			}
			p.blanks()
			path, ok := p.quotedText()
			result = source{kind: fromCSV, text: path}
			return ok && p.literally(")")
		},
	} {
		if p.attempt(read) {
			return result, true
		}
	}
	p.fail(`a source: #tag, "folder", [[note]], outgoing([[note]])`)
	return source{}, false
}

// inner reads a source in parentheses.
func (p *parser) inner(into *source) bool {
	if !p.literally("(") {
		return false
	}
	p.blanks()
	from, ok := p.source()
	p.blanks()
	*into = from
	return ok && p.literally(")")
}

func (p *parser) linkSource(into *source, kind sourceKind, open, end string) bool {
	if !p.literally(open) {
		return false
	}
	if open != "" {
		p.blanks()
	}
	if !strings.HasPrefix(p.rest(), "[[") {
		p.fail("a link")
		return false
	}
	link, ok := p.embed()
	*into = source{kind: kind, text: link.Path}
	return ok && p.literally(end)
}

// tag reads a tag with its #.
func (p *parser) tag() (string, bool) {
	if !strings.HasPrefix(p.rest(), "#") {
		p.fail("a tag")
		return "", false
	}
	end := 1
	for _, r := range p.rest()[1:] {
		if !isTagRune(r) {
			break
		}
		end += len(string(r))
	}
	tag := p.rest()[:end]
	p.at += end
	return tag, true
}

// isTagRune reports whether a character may be part of a tag.
func isTagRune(r rune) bool {
	return !strings.ContainsRune("'!\"#$%&()*+,.:;<=>?@^`{|}~[]\\", r) && !unicode.IsSpace(r) &&
		(r < 0x2000 || r > 0x206F) && (r < 0x2E00 || r > 0x2E7F)
}
