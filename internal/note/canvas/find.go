package canvas

import (
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
)

// findTarget finds the node or edge that an operation updates or removes: by id or title, or an edge by its two ends.
func (e *editor) findTarget(op Op) (*item, *Refusal) {
	if len(op.ends) == 2 {
		return e.findBetween(op.ends[0], op.ends[1])
	}
	return e.find(op.target)
}

// findBetween finds the edge from one node to another.
func (e *editor) findBetween(fromRef, toRef string) (*item, *Refusal) {
	from, refusal := e.findNode(fromRef)
	if refusal != nil {
		return nil, refusal
	}
	to, refusal := e.findNode(toRef)
	if refusal != nil {
		return nil, refusal
	}
	var found []*item
	for _, edge := range e.edges {
		if !edge.removed && edge.edge.From == from.item.id && edge.edge.To == to.item.id {
			found = append(found, edge)
		}
	}
	switch len(found) {
	case 0:
		return nil, refuse(UnknownNode, "no edge goes from '%s' to '%s'", fromRef, toRef)
	case 1:
		return found[0], nil
	}
	return nil, refuse(AmbiguousNode, "%d edges go from '%s' to '%s'", len(found), fromRef, toRef).WithHint("use an id: %s", idList(found))
}

// findNode finds a node by its id, its title or the number of the operation that added it.
func (e *editor) findNode(ref string) (*node, *Refusal) {
	found, refusal := e.find(ref)
	if refusal != nil {
		return nil, refusal
	}
	if found.node == nil {
		return nil, refuse(UnknownNode, "'%s' is an edge, not a card", ref)
	}
	return found.node, nil
}

func (e *editor) find(ref string) (*item, *Refusal) {
	if ref = strings.TrimSpace(ref); ref == "" {
		return nil, refuse(UnknownNode, "the name of a card is empty").WithHint("use an id, the title of a card, or $n for the card that op n adds")
	}
	if digits, isNumber := strings.CutPrefix(ref, "$"); isNumber {
		if op, err := strconv.Atoi(digits); err == nil {
			return e.findCreated(ref, op)
		}
	}
	if found, refusal := e.findID(ref); found != nil || refusal != nil {
		return found, refusal
	}
	// An outline with ids writes "Title ^id".
	if at := strings.LastIndex(ref, "^"); at >= 0 {
		if found, refusal := e.findID(ref[at+1:]); found != nil || refusal != nil {
			return found, refusal
		}
	}
	return e.findTitle(ref)
}

func (e *editor) findCreated(ref string, op int) (*item, *Refusal) {
	created := e.created[op]
	switch {
	case created == nil:
		return nil, refuse(UnknownNode, "'%s' stands for the card that op %d adds, but no earlier operation of that number adds one", ref, op).
			WithHint("operations count from 1, and a card must be added before it is used")
	case created.removed:
		return nil, refuse(UnknownNode, "the card '%s' was removed by an earlier operation", ref)
	}
	return created, nil
}

func (e *editor) findID(id string) (*item, *Refusal) {
	found := alive(e.byID[id])
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, refuse(DuplicateID, "%d cards or edges of this canvas have the id '%s'", len(found), id).
		WithHint("use the title of the card, or repair the canvas in Obsidian")
}

func (e *editor) findTitle(title string) (*item, *Refusal) {
	if e.titled == nil {
		e.titled = map[string][]*item{}
		for _, node := range e.nodes {
			e.indexTitles(node)
		}
	}
	found := alive(e.titled[title])
	if len(found) == 0 {
		found = alive(e.titled[anyCase(title)])
	}
	switch len(found) {
	case 0:
		return nil, e.unknown(title)
	case 1:
		return found[0], nil
	}
	return nil, refuse(AmbiguousNode, "%d cards have the title '%s'", len(found), title).WithHint("use an id: %s", idList(found))
}

// indexTitles makes a node known by its titles, as written and in lower case. A node without an id is broken, and is not
// touched.
func (e *editor) indexTitles(node *item) {
	if node.id == "" {
		return
	}
	for _, title := range node.node.titles() {
		for _, key := range []string{title, anyCase(title)} {
			if known := e.titled[key]; !slices.Contains(known, node) {
				e.titled[key] = append(known, node)
			}
		}
	}
}

// anyCase returns the key for a title in any case. No title begins like it.
func anyCase(title string) string { return "\x00" + strings.ToLower(title) }

// unknown is the refusal of a reference to nothing.
func (e *editor) unknown(ref string) *Refusal {
	var names []string
	for _, node := range alive(e.nodes) {
		names = append(names, node.node.name())
	}
	refusal := refuse(UnknownNode, "the canvas has no card '%s'", ref)
	if near := fault.Nearest(ref, names); near != "" {
		return refusal.WithHint("did you mean '%s'?", near)
	}
	return refusal.WithHint("use an id, the title of a card, or $n for the card that op n adds")
}

func alive(items []*item) []*item {
	var left []*item
	for _, item := range items {
		if !item.removed {
			left = append(left, item)
		}
	}
	return left
}

// maxListed is how many ids a message lists.
const maxListed = 10

func idList(items []*item) string {
	var ids []string
	for _, item := range items[:min(len(items), maxListed)] {
		ids = append(ids, item.id)
	}
	if len(items) > maxListed {
		ids = append(ids, "…")
	}
	return strings.Join(ids, ", ")
}
