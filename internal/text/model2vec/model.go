// Package model2vec reads models in the format of Model2Vec: a vector for each piece of a vocabulary, and the tokenizer that cuts
// texts into these pieces.
package model2vec

import (
	"encoding/json"
	"errors"
	"fmt"

	"obsidian-mcp/internal/text/meaning"
)

// Files are the contents of a model's files. The model uses Tensors in place.
type Files struct {
	Config, Tokenizer, Tensors []byte
}

// Model has a vector for each piece of a text.
type Model struct {
	tokenizer  *tokenizer
	rows       tensor
	count      int // of rows
	dimensions int
	weights    []float32 // by piece; nil: all are 1
	mapping    []float32 // the row of each piece; nil: its own number
}

// mostDimensions is the largest number of dimensions that is taken for a model's.
const mostDimensions = 1 << 14

// Check says why files cannot be a model, without reading the vocabulary.
func Check(files Files) error { return new(Model).readVectors(files) }

// Read reads a model.
func Read(files Files) (m *Model, err error) {
	m = new(Model)
	if err := m.readVectors(files); err != nil {
		return nil, err
	}
	if m.tokenizer, err = readTokenizer(files.Tokenizer); err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	return m, m.check()
}

// readVectors reads everything but the vocabulary.
func (m *Model) readVectors(files Files) error {
	var config struct {
		Type string `json:"model_type"`
	}
	if err := json.Unmarshal(files.Config, &config); err != nil {
		return fmt.Errorf("config.json: %w", err)
	}
	if config.Type != "" && config.Type != "model2vec" {
		return fmt.Errorf("config.json says that this is a model of the type %s, not model2vec", config.Type)
	}
	tensors, err := readTensors(files.Tensors)
	if err != nil {
		return err
	}
	return m.useTensors(tensors)
}

// useTensors finds the vectors, and the weights and rows of the pieces.
func (m *Model) useTensors(tensors map[string]tensor) (err error) {
	for _, name := range []string{"embeddings", "embedding.weight", "0"} {
		if rows, has := tensors[name]; has {
			m.rows = rows
			break
		}
	}
	if m.rows.data == nil {
		return errors.New("model.safetensors has no tensor named embeddings")
	}
	switch m.rows.Kind {
	case "F32", "F16", "BF16", "I8":
	default:
		return fmt.Errorf("vectors of the kind %s are not supported", m.rows.Kind)
	}
	if len(m.rows.Shape) != 2 {
		return fmt.Errorf("the vectors have the shape %v, not two dimensions", m.rows.Shape)
	}
	m.count, m.dimensions = m.rows.Shape[0], m.rows.Shape[1]
	if m.dimensions < 1 || m.dimensions > mostDimensions {
		return fmt.Errorf("vectors of %d numbers are not supported", m.dimensions)
	}
	if weights, has := tensors["weights"]; has {
		if m.weights, err = weights.numbers(); err != nil {
			return fmt.Errorf("weights: %w", err)
		}
	}
	if mapping, has := tensors["mapping"]; has {
		if mapping.Kind != "I32" && mapping.Kind != "I64" {
			return fmt.Errorf("a mapping of the kind %s is not supported", mapping.Kind)
		}
		if m.mapping, err = mapping.numbers(); err != nil {
			return fmt.Errorf("mapping: %w", err)
		}
	}
	return nil
}

// check makes sure that every piece has a row.
func (m *Model) check() error {
	pieces := m.tokenizer.words.Len()
	if m.mapping == nil {
		if pieces > m.count {
			return fmt.Errorf("tokenizer.json has %d pieces, but there are only %d vectors", pieces, m.count)
		}
	} else if pieces > len(m.mapping) {
		return fmt.Errorf("tokenizer.json has %d pieces, but only %d have a vector", pieces, len(m.mapping))
	}
	for piece, row := range m.mapping {
		if row < 0 || int(row) >= m.count {
			return fmt.Errorf("piece %d has vector %.0f of %d", piece, row, m.count)
		}
	}
	if m.weights != nil && pieces > len(m.weights) {
		return fmt.Errorf("tokenizer.json has %d pieces, but only %d have a weight", pieces, len(m.weights))
	}
	return nil
}

// Dimensions is how many numbers a vector has.
func (m *Model) Dimensions() int { return m.dimensions }

// NewAdder returns an adder of the pieces' vectors.
func (m *Model) NewAdder() meaning.Adder { return adder{m} }

type adder struct{ model *Model }

// Add adds the vectors of all pieces of a text, and returns how many there are.
func (a adder) Add(text []byte, into meaning.Vector) (known int) {
	a.model.tokenizer.each(text, func(piece int) {
		a.model.add(piece, into)
		known++
	})
	return known
}

// add adds the vector of a piece.
func (m *Model) add(piece int, into meaning.Vector) {
	row, weight := piece, float32(1)
	if m.mapping != nil {
		row = int(m.mapping[piece])
	}
	if m.weights != nil {
		weight = m.weights[piece]
	}
	m.rows.addRow(row, m.dimensions, weight, into)
}
