// Package bench measures the program's search next to other engines, bleve, SQLite's FTS5 and ripgrep, and next to
// the least that any program must do, such as reading all files once.
//
// It is a module of its own, so that what it compares with never reaches the program's go.mod. This package holds
// what all engines have in common; each engine is a package below, and cmd/searchbench is the command that runs
// them.
package bench

import "obsidian-mcp/internal/text/meaning"

// Place is where an engine finds the notes and keeps its index.
type Place struct {
	Vault string        // a folder of notes
	Index string        // a folder of the engine's own; empty before Build
	By    By            // what the program's own engine looks for; other engines know words only
	Model meaning.Model // for looking by meaning; nil: the built-in one
}

// By is what notes are found by.
type By string

const (
	ByWords   By = "" // without vectors
	ByMeaning By = "meaning"
	ByBoth    By = "both"
)

// Maker makes an engine.
type Maker struct {
	Name string

	// Build reads the vault's files and writes a complete index of them. For every engine, time is measured from
	// call to return, reading included.
	Build func(Place) error

	// Open opens what Build wrote, as a starting process does.
	Open func(Place) (Engine, error)
}

// Engine answers ranked queries over the notes of a vault. Only one goroutine may use it at a time.
type Engine interface {
	// Search returns the best notes first, each with a snippet.
	Search(query Query, limit int) ([]Hit, error)

	// Update replaces a note. The next Search sees it.
	Update(doc Doc) error

	Close() error
}

// Hit is a note that a search found.
type Hit struct {
	Path    string
	Snippet string
	Score   float64
}

// Kind says how the terms of a query are combined.
type Kind int

const (
	All    Kind = iota // every term occurs
	Any                // at least one term occurs
	Prefix             // the only term is the beginning of a word
	Phrase             // the terms occur in sequence
	Asked              // a whole question: the more of the terms occur, the better
	Free               // as a person types it: Terms is a single text, and the engine makes the best of it
)

// Query is a question.
type Query struct {
	Class string // such as 1term-rare, for the tables
	Kind  Kind
	Terms []string
}
