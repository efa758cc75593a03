package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/conflict"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/outside/vaultsync"
	"obsidian-mcp/internal/surface/web"
	"obsidian-mcp/internal/system/child"
	"obsidian-mcp/internal/vault"
)

// checkSync refuses a sync of a vault that is not in a folder: its database is the sync.
func checkSync(settings config.Config) error {
	if settings.Outside.Sync == nil {
		return nil
	}
	if dir, err := backendOf(settings).folder(settings); err == nil && dir == "" {
		return fault.InvalidArgument.Errorf("sync: only a vault in a folder can be synced").
			WithHint("remove `sync` from the config file: a LiveSync vault is always in sync")
	}
	return nil
}

// openSync makes the sync that the settings describe; nil if they describe none.
func openSync(opened openedStore, open *vault.Vault, settings config.Config, log *slog.Logger) *vaultsync.Syncer {
	configured := settings.Outside.Sync
	if configured == nil {
		return nil
	}
	return vaultsync.New(vaultsync.Options{
		Dir: opened.folder, Preset: configured.Preset, Remote: configured.Remote,
		Pull: configured.Pull, Push: configured.Push, Status: configured.Status, Timeout: configured.Timeout,
		Environment: outsideEnvironment(configured.Pass), Secrets: child.Secrets(os.Environ(), config.IsSecretVariable),
		StateDir: filepath.Join(settings.StateDir, opened.stateName), Vault: syncedVault{open}, Log: log,
	})
}

// keepSynced syncs by itself while the server runs, if the settings say so.
func (a *app) keepSynced(outside config.Outside) {
	if a.options.Sync == nil || outside.Sync.Every == 0 {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	a.stopSyncing = stop
	a.syncing.Go(func() { a.options.Sync.Every(ctx, outside.Sync.Every) })
}

// endSync ends a running sync, and those that run by themselves.
func (a *app) endSync() {
	if a.stopSyncing != nil {
		a.stopSyncing()
	}
	if a.options.Sync != nil {
		a.options.Sync.Close()
	}
	a.syncing.Wait()
}

// lastSync is what the page shows of the last sync; nil if none is configured.
func (a *app) lastSync() *web.Sync {
	if a.options.Sync == nil {
		return nil
	}
	last, _ := a.options.Sync.Last()
	shown := &web.Sync{Time: last.Time, Problem: last.Error}
	if len(last.Conflicts) > 0 && shown.Problem == "" {
		shown.Problem = "conflicts in " + strings.Join(last.Conflicts, ", ")
	}
	return shown
}

// besideChecks are doctor's checks of what is configured beside the vault.
func (a *app) besideChecks() []doctor.Check {
	var checks []doctor.Check
	if a.options.Sync != nil {
		checks = append(checks, doctor.Check{Name: "sync", Run: a.checkSyncing})
	}
	if a.options.Decisions != nil {
		checks = append(checks, doctor.Check{Name: "adr", Run: a.checkDecisions})
	}
	if a.obsidian != nil {
		checks = append(checks, doctor.Check{Name: "app", Run: a.checkObsidian})
	}
	return checks
}

// checkSyncing looks whether a sync could run, and how the last one ended.
func (a *app) checkSyncing(ctx context.Context) (found, worry string, err error) {
	found, err = a.options.Sync.Check(ctx)
	last, ok := a.options.Sync.Last()
	when := last.Time.Local().Format(time.DateTime)
	switch {
	case !ok:
		found += "; it has not run yet"
	case last.Error != "":
		worry = "the last sync, at " + when + ", failed: " + last.Error
	case len(last.Conflicts) > 0:
		worry = "the last sync, at " + when + ", left conflicts in " + strings.Join(last.Conflicts, ", ")
	default:
		found += "; the last sync was at " + when
	}
	return found, worry, err
}

// misleading are the variables that would make git work on another repository.
var misleading = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
}

// outsideEnvironment is what other programs see of our environment.
func outsideEnvironment(pass []string) []string {
	return slices.DeleteFunc(child.Environment(os.Environ(), config.IsSecretVariable, pass), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(misleading, name)
	})
}

// syncedVault is what a sync needs to know about a vault.
type syncedVault struct{ vault *vault.Vault }

// Changes implements vaultsync.Vault.
func (s syncedVault) Changes(ctx context.Context, since time.Time) ([]vaultsync.Change, error) {
	whole := s.vault.Whole()
	if !whole.HasHistory() {
		return nil, nil
	}
	var changes []vaultsync.Change
	err := whole.EachPastChange(ctx, func(past vault.PastChange) bool {
		if past.Time.Before(since) {
			return false
		}
		change := vaultsync.Change{ID: past.ID}
		for _, file := range past.Files {
			change.Paths = append(change.Paths, file.Path)
			if file.To != "" {
				change.Paths = append(change.Paths, file.To)
			}
		}
		changes = append(changes, change)
		return ctx.Err() == nil
	})
	slices.Reverse(changes)
	return changes, err
}

// Exclusively implements vaultsync.Vault.
func (s syncedVault) Exclusively(ctx context.Context, run func() error) error {
	return s.vault.Exclusively(ctx, run)
}

// Watch implements vaultsync.Vault.
func (s syncedVault) Watch(ctx context.Context) (func(context.Context) ([]string, error), error) {
	before, err := s.vault.Texts(ctx)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) ([]string, error) {
		changed, err := s.vault.Rescan(ctx, before)
		var conflicts []string
		for _, path := range changed {
			if s.isInConflict(ctx, path) {
				conflicts = append(conflicts, string(path))
			}
		}
		slices.Sort(conflicts)
		return conflicts, err
	}, nil
}

// isInConflict reports whether a file is a conflict copy or has conflict markers in it.
func (s syncedVault) isInConflict(ctx context.Context, path vpath.Path) bool {
	if _, isCopy := conflict.OriginalOf(string(path)); isCopy {
		return true
	}
	if ext := strings.ToLower(path.Ext()); ext != ".md" && ext != ".canvas" && ext != ".base" {
		return false
	}
	file, err := s.vault.Read(ctx, path, vault.MaxNote)
	return err == nil && conflict.HasMarkers(file.Data)
}
