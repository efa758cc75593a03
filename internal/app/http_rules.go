package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
)

// checkRules refuses rules that are paths of the file system: they are meant
// to be from the vault's root, and would say nothing.
func checkRules(given config.Grant, settings config.Config) error {
	dir, err := backendOf(settings).folder(settings)
	if err != nil || dir == "" { // nothing in a database has such a path
		return err
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	for _, entry := range append(append([]string(nil), given.Allow...), given.Deny...) {
		if below, isBelow := strings.CutPrefix(entry+"/", filepath.ToSlash(whole)+"/"); isBelow && len(whole) > 1 {
			return fault.InvalidArgument.Errorf("'%s' is a path of the file system", entry).
				WithHint("write it from the vault's root: '%s'", strings.Trim(below, "/"))
		}
	}
	return nil
}

// warnOfIdleRules tells the owner of rules that cover no file, as a misspelt
// one does. It waits for the index.
func (a *app) warnOfIdleRules(ctx context.Context, settings config.HTTP, log *slog.Logger) {
	snapshot, err := a.vault.Snapshot(ctx)
	if err != nil {
		return
	}
	warn := func(whose string, given config.Grant) {
		for _, entry := range append(append([]string(nil), given.Allow...), given.Deny...) {
			rule, err := scope.New(nil, []string{entry})
			covers := false
			snapshot.Files(func(path vpath.Path) bool {
				covers = err != nil || !rule.Open(path)
				return !covers
			})
			if !covers {
				log.Warn("a rule covers no file of the vault", "of", whose, "rule", entry)
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
