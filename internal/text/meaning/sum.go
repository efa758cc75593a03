package meaning

import (
	"context"
	"sync"
)

// Adder adds up the vectors of words. Only one goroutine may use it at a time.
type Adder interface {
	// Add adds the vectors of all words of a text, and returns how many of them it knows.
	Add(text []byte, into Vector) (known int)
}

// Words is a model in which the vector of a text is the sum of those of its words.
type Words struct {
	name       string
	dimensions int
	adders     sync.Pool
}

// NewWords returns a model that uses adders.
func NewWords(name string, dimensions int, newAdder func() Adder) *Words {
	return &Words{name: name, dimensions: dimensions, adders: sync.Pool{New: func() any { return newAdder() }}}
}

// Name identifies the vectors.
func (w *Words) Name() string { return w.name }

// Dimensions is how many numbers a vector has.
func (w *Words) Dimensions() int { return w.dimensions }

// Traits were found by trying the built-in table on the odd questions of the two sets of make bench-retrieval. Larger vectors
// stand for longer passages, so that those of all notes take about half as many bytes as the texts.
func (w *Words) Traits() Traits {
	return Traits{PassageLength: max(300, w.dimensions), Weight: 0.4, Alike: 0.3, WithWords: 0.2}
}

// Question returns the vector of a question.
func (w *Words) Question(_ context.Context, text string) (Vector, error) {
	adder := w.adders.Get().(Adder)
	defer w.adders.Put(adder)
	v := make(Vector, w.dimensions)
	if adder.Add([]byte(text), v) == 0 || !v.Unit() {
		return nil, nil
	}
	return v, nil
}

// Passages returns the vectors of passages. What is above a passage counts as much as its text.
func (w *Words) Passages(_ context.Context, passages []Passage) ([]Vector, error) {
	adder := w.adders.Get().(Adder)
	defer w.adders.Put(adder)
	memory := make(Vector, (len(passages)+1)*w.dimensions)
	above, memory := memory[:w.dimensions], memory[w.dimensions:]
	vectors := make([]Vector, len(passages))
	for i, passage := range passages {
		if i == 0 || passage.Above != passages[i-1].Above {
			clear(above)
			adder.Add([]byte(passage.Above), above)
		}
		v := memory[i*w.dimensions : (i+1)*w.dimensions : (i+1)*w.dimensions]
		copy(v, above)
		if len(passage.Text) == 0 || adder.Add(passage.Text, v) > 0 {
			v.Unit()
			vectors[i] = v
		}
	}
	return vectors, nil
}
