package vault

import (
	"context"
	"errors"
	"time"
)

// debt is a look at everything that failed. It is tried again after pauses that
// grow, and each reason is told once.
type debt struct {
	reason string // "": nothing is owed
	pause  time.Duration
	due    time.Time
}

const longestDebt = time.Minute

func (d *debt) isDue() bool { return d.reason != "" && !time.Now().Before(d.due) }

// settle notes how a look has ended.
func (d *debt) settle(err error, v *Vault) {
	if err == nil || errors.Is(err, context.Canceled) {
		*d = debt{}
		return
	}
	if err.Error() != d.reason {
		v.log.Warn("the vault could not be scanned; what is known of it is kept", "error", err.Error())
	}
	d.reason, d.pause = err.Error(), min(max(2*d.pause, v.retry), longestDebt)
	d.due = time.Now().Add(d.pause)
}
