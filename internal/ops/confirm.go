package ops

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault/call"
)

// confirmLife is how long a confirmation id is valid.
const confirmLife = 10 * time.Minute

// confirmer demands a second call before many notes are changed. Its ids are
// signed rather than remembered, so they are valid across processes.
type confirmer struct {
	over   int
	secret []byte
	rights string // of the callers; an id is useless to callers with other rights
	now    func() time.Time
}

// check refuses a call that changes many notes until it is repeated with the id
// from the refusal. The id is valid only for a call of the same caller with the same words.
func (c confirmer) check(ctx context.Context, notes int, confirm string, words ...string) error {
	if c.over <= 0 || notes <= c.over || c.isValid(ctx, confirm, words) {
		return nil
	}
	hintInvalid(ctx, confirm)
	return fault.InvalidArgument.Errorf("%w", &tool.NeedsConfirm{Notes: notes, ID: c.offer(ctx, words)})
}

// hintInvalid tells the model that an id was given, but not the one for this call.
func hintInvalid(ctx context.Context, confirm string) {
	if confirm != "" {
		tool.ClearHints(ctx, tool.HintSuggest)
		tool.AddHint(ctx, tool.HintSuggest, "The confirm id that was given is not valid here: it has expired, or belongs to another call.")
	}
}

// preview gives a dry run the id that the call itself would need.
func (c confirmer) preview(ctx context.Context, notes int, words ...string) {
	if c.over > 0 && notes > c.over {
		c.offer(ctx, words)
	}
}

// offer returns the id for a call, and tells the model about it.
func (c confirmer) offer(ctx context.Context, words []string) string {
	id := c.id(ctx, c.now(), words)
	tool.ClearHints(ctx, tool.HintConfirm) // of an earlier attempt
	tool.AddHint(ctx, tool.HintConfirm, "Nothing has changed. Ask the user; if they agree, repeat with confirm='%s'.", id)
	return id
}

func (c confirmer) id(ctx context.Context, when time.Time, words []string) string {
	stamp := strconv.FormatInt(when.Unix(), 36)
	mac := hmac.New(sha256.New, c.secret)
	fmt.Fprintf(mac, "%s %q%q%s", stamp, words, call.CallerOf(ctx).Token, c.rights)
	return stamp + "-" + hex.EncodeToString(mac.Sum(nil)[:8])
}

func (c confirmer) isValid(ctx context.Context, id string, words []string) bool {
	stamp, _, ok := strings.Cut(id, "-")
	seconds, err := strconv.ParseInt(stamp, 36, 64)
	if !ok || err != nil {
		return false
	}
	when := time.Unix(seconds, 0)
	age := c.now().Sub(when)
	return age >= 0 && age <= confirmLife && hmac.Equal([]byte(id), []byte(c.id(ctx, when, words)))
}
