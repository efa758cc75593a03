package auth

import (
	"fmt"

	"obsidian-mcp/internal/access/scope"
)

// Grant is what a caller may do. The zero value is everything.
type Grant struct {
	ReadOnly bool
	Scope    scope.Scope
	Toolsets []string // nil: those that the server offers
}

// Key names the grant's rights: of two grants with equal keys each allows
// what the other does, so that what is built for one serves the other.
func (g Grant) Key() string {
	toolsets := "offered"
	if g.Toolsets != nil {
		toolsets = fmt.Sprintf("%q", g.Toolsets) // in their order, which "-name" gives a meaning
	}
	return fmt.Sprintf("read-only %t, toolsets %s, scope %s", g.ReadOnly, toolsets, g.Scope.Key())
}

// Unlimited reports whether the grant takes nothing away.
func (g Grant) Unlimited() bool {
	return !g.ReadOnly && g.Toolsets == nil && g.Scope.All()
}
