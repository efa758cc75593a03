package ops

import (
	"context"
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/wire"
)

// tagConsent is the confirmation that a call brings along, for the case that it creates tags.
type tagConsent struct {
	confirm string
	words   []string // identify the call
}

type tagConsentKey struct{}

// withTagConsent lets a call create tags if it has a valid confirmation. The call is its tool and its arguments
// without the confirmation.
func withTagConsent(ctx context.Context, confirm, tool string, arguments any) context.Context {
	encoded, _ := wire.Encode(arguments)
	return context.WithValue(ctx, tagConsentKey{}, tagConsent{confirm, []string{tool, string(encoded)}})
}

// consentToTags drops a refusal of new tags if the user has agreed to them. Otherwise it says how the call can be
// confirmed, unless new tags are never allowed.
func (o *Ops) consentToTags(ctx context.Context, refusal error) error {
	needs, ok := errors.AsType[*tool.NeedsConfirm](refusal)
	if !ok || len(needs.Tags) == 0 {
		return refusal
	}
	consent, ok := ctx.Value(tagConsentKey{}).(tagConsent)
	if !ok || o.tags.policy == TagsStrict {
		return fault.KindOf(refusal).Errorf("%s", refusal) // consent would not help
	}
	if o.confirm.isValid(ctx, consent.confirm, consent.words) {
		return nil
	}
	needs.ID = o.confirm.offer(ctx, consent.words)
	return refusal
}
