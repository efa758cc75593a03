package canvas

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"obsidian-mcp/internal/fault"
)

// Edited is the result of an edit.
type Edited struct {
	Data []byte
	IDs  map[int]string // of new cards and edges, by the number of their operation, which counts from 1
}

// Edit applies operations in order, all or none, and returns the canvas with every other byte as it was. New ids come from
// newID until one is free.
func Edit(data []byte, ops []Op, newID func() string) (Edited, error) {
	f, err := parseFile(data)
	if err != nil {
		return Edited{}, err
	}
	e := newEditor(f, newID)
	for i, op := range ops {
		if refusal := e.apply(i+1, op); refusal != nil {
			return Edited{}, refusal.in(i + 1)
		}
	}
	if refusal := e.place(); refusal != nil {
		return Edited{}, refusal
	}
	edited := Edited{Data: e.write(), IDs: map[int]string{}}
	for op, created := range e.created {
		if !created.removed {
			edited.IDs[op] = created.id
		}
	}
	if _, err := parseFile(edited.Data); err != nil {
		return Edited{}, fault.Internal.Errorf("the edited canvas cannot be read: %w", err)
	}
	return edited, nil
}

// item is a node or an edge while it is edited.
type item struct {
	id      string
	source  *value            // nil: new
	set     map[string]string // JSON of the keys that the edit writes
	unset   map[string]bool   // keys that the edit removes
	removed bool

	node *node // nil: an edge
	edge Edge  // if it is an edge
}

// node is what an edit knows of a card or group besides its bytes.
type node struct {
	Node
	item     *item
	op       int   // the operation that added it; 0: none
	original Rect  // where the file has it
	placed   bool  // it has coordinates
	in       *node // the group that is to hold it
	near     *node // the node beside which it goes
	side     string
}

type editor struct {
	*file
	newID   func() string
	nodes   []*item // in the order of the file, new ones last
	edges   []*item
	byID    map[string][]*item
	created map[int]*item
	titled  map[string][]*item // nil: to be built
}

func newEditor(f *file, newID func() string) *editor {
	e := &editor{file: f, newID: newID, byID: map[string][]*item{}, created: map[int]*item{}}
	for _, object := range f.objects(f.nodes) {
		n := &node{Node: f.node(object), placed: true}
		n.original = n.Rect
		n.item = &item{id: n.ID, source: object, node: n}
		e.nodes = append(e.nodes, n.item)
		e.remember(n.item)
	}
	for _, object := range f.objects(f.edges) {
		edge := f.edge(object)
		e.edges = append(e.edges, &item{id: edge.ID, source: object, edge: edge})
		e.remember(e.edges[len(e.edges)-1])
	}
	return e
}

func (e *editor) remember(added *item) {
	if added.id != "" {
		e.byID[added.id] = append(e.byID[added.id], added)
	}
}

func (e *editor) apply(number int, op Op) *Refusal {
	switch op.verb {
	case addVerb:
		return e.add(number, op)
	case connectVerb:
		return e.connect(number, op)
	case updateVerb:
		return e.update(op)
	}
	return e.remove(op)
}

// add adds a card. Without coordinates it is placed once all operations are known.
func (e *editor) add(number int, op Op) *Refusal {
	added := &node{Node: Node{Type: op.kind}, op: number, side: op.hints.side}
	added.item = &item{node: added, set: map[string]string{"type": quote(op.kind)}}
	if op.hints.in != "" {
		group, refusal := e.findNode(op.hints.in)
		if refusal != nil {
			return refusal
		}
		if !group.IsGroup() {
			return refuse(BadValue, "'%s' is not a group", op.hints.in).WithHint("use near=… to place a card beside another one")
		}
		added.in = group
	}
	if op.hints.near != "" {
		beside, refusal := e.findNode(op.hints.near)
		if refusal != nil {
			return refusal
		}
		added.near = beside
	}
	if refusal := e.identify(number, added.item, op); refusal != nil {
		return refusal
	}
	e.assign(added.item, op.Fields)
	added.placed = op.Fields["x"] != nil
	e.nodes = append(e.nodes, added.item)
	if e.titled != nil {
		e.indexTitles(added.item)
	}
	return nil
}

// connect adds an edge.
func (e *editor) connect(number int, op Op) *Refusal {
	added := &item{set: map[string]string{}, edge: Edge{ToArrow: true}}
	if refusal := e.setEnds(added, map[string]string{"fromNode": op.ends[0], "toNode": op.ends[1]}); refusal != nil {
		return refusal
	}
	if refusal := e.identify(number, added, op); refusal != nil {
		return refusal
	}
	e.assign(added, op.Fields)
	e.edges = append(e.edges, added)
	return nil
}

// setEnds sets the ends of an edge that are given.
func (e *editor) setEnds(edge *item, given map[string]string) *Refusal {
	for _, key := range []string{"fromNode", "toNode"} {
		ref, isGiven := given[key]
		if !isGiven {
			continue
		}
		found, refusal := e.findNode(ref)
		if refusal != nil {
			return refusal
		}
		if _, refusal := e.findID(found.item.id); refusal != nil {
			return refusal
		}
		if key == "fromNode" {
			edge.edge.From = found.item.id
		} else {
			edge.edge.To = found.item.id
		}
		edge.set[key] = quote(found.item.id)
	}
	return nil
}

// identify gives a new item its id.
func (e *editor) identify(number int, added *item, op Op) *Refusal {
	if raw, given := op.Fields["id"]; given {
		_ = json.Unmarshal(raw, &added.id) // ReadOps has checked it
		if e.taken(added.id) {
			return refuse(DuplicateID, "the id '%s' is taken", added.id).WithHint("leave out id to get a new one")
		}
	} else {
		for added.id = e.newID(); added.id == "" || e.taken(added.id); {
			added.id = e.newID()
		}
	}
	added.set["id"] = quote(added.id)
	if added.node != nil {
		added.node.ID = added.id
	}
	e.created[number] = added
	e.remember(added)
	return nil
}

func (e *editor) taken(id string) bool {
	return slices.ContainsFunc(e.byID[id], func(other *item) bool { return !other.removed })
}

// update changes the keys of a node or an edge.
func (e *editor) update(op Op) *Refusal {
	target, refusal := e.findTarget(op)
	if refusal != nil {
		return refusal
	}
	for _, key := range []string{"id", "type"} {
		if op.Fields[key] != nil {
			return refuse(BadValue, "the %s of a card or edge never changes", key).WithHint("leave out '%s', or remove the card and add a new one", key)
		}
	}
	allowed, what := edgeKeys, "an edge"
	if target.node != nil {
		allowed, what = slices.Concat(commonKeys, ownKeys[target.node.Type]), "a "+target.node.Type+" card"
		for _, key := range []string{"in", "near", "side"} {
			if op.Fields[key] != nil {
				return refuse(BadValue, "'%s' is for new cards only", key).WithHint("give x and y to move a card")
			}
		}
	}
	if refusal := op.onlyKeys(what, allowed); refusal != nil {
		return refusal
	}
	if target.node == nil {
		if target.set == nil {
			target.set = map[string]string{}
		}
		given := map[string]string{}
		for _, key := range []string{"fromNode", "toNode"} {
			if raw := op.Fields[key]; raw != nil {
				var ref string
				_ = json.Unmarshal(raw, &ref) // ReadOps has checked it
				given[key] = ref
			}
		}
		if refusal := e.setEnds(target, given); refusal != nil {
			return refusal
		}
	}
	e.assign(target, op.Fields)
	e.titled = nil
	return nil
}

// assign sets and removes keys of an item, apart from its id and the ends of an edge.
func (e *editor) assign(target *item, fields map[string]json.RawMessage) {
	if target.set == nil {
		target.set = map[string]string{}
	}
	if target.unset == nil {
		target.unset = map[string]bool{}
	}
	for key, raw := range fields {
		switch {
		case key == "id" || key == "fromNode" || key == "toNode":
		case string(raw) == "null":
			delete(target.set, key)
			target.unset[key] = true
			target.assignText(key, "")
		case key == "x" || key == "y" || key == "width" || key == "height":
			number, _ := wholeNumber(key, raw) // ReadOps has checked it
			target.set[key] = strconv.FormatInt(int64(number), 10)
			target.node.assignNumber(key, number)
		default:
			var text string
			_ = json.Unmarshal(raw, &text) // ReadOps has checked it
			delete(target.unset, key)
			target.set[key] = quote(text)
			target.assignText(key, text)
		}
	}
	if n := target.node; n != nil && !n.placed && target.set["x"] != "" && target.set["y"] != "" {
		n.placed = true
	}
}

func (n *node) assignNumber(key string, number float64) {
	switch key {
	case "x":
		n.X = number
	case "y":
		n.Y = number
	case "width":
		n.Width = number
	case "height":
		n.Height = number
	}
}

// assignText keeps what titles and placement depend on.
func (i *item) assignText(key, text string) {
	if i.node == nil {
		return
	}
	switch key {
	case "text":
		i.node.Text = text
	case "file":
		i.node.File = text
	case "subpath":
		i.node.Subpath = text
	case "url":
		i.node.URL = text
	case "label":
		i.node.Label = text
	}
}

// remove removes an edge, or a node with its edges.
func (e *editor) remove(op Op) *Refusal {
	target, refusal := e.findTarget(op)
	if refusal != nil {
		return refusal
	}
	target.removed = true
	isShared := slices.ContainsFunc(e.byID[target.id], func(other *item) bool { return other.node != nil && !other.removed })
	if target.node == nil || target.id == "" || isShared {
		return nil
	}
	for _, edge := range e.edges {
		if edge.edge.From == target.id || edge.edge.To == target.id {
			edge.removed = true
		}
	}
	return nil
}

// describe names an operation's card for a message about its place.
func (n *node) describe() string { return fmt.Sprintf("op %d: the card '%s'", n.op, n.name()) }
