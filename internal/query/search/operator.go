package search

import "strings"

// operator says what a name before a colon does with what follows.
type operator struct {
	scope      Op   // Anywhere: unchanged
	tag        bool // the operand names tags
	matchCase  bool
	ignoreCase bool
}

var operators = map[string]operator{
	"file":        {scope: InFile},
	"path":        {scope: InPath},
	"content":     {scope: InContent},
	"line":        {scope: InLine},
	"block":       {scope: InBlock},
	"section":     {scope: InSection},
	"task":        {scope: InTask},
	"task-todo":   {scope: InTodoTask},
	"task-done":   {scope: InDoneTask},
	"tag":         {tag: true},
	"match-case":  {matchCase: true},
	"ignore-case": {ignoreCase: true},
}

const longestOperator = len("ignore-case")

// operand reads what follows an operator, without a space in between.
func (p *parser) operand(name string, op *operator) (Node, error) {
	start := p.pos
	p.pos += len(name) + 1
	p.plain = false
	if !p.operandAt(p.pos) {
		return nil, p.fail(start, "%s: has nothing to look for; write %s:word or %s:(several words), without a space after the colon",
			name, name, name)
	}
	before := p.matchCase
	p.matchCase = (before || op.matchCase) && !op.ignoreCase
	node, err := p.unary()
	p.matchCase = before
	switch {
	case err != nil:
		return nil, err
	case op.tag:
		return p.tags(node, start)
	case op.scope != Anywhere:
		return &Scope{Op: op.scope, Node: node}, nil
	}
	return node, nil
}

// tags turns the texts of an operand into tags.
func (p *parser) tags(node Node, at int) (Node, error) {
	switch n := node.(type) {
	case *And:
		return node, p.allTags(n.Nodes, at)
	case *Or:
		return node, p.allTags(n.Nodes, at)
	case *Not:
		tag, err := p.tags(n.Node, at)
		return &Not{tag}, err
	case *Word:
		return p.tag(n.Text, at)
	case *Phrase:
		return p.tag(n.Text, at)
	case *Tag:
		return n, nil
	}
	return nil, p.fail(at, "tag: takes names of tags, not a regular expression or another operator")
}

func (p *parser) allTags(nodes []Node, at int) error {
	for i, node := range nodes {
		tag, err := p.tags(node, at)
		if err != nil {
			return err
		}
		nodes[i] = tag
	}
	return nil
}

func (p *parser) tag(text string, at int) (Node, error) {
	name := strings.Trim(strings.TrimPrefix(strings.TrimSpace(text), "#"), "/")
	if name == "" {
		return nil, p.fail(at, "tag: needs the name of a tag")
	}
	return &Tag{Name: name, key: caseKey(name)}, nil
}
