package value

import (
	"slices"
	"strings"
)

// Pool lets objects share what they have in common: the notes of a vault have few different sets of properties, and many of
// them the same values. A query that looks a name up in every note then finds most of what it needs in the processor's
// cache. A pool is not for several goroutines at once.
type Pool struct {
	names map[string]*names
	texts map[string]Value
}

// NewPool makes an empty pool.
func NewPool() *Pool { return &Pool{names: map[string]*names{}, texts: map[string]Value{}} }

// longText is too long to be worth looking for.
const longText = 40

// Share replaces the names of an object, and short texts, by those that other objects have.
func (p *Pool) Share(o *Object) {
	key := strings.Join(o.names.list, "\x00")
	known := p.names[key]
	if known == nil {
		known = newNames(slices.Clone(o.names.list))
		p.names[key] = known
	}
	o.names, o.isShared, o.values = known, true, slices.Clip(o.values)
	for i, v := range o.values {
		text, isText := v.(string)
		if !isText || len(text) > longText {
			continue
		}
		if same, exists := p.texts[text]; exists {
			o.values[i] = same
		} else {
			p.texts[text] = v
		}
	}
}
