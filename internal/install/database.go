package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
)

// DatabasePlan is a change to the config file that makes it name a database, and to the files of its secrets, that has
// not been made yet.
type DatabasePlan struct {
	file    clients.Plan
	secrets []clients.Plan
}

// PlanDatabase plans to make a config file, which need not exist, name a database. Each secret gets a file beside it that
// only the user can read.
func PlanDatabase(file string, database config.LiveSync) (DatabasePlan, error) {
	var plan DatabasePlan
	password, err := plan.addSecret(file, ".couchdb-password", database.Password)
	if err != nil {
		return plan, err
	}
	passphrase, err := plan.addSecret(file, ".vault-passphrase", database.Passphrase)
	if err != nil {
		return plan, err
	}
	plan.file, err = clients.PlanFile(file, func(before []byte) ([]byte, error) {
		return config.NameDatabase(before, database, password, passphrase)
	})
	return plan, err
}

// addSecret plans the file of a secret, and returns its name as the config file has it.
func (p *DatabasePlan) addSecret(file, suffix string, secret config.Secret) (string, error) {
	if secret == "" {
		return "", nil
	}
	name := strings.TrimSuffix(file, filepath.Ext(file)) + suffix
	planned, err := clients.PlanFile(name, func([]byte) ([]byte, error) { return []byte(secret.Reveal() + "\n"), nil })
	p.secrets = append(p.secrets, planned)
	return filepath.Base(name), err
}

// Changes reports whether there is anything to write.
func (p DatabasePlan) Changes() bool { return len(p.changes()) > 0 }

// changes lists what is to be written, the secrets first: the config file must not name a file that does not exist.
func (p DatabasePlan) changes() []clients.Plan {
	var all []clients.Plan
	for _, planned := range slices.Concat(p.secrets, []clients.Plan{p.file}) {
		if planned.Changes() || planned.IsNew() {
			all = append(all, planned)
		}
	}
	return all
}

// Replaces lists the existing files that would change.
func (p DatabasePlan) Replaces() []string {
	var all []string
	for _, planned := range p.changes() {
		if !planned.IsNew() {
			all = append(all, planned.File)
		}
	}
	return all
}

// Diff shows the change of the config file, without secrets.
func (p DatabasePlan) Diff() string { return p.file.MaskedDiff(config.HideSecrets) }

// CheckWritable explains why the files cannot be written, as far as this shows without trying.
func (p DatabasePlan) CheckWritable() error {
	for _, planned := range p.changes() {
		if err := planned.CheckWritable(); err != nil {
			return err
		}
	}
	return nil
}

// Written is a file that was written, and the copy of what it was before; "" if it did not exist.
type Written struct{ File, Backup string }

// Write writes all files or, if one cannot be written, none.
func (p DatabasePlan) Write(now time.Time) ([]Written, error) {
	for _, secret := range p.secrets {
		if err := onlyForUser(secret.File); err != nil {
			return nil, fault.PermissionDenied.Errorf("cannot keep others from reading %s: %w", secret.File, err).
				WithHint("nothing was changed; remove the file")
		}
	}
	var done []Written
	for _, planned := range p.changes() {
		backup, err := planned.Write(now)
		if err != nil {
			if left := takeBack(done); left != nil {
				return nil, fault.Internal.Errorf("%w; and what was written cannot be taken back: %w", err, left)
			}
			return nil, err
		}
		done = append(done, Written{planned.File, backup})
	}
	return done, nil
}

// onlyForUser keeps others from reading a file, which need not exist.
func onlyForUser(file string) error {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil || info.Mode().Perm()&0o077 == 0:
		return err
	}
	return os.Chmod(file, 0o600)
}

// takeBack restores files.
func takeBack(done []Written) error {
	var errs []error
	for _, written := range done {
		if written.Backup != "" {
			errs = append(errs, os.Rename(written.Backup, written.File))
		} else {
			errs = append(errs, os.Remove(written.File))
		}
	}
	return errors.Join(errs...)
}
