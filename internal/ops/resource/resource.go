// Package resource decides what clients get besides tools: the files of a vault as resources, the context block,
// the prompts, and completions for what a user types.
//
// It knows nothing of the protocol: it takes and returns plain structs, which package surface/mcp renders. Everything
// goes through a vault.View, so a caller sees only the files that they may see.
package resource

import (
	"context"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault"
)

// Options say how the files of a vault are offered.
type Options struct {
	VaultID string // the vault's name in URIs

	// Reading is called when a file is about to be read, and the function it returns when that is done. Nil: nothing
	// is recorded.
	Reading func(context.Context) (_ context.Context, done func(error))
}

// Catalog offers the files of a vault to callers with the same rights.
type Catalog struct {
	vault      *vault.View
	uris       URIs
	reading    func(context.Context) (context.Context, func(error))
	properties propertyMemo
}

// New makes a catalog of the files in a view.
func New(view *vault.View, options Options) *Catalog {
	reading := options.Reading
	if reading == nil {
		reading = func(ctx context.Context) (context.Context, func(error)) { return ctx, func(error) {} }
	}
	return &Catalog{vault: view, uris: NewURIs(options.VaultID), reading: reading}
}

// URI returns the URI of the file at a path.
func (c *Catalog) URI(path string) string { return c.uris.Of(vpath.Path(path)) }
