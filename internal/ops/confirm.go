package ops

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
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
// from the refusal. The id is valid only for a call with the same words.
func (c confirmer) check(notes int, confirm string, call ...string) error {
	if c.over <= 0 || notes <= c.over || c.isValid(confirm, call) {
		return nil
	}
	return fault.InvalidArgument.Errorf("%w", &tool.NeedsConfirm{Notes: notes, ID: c.id(c.now(), call)})
}

func (c confirmer) id(when time.Time, call []string) string {
	stamp := strconv.FormatInt(when.Unix(), 36)
	mac := hmac.New(sha256.New, c.secret)
	fmt.Fprintf(mac, "%s %q%s", stamp, call, c.rights)
	return stamp + "-" + hex.EncodeToString(mac.Sum(nil)[:8])
}

func (c confirmer) isValid(id string, call []string) bool {
	stamp, _, ok := strings.Cut(id, "-")
	seconds, err := strconv.ParseInt(stamp, 36, 64)
	if !ok || err != nil {
		return false
	}
	when := time.Unix(seconds, 0)
	age := c.now().Sub(when)
	return age >= 0 && age <= confirmLife && hmac.Equal([]byte(id), []byte(c.id(when, call)))
}
