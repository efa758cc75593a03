package doctor

import "context"

// Check is a check of what is beside the vault.
type Check struct {
	Name string // the key of the config file
	// Run says what it found, and what a person should look at, if anything.
	Run func(context.Context) (found, worry string, err error)
}

// outside checks what the config file says about programs and services beside the vault.
func (r *Report) outside(ctx context.Context, checks []Check) {
	for _, check := range checks {
		found, worry, err := check.Run(ctx)
		if err != nil {
			r.Failure(check.Name, err)
		}
		if found != "" {
			r.ok("%s: %s", check.Name, found)
		}
		if worry != "" {
			r.look("", "%s: %s", check.Name, worry)
		}
	}
}
