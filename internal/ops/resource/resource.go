// Package resource decides what clients get besides tools: the files of a vault as resources, the context block,
// the prompts, and completions for what a user types.
//
// It knows nothing of the protocol: it takes and returns plain structs, which package surface/mcp renders. Everything
// goes through a vault.View, so a caller sees only the files that they may see.
package resource

import (
	"context"
	"log/slog"
	"time"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault"
)

// Options say how the files of a vault are offered.
type Options struct {
	VaultID string // the vault's name in URIs

	Prompts vpath.Path // the folder whose notes are prompts; "": none
	Log     *slog.Logger

	// Now returns the time where the user is. Nil: the system's time.
	Now func() time.Time

	// Reading is called when a file is about to be read by a method of the protocol, and the function it returns when
	// that is done. Nil: nothing is recorded.
	Reading func(ctx context.Context, method string) (_ context.Context, done func(error))
}

// Catalog offers the files of a vault to callers with the same rights.
type Catalog struct {
	vault      *vault.View
	uris       URIs
	reading    func(ctx context.Context, method string) (context.Context, func(error))
	properties propertyMemo
	prompts    vpath.Path
	memo       promptMemo
	now        func() time.Time
	log        *slog.Logger
}

// New makes a catalog of the files in a view.
func New(view *vault.View, options Options) *Catalog {
	c := &Catalog{
		vault: view, uris: NewURIs(options.VaultID), reading: options.Reading, prompts: options.Prompts,
		memo: promptMemo{logged: map[string]bool{}}, now: options.Now, log: options.Log,
	}
	if c.reading == nil {
		c.reading = func(ctx context.Context, _ string) (context.Context, func(error)) { return ctx, func(error) {} }
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	return c
}

// URI returns the URI of the file at a path.
func (c *Catalog) URI(path string) string { return c.uris.Of(vpath.Path(path)) }
