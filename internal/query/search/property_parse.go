package search

import "strings"

// property reads [name] or [name:value]; end is where it closes.
func (p *parser) property(end int) (Node, error) {
	start, queryEnd := p.pos, p.end
	p.pos++
	p.end = end
	p.plain = false
	name, hasValue := p.propertyName()
	node := &Property{Name: name, key: caseKey(name)}
	if name == "" {
		return nil, p.fail(start, "a property needs a name")
	}
	if hasValue {
		p.inProperty = true
		value, err := p.alternatives(0)
		p.inProperty = false
		if err != nil {
			return nil, err
		}
		if value == nil {
			return nil, p.fail(start, "[%s:] has no value; [%s] asks whether the property exists, [%s:null] whether it is empty",
				name, name, name)
		}
		node.Value = value
	}
	p.pos, p.end = end+1, queryEnd
	return node, nil
}

// propertyName reads up to the colon or the end; a name may be in quotes.
func (p *parser) propertyName() (name string, hasValue bool) {
	p.skipSpace()
	if p.pos < p.end && p.text[p.pos] == '"' {
		if quote := p.quoteEnd(p.pos); quote > 0 {
			name = unescape.Replace(p.text[p.pos+1 : quote])
			p.pos = quote + 1
		}
	}
	rest, _, hasValue := strings.Cut(p.text[p.pos:p.end], ":")
	if p.pos += len(rest); hasValue {
		p.pos++
	}
	return strings.TrimSpace(name + rest), hasValue
}

// comparesEqual reports whether there is a = followed by a number or a date.
func (p *parser) comparesEqual() bool {
	if p.text[p.pos] != '=' {
		return false
	}
	rest := p.text[p.pos+1 : p.end]
	if end := strings.IndexAny(rest, " )"); end >= 0 {
		rest = rest[:end]
	}
	return IsComparable(rest)
}

// comparison reads < > or = with a number or a date.
func (p *parser) comparison() (Node, error) {
	start := p.pos
	p.pos++
	if p.text[start] != '=' && p.pos < p.end && p.text[p.pos] == '=' {
		p.pos++
	}
	sign := p.text[start:p.pos]
	p.skipSpace()
	end := p.wordEnd()
	text := strings.Trim(p.text[p.pos:end], `"`)
	parsed, ok := parseLimit(text)
	if !ok {
		return nil, p.fail(p.pos, "in a property, %s takes a number or a date such as 2024-05-31; to search for the text, put it in quotes",
			sign)
	}
	p.pos = end
	return &Compare{Sign: sign, Limit: text, limit: parsed}, nil
}
