package fault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"obsidian-mcp/internal/fault"
)

func TestErrorsIsMatchesTheKind(t *testing.T) {
	err := fmt.Errorf("rename a.md: %w", fault.NotFound.Errorf("Note '%s' not found", "a"))
	if !errors.Is(err, fault.NotFound) {
		t.Errorf("errors.Is(%v, NotFound) = false", err)
	}
	if errors.Is(err, fault.Conflict) {
		t.Errorf("errors.Is(%v, Conflict) = true", err)
	}
	if got := fault.KindOf(err); got != fault.NotFound {
		t.Errorf("KindOf = %v, want NotFound", got)
	}
}

func TestErrorfKeepsTheCause(t *testing.T) {
	err := fault.PermissionDenied.Errorf("read a.md: %w", fs.ErrPermission)
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("errors.Is(%v, fs.ErrPermission) = false; the cause is lost", err)
	}
	if got, want := err.Error(), "read a.md: permission denied"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

func TestUnclassifiedErrorsAreInternal(t *testing.T) {
	if got := fault.KindOf(errors.New("x")); got != fault.Internal {
		t.Errorf("KindOf(an unclassified error) = %v, want Internal", got)
	}
	if got := fault.KindOf(fault.Timeout); got != fault.Timeout {
		t.Errorf("KindOf(Timeout) = %v, want Timeout", got)
	}
}

func TestWithHintLeavesTheOriginalAlone(t *testing.T) {
	plain := fault.Conflict.Errorf("changed meanwhile")
	hinted := plain.WithHint("read %s again", "a.md")
	if plain.Hint != "" || fault.HintOf(fmt.Errorf("x: %w", hinted)) != "read a.md again" {
		t.Errorf("the original has hint %q, want none; the copy has %q, want \"read a.md again\"", plain.Hint, hinted.Hint)
	}
	if fault.HintOf(errors.New("x")) != "" {
		t.Error("HintOf(an unclassified error) is not empty")
	}
}

func TestEveryKindHasItsOwnCode(t *testing.T) {
	seen := map[string]fault.Kind{}
	for _, kind := range fault.Kinds() {
		if kind.Code() == "" {
			t.Errorf("kind %d has no code", kind)
		}
		if other, twice := seen[kind.Code()]; twice {
			t.Errorf("kinds %d and %d share the code %s", other, kind, kind.Code())
		}
		seen[kind.Code()] = kind
		if kind.Error() != kind.Code() {
			t.Errorf("kind %d: Error() = %q, Code() = %q; want the same", kind, kind.Error(), kind.Code())
		}
	}
	if got := fault.Kind(200).Code(); got != "INTERNAL" {
		t.Errorf("Kind(200).Code() = %s, want INTERNAL", got)
	}
}
