package search

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/text/fold"
)

// hasTag looks at all tags of a file; within a unit, at the tags written in it.
func (m *matcher) hasTag(tag *Tag, in where) bool {
	if !in.unit {
		return slices.ContainsFunc(m.allTags(), tag.covers)
	}
	return slices.ContainsFunc(m.structured().tags, func(span md.Span) bool {
		return in.text.start <= span.Start && span.End <= in.text.end && tag.covers(string(span.Of(m.body.text)))
	})
}

func (m *matcher) allTags() []string {
	if m.ready.tags {
		return m.tags
	}
	m.ready.tags = true
	if m.file.Tags != nil {
		m.tags = m.file.Tags()
		return m.tags
	}
	for _, span := range m.structured().tags {
		m.tags = append(m.tags, string(span.Of(m.body.text)))
	}
	if m.file.Note {
		if block, err := front.Parse(m.scanned()); err == nil {
			m.tags = append(m.tags, block.Tags()...)
		}
	}
	return m.tags
}

// covers reports whether a tag is this one or nested below it.
func (t *Tag) covers(name string) bool {
	name = strings.TrimPrefix(name, "#")
	for parent := name; ; {
		if sameName(parent, t.key) {
			return true
		}
		slash := strings.LastIndexByte(parent, '/')
		if slash < 0 {
			return false
		}
		parent = parent[:slash]
	}
}

// sameName compares a name with a caseKey.
func sameName(name, key string) bool {
	if len(name) == len(key) && strings.EqualFold(name, key) {
		return true
	}
	return !fold.IsASCII([]byte(name)) && caseKey(name) == key
}

func (m *matcher) hasProperty(p *Property) bool {
	return slices.ContainsFunc(m.allFields(), func(field front.Field) bool {
		return sameName(field.Key, p.key) && (p.Value == nil || m.evalValue(p.Value, field.Value))
	})
}

func (m *matcher) allFields() []front.Field {
	if m.ready.fields {
		return m.fields
	}
	m.ready.fields = true
	if m.file.Properties != nil {
		m.fields = m.file.Properties()
	} else if m.file.Note {
		if block, err := front.Parse(m.scanned()); err == nil {
			m.fields = block.Fields()
		}
	}
	return m.fields
}

// evalValue evaluates a node against the value of a property.
func (m *matcher) evalValue(node Node, value front.Value) bool {
	switch n := node.(type) {
	case *And:
		return !anyNode(n.Nodes, func(child Node) bool { return !m.evalValue(child, value) })
	case *Or:
		return anyNode(n.Nodes, func(child Node) bool { return m.evalValue(child, value) })
	case *Not:
		return !m.evalValue(n.Node, value)
	case *Null:
		return value.Kind == front.Null
	}
	return m.anyItem(node, value)
}

// anyItem reports whether a value, or any value nested in it, satisfies a node.
func (m *matcher) anyItem(node Node, value front.Value) bool {
	switch value.Kind {
	case front.Null:
		return false
	case front.List:
		return slices.ContainsFunc(value.Items, func(item front.Value) bool { return m.anyItem(node, item) })
	case front.Map:
		return slices.ContainsFunc(value.Fields, func(field front.Field) bool { return m.anyItem(node, field.Value) })
	}
	if compare, ok := node.(*Compare); ok {
		return compare.holds(value)
	}
	m.value.setName(value.Text)
	if phrase, ok := node.(*Phrase); ok { // the whole value
		return string(m.value.in(phrase.form)) == string(phrase.needle)
	}
	return m.hasText(node, &m.value)
}
