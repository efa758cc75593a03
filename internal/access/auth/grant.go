package auth

import (
	"fmt"

	"obsidian-mcp/internal/access/scope"
)

// Grant is what a caller may do. The zero value is everything.
type Grant struct {
	ReadOnly bool
	Scope    scope.Scope
	Toolsets []string // nil: all that the server offers
}

// Key identifies the grant's rights. Grants with equal keys allow the same, so what is built for one can serve the other.
func (g Grant) Key() string {
	toolsets := "offered"
	if g.Toolsets != nil {
		toolsets = fmt.Sprintf("%q", g.Toolsets) // in order: "-name" depends on what comes before it
	}
	return fmt.Sprintf("read-only %t, toolsets %s, scope %s", g.ReadOnly, toolsets, g.Scope.Key())
}

// Unlimited reports whether the grant restricts nothing.
func (g Grant) Unlimited() bool {
	return !g.ReadOnly && g.Toolsets == nil && g.Scope.All()
}
