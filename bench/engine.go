// Package bench measures the program's search beside engines that others use:
// bleve, SQLite's FTS5 and ripgrep, and beside the least that any program must
// do, such as reading all files once.
//
// It is a module of its own, so that what it compares with never reaches the
// program's go.mod. This package holds what all engines have in common; each
// engine is a package below, cmd/searchbench is the command that runs them.
package bench

// Place is where an engine finds the notes and keeps its index.
type Place struct {
	Vault string // a folder of notes
	Index string // a folder of the engine's own; empty before Build
}

// Maker makes one engine.
type Maker struct {
	Name string

	// Build reads the vault's files and writes a complete index of them. The
	// clock runs from call to return, reading included, for every engine.
	Build func(Place) error

	// Open opens what Build left behind, as a process does that starts.
	Open func(Place) (Engine, error)
}

// Engine answers ranked queries over the notes of one vault. It serves one
// goroutine at a time.
type Engine interface {
	// Search returns the best notes first, each with a snippet.
	Search(query Query, limit int) ([]Hit, error)

	// Update replaces one note. The next Search sees it.
	Update(doc Doc) error

	Close() error
}

// Hit is one note that a search found.
type Hit struct {
	Path    string
	Snippet string
	Score   float64
}

// Kind says how the terms of a query belong together.
type Kind int

const (
	All    Kind = iota // every term occurs
	Any                // at least one does
	Prefix             // the only term is the beginning of a word
	Phrase             // the terms occur one after the other
	Free               // as a person types it: Terms is one text, the engine makes the best of it
)

// Query is one question.
type Query struct {
	Class string // such as 1term-rare, for the tables
	Kind  Kind
	Terms []string
}
