package ops

import (
	"context"
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/wire"
)

// tagConsent is the confirmation that a call brings along, for the case that it creates tags.
type tagConsent struct {
	confirm string
	words   []string // identify the call
}

type tagConsentKey struct{}

// withTagConsent lets a call create tags if it has a valid confirmation. The call is its tool and its arguments
// without the confirmation; the words that identify it are returned too.
func withTagConsent(ctx context.Context, confirm, tool string, arguments any) (context.Context, []string) {
	encoded, _ := wire.Encode(arguments)
	words := []string{tool, string(encoded)}
	return context.WithValue(ctx, tagConsentKey{}, tagConsent{confirm, words}), words
}

// consentToTags drops a refusal of new tags if the user has agreed to them. Otherwise it says how the call can be
// confirmed, unless new tags are never allowed.
func (o *Ops) consentToTags(ctx context.Context, refusal error) error {
	tags, ok := errors.AsType[unknownTags](refusal)
	if !ok {
		return refusal
	}
	consent, ok := ctx.Value(tagConsentKey{}).(tagConsent)
	if !ok || o.tags.policy == TagsStrict {
		return refusal // consent would not help
	}
	if o.confirm.isValid(ctx, consent.confirm, consent.words) {
		return nil
	}
	hintInvalid(ctx, consent.confirm)
	confirmable := fault.KindOf(refusal).Errorf("%s", refusal)
	confirmable.Err = &tool.NeedsConfirm{Tags: tags, ID: o.confirm.offer(ctx, consent.words)}
	return confirmable
}

// askForTags asks for consent to the tags of several notes that the vault does not have yet. A dry run only says what the
// call itself needs.
func (o *Ops) askForTags(ctx context.Context, s *index.Snapshot, tags []string, dryRun bool) error {
	if len(tags) == 0 {
		return nil
	}
	err := o.consentToTags(ctx, checkAllowed(ctx, s, tags))
	if _, isAsked := errors.AsType[*tool.NeedsConfirm](err); isAsked && dryRun {
		return nil
	}
	return err
}

// noteDroppedTags remembers which tags of a note that was changed or deleted are gone from the vault: adding them back
// needs no consent.
func (o *Ops) noteDroppedTags(ctx context.Context, had []string) {
	if len(had) == 0 {
		return
	}
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return // then adding them back needs consent
	}
	seen := map[vpath.Key]bool{}
	for _, tag := range had {
		key := vpath.FoldKey(tag)
		if seen[key] {
			continue
		}
		seen[key] = true
		if _, exists := s.Tag(tag); !exists {
			call.NoteDroppedTag(ctx, string(key))
		}
	}
}
