package value

import "slices"

// Object is a set of fields that keeps their order.
type Object struct {
	names    *names
	values   []Value
	isShared bool // other objects have the same names
}

// names are those of the fields of an object, in their order.
type names struct {
	list   []string
	places map[string]int // if there are many
}

// fewNames are found faster one by one.
const fewNames = 12

// NewObject makes an object without fields.
func NewObject() *Object { return &Object{names: new(names)} }

// Set sets a field. One that exists keeps its place.
func (o *Object) Set(name string, v Value) {
	if at := o.names.find(name); at >= 0 {
		o.values[at] = v
		return
	}
	if o.isShared {
		o.names, o.isShared = newNames(slices.Clone(o.names.list)), false
	}
	o.names.add(name)
	o.values = append(o.values, v)
}

// Get implements Fields.
func (o *Object) Get(name string) (Value, bool) {
	if at := o.names.find(name); at >= 0 {
		return o.values[at], true
	}
	return nil, false
}

// Keys implements Fields.
func (o *Object) Keys() []string { return o.names.list }

func newNames(list []string) *names {
	n := new(names)
	for _, name := range list {
		n.add(name)
	}
	return n
}

func (n *names) add(name string) {
	n.list = append(n.list, name)
	switch {
	case n.places != nil:
		n.places[name] = len(n.list) - 1
	case len(n.list) > fewNames:
		n.places = make(map[string]int, 2*len(n.list))
		for i, known := range n.list {
			n.places[known] = i
		}
	}
}

func (n *names) find(name string) int {
	if n.places != nil {
		if at, exists := n.places[name]; exists {
			return at
		}
		return -1
	}
	for i, known := range n.list {
		if known == name {
			return i
		}
	}
	return -1
}
