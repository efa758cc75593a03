package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
)

// checkRules refuses rules that are paths of the file system: rules start at the vault's root, so such a rule would
// match nothing.
func checkRules(configured config.Grant, settings config.Config) error {
	dir, err := backendOf(settings).folder(settings)
	if err != nil || dir == "" { // a database has no path in the file system
		return err
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	for _, rule := range slices.Concat(configured.Allow, configured.Deny) {
		if below, isBelow := strings.CutPrefix(rule+"/", filepath.ToSlash(root)+"/"); isBelow && len(root) > 1 {
			return fault.InvalidArgument.Errorf("'%s' is a path of the file system", rule).
				WithHint("write it from the vault's root: '%s'", strings.Trim(below, "/"))
		}
	}
	return nil
}

// warnOfIdleRules warns about rules that match no file, as a misspelt rule does. It waits for the index.
func (a *app) warnOfIdleRules(ctx context.Context, settings config.HTTP, log *slog.Logger) {
	snapshot, err := a.vault.Texts(ctx)
	if err != nil {
		return
	}
	warn := func(owner string, configured config.Grant) {
		for _, rule := range slices.Concat(configured.Allow, configured.Deny) {
			denied, err := scope.New(nil, []string{rule})
			matches := false
			snapshot.Files(func(path vpath.Path) bool {
				matches = err != nil || !denied.Open(path)
				return !matches
			})
			if !matches {
				log.Warn("a rule matches no file in the vault", "of", owner, "rule", rule)
			}
		}
	}
	for _, token := range settings.Tokens {
		warn("token "+token.Name, token.Grant)
	}
	for _, user := range settings.OAuth.Users {
		warn("user "+user.Subject, user.Grant)
	}
}
