package canvas

import "obsidian-mcp/internal/fault"

// Class says why an edit or a file was refused.
type Class string

// The reasons for a refusal.
const (
	DuplicateID   Class = "duplicate_id"
	UnknownNode   Class = "unknown_node"
	AmbiguousNode Class = "ambiguous_node"
	NotInteger    Class = "not_integer"
	MissingField  Class = "missing_field"
	BadType       Class = "bad_type"
	BadColor      Class = "bad_color"
	BadValue      Class = "bad_value"
	NoRoom        Class = "no_room"
	InvalidJSON   Class = "invalid_json"
	InvalidCanvas Class = "invalid_canvas"
)

// Refusal is the error of this package: why something was refused, and a fault that tells people what to do.
type Refusal struct {
	Class Class
	fault *fault.Error
}

// Error returns the message.
func (r *Refusal) Error() string { return r.fault.Error() }

// Unwrap returns the fault.
func (r *Refusal) Unwrap() error { return r.fault }

// WithHint adds what to do.
func (r *Refusal) WithHint(format string, args ...any) *Refusal {
	return &Refusal{r.Class, r.fault.WithHint(format, args...)}
}

// in returns the refusal with the number of the operation that it is about.
func (r *Refusal) in(op int) *Refusal {
	numbered := r.fault.Kind.Errorf("op %d: %s", op, r.fault.Message)
	numbered.Hint = r.fault.Hint
	return &Refusal{r.Class, numbered}
}

func refuse(class Class, format string, args ...any) *Refusal {
	kind := fault.InvalidArgument
	if class == AmbiguousNode {
		kind = fault.AmbiguousName
	}
	return &Refusal{class, kind.Errorf(format, args...)}
}
