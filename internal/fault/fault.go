// Package fault classifies errors.
//
// Every error that a caller may want to handle differently has a Kind. A Kind is itself an error, so callers test for it
// with errors.Is:
//
//	if errors.Is(err, fault.NotFound) { … }
//
// and functions create errors of a kind with Errorf:
//
//	return fault.NotFound.Errorf("Note '%s' not found", name)
//
// An error without a kind counts as Internal. Each surface decides how it shows a kind (an exit status, a JSON-RPC
// code); this package does not know.
package fault

import (
	"errors"
	"fmt"
)

// Kind classifies an error. The zero value is Internal.
type Kind uint8

// The kinds of errors that a caller can see.
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

// Kinds lists every kind, so that a test can check that a surface handles them all.
func Kinds() []Kind {
	all := make([]Kind, len(codes))
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// Code returns the kind's name in the published contract, such as NOT_FOUND.
func (k Kind) Code() string {
	if int(k) < len(codes) {
		return codes[k]
	}
	return codes[Internal]
}

// Error returns the code. It makes a Kind usable as the target of errors.Is.
func (k Kind) Error() string { return k.Code() }

// Errorf creates an error of this kind. A %w verb keeps its argument as the cause.
func (k Kind) Errorf(format string, args ...any) *Error {
	formatted := fmt.Errorf(format, args...)
	return &Error{Kind: k, Message: formatted.Error(), Err: errors.Unwrap(formatted)}
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

// Error returns the message without the hint, which a surface adds where it has room.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is this error's kind.
func (e *Error) Is(target error) bool {
	kind, ok := target.(Kind)
	return ok && kind == e.Kind
}

// WithHint returns a copy of the error that advises the caller what to do.
func (e *Error) WithHint(format string, args ...any) *Error {
	hinted := *e
	hinted.Hint = fmt.Sprintf(format, args...)
	return &hinted
}

// KindOf returns the kind of the outermost classified error in err's chain, or Internal if no error in it has a kind.
func KindOf(err error) Kind {
	if classified, ok := errors.AsType[*Error](err); ok {
		return classified.Kind
	}
	if kind, ok := errors.AsType[Kind](err); ok {
		return kind
	}
	return Internal
}

// HintOf returns the hint of the outermost Error in err's chain, or "".
func HintOf(err error) string {
	if classified, ok := errors.AsType[*Error](err); ok {
		return classified.Hint
	}
	return ""
}
