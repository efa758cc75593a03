package tool

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"obsidian-mcp/internal/text/order"
)

// Hint is a line for the model that reads an answer or an error: a fact that decides its next step and that the answer
// itself does not hold.
type Hint struct {
	Kind HintKind
	Text string
}

// HintKind is what a hint is about. Kinds are ordered by importance.
type HintKind uint8

// The kinds of hints.
const (
	HintConfirm HintKind = iota // the call needs the user's consent
	HintCut                     // the answer is only a part, and how to get the rest
	HintSuggest                 // what was probably meant, or what to do instead
	HintChange                  // the change that was made, and how to undo it
)

// maxHints is how many hints follow an answer.
const maxHints = 3

// HintLines returns the hints to show, the most important first.
func (a Answer) HintLines() []string {
	sorted := slices.Clone(a.Hints)
	order.Stably(sorted, func(x, y Hint) int { return cmp.Compare(x.Kind, y.Kind) })
	var lines []string
	for _, hint := range sorted[:min(maxHints, len(sorted))] {
		lines = append(lines, hint.Text)
	}
	return lines
}

// AddHint adds a hint to the answer or error of the call that a context belongs to. An identical one is added once.
func AddHint(ctx context.Context, kind HintKind, format string, args ...any) {
	collected, ok := ctx.Value(hintsKey{}).(*hints)
	if !ok {
		return
	}
	hint := Hint{kind, strings.TrimRight(fmt.Sprintf(format, args...), "\n")}
	collected.mu.Lock()
	defer collected.mu.Unlock()
	if !slices.Contains(collected.all, hint) {
		collected.all = append(collected.all, hint)
	}
}

// ClearHints removes the hints of a kind, for a call that tries again.
func ClearHints(ctx context.Context, kind HintKind) {
	collected, ok := ctx.Value(hintsKey{}).(*hints)
	if !ok {
		return
	}
	collected.mu.Lock()
	defer collected.mu.Unlock()
	collected.all = slices.DeleteFunc(collected.all, func(hint Hint) bool { return hint.Kind == kind })
}

type hintsKey struct{}

// hints collects the hints of a call.
type hints struct {
	mu  sync.Mutex // guards all
	all []Hint
}

// CollectHints returns a context that collects hints apart from those of the call, for a part of the call that says
// itself what becomes of them.
func CollectHints(ctx context.Context) (context.Context, func() []Hint) {
	ctx, collected := collectHints(ctx)
	return ctx, collected.list
}

// collectHints returns a context that collects the hints of a call.
func collectHints(ctx context.Context) (context.Context, *hints) {
	collected := new(hints)
	return context.WithValue(ctx, hintsKey{}, collected), collected
}

func (h *hints) list() []Hint {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.all)
}

// ShownHint says that only a part of a list is shown, if so, and how to go on.
func ShownHint(ctx context.Context, shown, offset, total int) {
	if end := offset + shown; shown > 0 && end < total {
		AddHint(ctx, HintCut, "%d of %d shown; continue with offset=%d.", shown, total, end)
	}
}
