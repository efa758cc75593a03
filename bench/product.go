package bench

import (
	"errors"
	"os"
)

// ErrAbsent means that an engine is not part of this build. Its columns in the tables stay blank.
var ErrAbsent = errors.New("not in this build")

// Product is the program's own engine: what the other engines can do, and what only this one is asked. It watches
// its vault's folder.
type Product interface {
	Engine

	// Ready returns when the whole index is complete and its cache is written.
	Ready() error

	// Verified returns when every file has been compared with the index, as a start from the cache must do before
	// an answer counts as fresh.
	Verified() error

	// Grep counts what a regular expression matches, as ripgrep does. It answers completely even while the index
	// is being built.
	Grep(pattern Pattern, how GrepMode) (Count, error)

	// Backlinks returns the number of notes that link to a note, each with how often it does.
	Backlinks(name string) (notes int, err error)

	// Rename renames a note and rewrites every link to it, on disk.
	Rename(from, to string) error
}

// GrepMode says what Grep may use.
type GrepMode int

const (
	Indexed GrepMode = iota // the trigrams choose the notes first
	Scan                    // every byte of the text is read
)

// Pattern is a regular expression in ripgrep's syntax.
type Pattern struct {
	Name string // such as literal-rare, for the tables
	Expr string
}

// Count is what `rg -c` counts.
type Count struct {
	Lines int // that match
	Files int // that contain such lines
}

// Ours makes the program's own engine with OpenOurs, without vectors.
func Ours() Maker { return OursBy(ByWords) }

// OursBy makes the program's own engine.
func OursBy(by By) Maker {
	return Maker{Name: "ours", Build: buildOurs, Open: func(place Place) (Engine, error) {
		place.By = by
		product, err := OpenOurs(place)
		if err != nil {
			return nil, err
		}
		if by != ByWords {
			err = product.Ready()
		}
		return product, err
	}}
}

func buildOurs(place Place) error {
	product, err := OpenOurs(place)
	if err != nil {
		return err
	}
	return errors.Join(product.Ready(), product.Close())
}

// HasOurs reports whether this build has the program's own engine.
func HasOurs() bool {
	empty, err := os.MkdirTemp("", "searchbench-*")
	if err != nil {
		return false
	}
	defer os.RemoveAll(empty)
	product, err := OpenOurs(Place{Vault: empty, Index: empty})
	if err == nil {
		product.Close()
	}
	return !errors.Is(err, ErrAbsent)
}
