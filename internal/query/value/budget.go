package value

import (
	"errors"
	"math"
)

// MaxText is the length of the longest text that an expression may make.
const MaxText = 8 << 20

// How many bytes of text a step makes, and how many steps an element of a new list takes.
const (
	BytesPerStep    = 8
	StepsPerElement = 4
)

// maxSteps bounds the work of a query: a step is about a tenth of a microsecond.
const maxSteps = 10_000_000

// The errors that end a query, and not only a row of it.
var (
	ErrTooMuch   = errors.New("the query takes too much work")
	ErrCancelled = errors.New("the query was cancelled")
)

// IsFinal reports whether an error ends a query.
func IsFinal(err error) bool { return errors.Is(err, ErrTooMuch) || errors.Is(err, ErrCancelled) }

// Budget counts the work of a query, so that expressions which would take forever end.
type Budget struct {
	done <-chan struct{}
	left int
}

// NewBudget makes a budget for a query that nobody waits for any more once done is closed.
func NewBudget(done <-chan struct{}) *Budget { return &Budget{done, maxSteps} }

// Spend counts steps. It fails when they are used up, or nobody waits any more.
func (b *Budget) Spend(steps int) error {
	before := b.left
	if b.left -= steps + 1; b.left < 0 {
		return ErrTooMuch
	}
	if before>>16 != b.left>>16 {
		select {
		case <-b.done:
			return ErrCancelled
		default:
		}
	}
	return nil
}

// Calculate applies an arithmetic operator to numbers, as JavaScript does.
func Calculate(op string, x, y float64) float64 {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	}
	return math.Mod(x, y)
}
