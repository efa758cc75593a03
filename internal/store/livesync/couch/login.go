package couch

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
)

// ErrLogin is in the chain of an error because CouchDB refused the user or the password, or has locked the account.
var ErrLogin = errors.New("the login was refused")

// Logins holds back requests after a login was refused: CouchDB locks an account after five of them, also for others who use it
// from the same address. Clients of the same account share one.
type Logins struct {
	first time.Duration // the first pause

	mu      sync.Mutex // guards the fields below
	refusal error      // nil after a login that succeeded
	until   time.Time  // requests are refused without being sent
	pause   time.Duration
}

// NewLogins makes one whose pauses after refused logins begin with first and grow to 16 times that.
func NewLogins(first time.Duration) *Logins { return &Logins{first: first} }

// firstLoginPause leads to four logins in the five minutes in which CouchDB counts.
const firstLoginPause = 10 * time.Second

// held returns the error of the last login if the next one is not due yet.
func (l *Logins) held() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refusal != nil && time.Now().Before(l.until) {
		return l.refusal
	}
	return nil
}

// record records the outcome of a login; err is nil or an ErrLogin. Requests that were under way when the first one was refused
// do not make the pause longer.
func (l *Logins) record(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		l.refusal, l.pause = nil, 0
	case l.refusal == nil || time.Now().After(l.until):
		l.refusal = err
		l.pause = min(max(4*l.pause, l.first), 16*l.first)
		l.until = time.Now().Add(l.pause)
	}
}

// locked is the error for an account that CouchDB has locked.
func (c *Client) locked() error {
	return &fault.Error{
		Kind:    fault.PermissionDenied,
		Message: fmt.Sprintf("CouchDB at %s has locked the account '%s' for some minutes, because of failed logins", c.server.Host, c.opt.User),
		Hint:    "try again in five minutes; if the password is right here, another program may log in with a wrong one",
		Err:     ErrLogin,
	}
}
