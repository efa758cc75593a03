// Package fault is the program's one vocabulary for things that go wrong.
//
// Every error that a caller may have to tell apart carries a Kind. A Kind is
// itself an error, so that it can be asked for with errors.Is:
//
//	if errors.Is(err, fault.NotFound) { … }
//
// and it makes errors of its kind:
//
//	return fault.NotFound.Errorf("Note '%s' not found", name)
//
// What nobody classified is Internal. How a kind is shown (an exit status, a
// JSON-RPC code) is for each surface to say, in one place of its own.
package fault

import (
	"errors"
	"fmt"
)

// Kind classifies an error. The zero value is Internal.
type Kind uint8

// The kinds of error that a caller can meet.
const (
	Internal Kind = iota
	ObsidianNotRunning
	VaultNotFound
	NotFound
	AmbiguousName
	PermissionDenied
	Timeout
	InvalidArgument
	TagNotAllowed
	AlreadyExists
	Conflict
	StoreUnavailable
	RateLimited
)

var codes = [...]string{
	Internal:           "INTERNAL",
	ObsidianNotRunning: "OBSIDIAN_NOT_RUNNING",
	VaultNotFound:      "VAULT_NOT_FOUND",
	NotFound:           "NOT_FOUND",
	AmbiguousName:      "AMBIGUOUS_NAME",
	PermissionDenied:   "PERMISSION_DENIED",
	Timeout:            "TIMEOUT",
	InvalidArgument:    "INVALID_ARGUMENT",
	TagNotAllowed:      "TAG_NOT_ALLOWED",
	AlreadyExists:      "ALREADY_EXISTS",
	Conflict:           "CONFLICT",
	StoreUnavailable:   "STORE_UNAVAILABLE",
	RateLimited:        "RATE_LIMITED",
}

// Kinds lists every kind, so that a surface's table can be checked against it.
func Kinds() []Kind {
	all := make([]Kind, len(codes))
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// Code is the kind's name in the contract, such as NOT_FOUND.
func (k Kind) Code() string {
	if int(k) < len(codes) {
		return codes[k]
	}
	return codes[Internal]
}

// Error makes a Kind usable as the target of errors.Is.
func (k Kind) Error() string { return k.Code() }

// Errorf makes an error of this kind. A %w verb keeps its cause.
func (k Kind) Errorf(format string, args ...any) *Error {
	made := fmt.Errorf(format, args...)
	return &Error{Kind: k, Message: made.Error(), Err: errors.Unwrap(made)}
}

// Error is an error of a known kind.
type Error struct {
	Kind    Kind
	Message string // what happened, to what
	Hint    string // what to do about it; may be empty
	Err     error  // the cause; may be nil
}

// SeeLog is all that a caller reads about an internal error; its own text goes to the log.
const SeeLog = "internal error; the server's log says more"

// Error gives the message alone; a surface that has room adds the hint.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is this error's kind.
func (e *Error) Is(target error) bool {
	kind, ok := target.(Kind)
	return ok && kind == e.Kind
}

// WithHint returns the error with advice on what to do.
func (e *Error) WithHint(format string, args ...any) *Error {
	hinted := *e
	hinted.Hint = fmt.Sprintf(format, args...)
	return &hinted
}

// KindOf is the kind of the outermost classified error in err's chain, and
// Internal where there is none.
func KindOf(err error) Kind {
	if classified, ok := errors.AsType[*Error](err); ok {
		return classified.Kind
	}
	if kind, ok := errors.AsType[Kind](err); ok {
		return kind
	}
	return Internal
}

// HintOf is the advice carried by err, or "".
func HintOf(err error) string {
	if classified, ok := errors.AsType[*Error](err); ok {
		return classified.Hint
	}
	return ""
}
