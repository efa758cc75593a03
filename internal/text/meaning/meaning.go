// Package meaning turns texts into vectors. Texts that are about the same thing have vectors that point in similar
// directions, whatever words and language they use.
package meaning

import (
	"context"
	"math"
)

// Model turns texts into vectors of length one.
type Model interface {
	// Name identifies the vectors. Those of models with different names cannot be compared.
	Name() string
	// Traits says how to use the vectors.
	Traits() Traits
	// Passages returns the vectors of passages. One whose text has no word that the model knows has none: nil.
	Passages(ctx context.Context, passages []Passage) ([]Vector, error)
	// Question returns the vector of a question; nil if the model knows none of its words.
	Question(ctx context.Context, text string) (Vector, error)
}

// Passage is a part of a note.
type Passage struct {
	Above string // the note's title and the headings above the part, a line each
	Text  []byte // empty: the vector is that of what is above, and without a direction if the model knows no word of it
}

// Traits are what a model's vectors are good for.
type Traits struct {
	PassageLength int     // about how many bytes of text a passage should have
	Weight        float64 // how much a rank by meaning counts beside the same rank by words
	Alike         float32 // the least cosine of a question and a note that answers it
	WithWords     float32 // that of a note that also has words of the question
	IsRemote      bool    // it is asked over a network, which takes time and can fail
}

// Vector is a text as a point.
type Vector []float32

// Add adds another vector.
func (v Vector) Add(other Vector) {
	for i, x := range other {
		v[i] += x
	}
}

// Unit scales a vector to length one, and reports whether that was possible. A vector without a direction becomes zero.
func (v Vector) Unit() bool {
	sum := float32(0)
	for _, x := range v {
		sum += x * x
	}
	length := float32(math.Sqrt(float64(sum)))
	if length == 0 || length != length || math.IsInf(float64(length), 0) {
		clear(v)
		return false
	}
	factor := 1 / length
	for i := range v {
		v[i] *= factor
	}
	return true
}
