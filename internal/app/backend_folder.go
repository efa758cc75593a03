package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/store/patient"
	"obsidian-mcp/internal/vault"
)

// folderBackend is a vault in a folder of this machine.
var folderBackend = backend{
	configured: func(settings config.Config) bool { return settings.VaultPath != "" || settings.Vault != "" },
	open:       openFolder,
	examine:    examineFolder,
	refuses:    refuseFolder,
	folder:     vaultFolder,
}

// openingTime is how long a server waits for the vault's folder before it serves without it.
const openingTime = time.Second

// openFolder opens the vault in the folder that the settings name. A folder on a drive that does not answer is opened
// as soon as it does.
func openFolder(settings config.Config, log *slog.Logger) (openedStore, error) {
	dir, err := vaultFolder(settings)
	if err != nil {
		return openedStore{}, err
	}
	resolved := realFolder(dir)
	if err := checkOutside(resolved, settings); err != nil {
		return openedStore{}, err
	}
	opener := &folderOpener{dir: dir, options: folder.Options{State: settings.StateDir, Log: log, RecoverLater: true}}
	files := patient.Open(patient.Options{
		Open: opener.open, Lost: opener.lost, Silent: doctor.ErrSilent, Explain: doctor.ExplainCall,
	})
	reach := func(ctx context.Context) error { return blameFolder(settings, dir, files.Reach(ctx)) }
	ctx, cancel := context.WithTimeout(context.Background(), openingTime)
	defer cancel()
	if err := reach(ctx); errors.Is(err, fault.VaultNotFound) {
		_ = files.Close()
		return openedStore{}, err
	}
	return openedStore{
		files: files, id: folderID(settings, dir), cache: folderCache(settings, resolved),
		stateName: folder.ID(resolved), probe: reach,
		inspect: func(ctx context.Context, r *doctor.Report, folders int) { r.InspectFolder(ctx, files, folders) },
		kind:    "folder", location: resolved, folder: resolved,
		variables: []clients.Variable{{Name: "OBSIDIAN_VAULT_PATH", Value: resolved}},
	}, nil
}

// examineFolder opens a vault in a folder for doctor.
func examineFolder(ctx context.Context, r *doctor.Report, settings config.Config, begun *startup) (openedStore, bool) {
	opened, err := openFolder(settings, begun.log)
	if err != nil {
		r.Failure("vault", err)
		return openedStore{}, false
	}
	if err := begun.await(ctx, opened, settings.CallTimeout); err != nil {
		_ = opened.files.Close()
		r.Failure("vault", err)
		return openedStore{}, false
	}
	dir, _ := vaultFolder(settings) // as the settings write it
	r.Folder(ctx, settings, dir, opened.files)
	return opened, true
}

// refuseFolder says why the folder that the settings name cannot be opened.
func refuseFolder(settings config.Config) error {
	dir, err := vaultFolder(settings)
	if err != nil {
		return err
	}
	if err := checkOutside(realFolder(dir), settings); err != nil {
		return err
	}
	return blameFolder(settings, dir, doctor.CheckFolder(dir))
}

// folderCache is where the index of a folder is kept: each folder has a file of its own.
func folderCache(settings config.Config, dir string) vault.Cache {
	if settings.CacheDir == "" {
		return vault.Cache{}
	}
	return vault.Cache{File: cacheFile(settings, dir, ".idx"), Owner: dir}
}

// blameFolder adds to an error which setting names the folder that cannot be opened.
func blameFolder(settings config.Config, dir string, err error) error {
	if err == nil || fault.KindOf(err) == fault.Internal {
		return err
	}
	setting := "vault_path"
	if settings.VaultPath == "" {
		setting = "vault"
	}
	return &fault.Error{
		Kind: fault.KindOf(err), Message: fmt.Sprintf("%s (%s): %s", settings.From(setting), dir, err),
		Hint: fault.HintOf(err), Err: err,
	}
}
