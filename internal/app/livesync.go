package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/transfer"
	"obsidian-mcp/internal/surface/cli"
)

// liveSyncCommands act on the database that the settings name, whatever folder
// they may name too.
var liveSyncCommands = cli.LiveSync{Pull: pull, Push: push, Verify: verify}

// pull copies the database's files into a folder.
func pull(ctx context.Context, settings config.Config, dir string, o cli.CopyOptions) (transfer.Summary, error) {
	if err := freeForFolder(dir); err != nil {
		return transfer.Summary{}, err
	}
	settings.ReadOnly = true
	database, err := connectLiveSync(ctx, settings)
	if err != nil {
		return transfer.Summary{}, err
	}
	defer database.Close()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return transfer.Summary{}, fault.PermissionDenied.Errorf("the folder cannot be made: %w", err)
	}
	files, err := openCopy(settings, dir)
	if err != nil {
		return transfer.Summary{}, err
	}
	defer files.Close()
	return transfer.Copy(ctx, database, files, o.Transfer)
}

// push copies a folder's files into the database.
func push(ctx context.Context, settings config.Config, dir string, o cli.CopyOptions) (transfer.Summary, error) {
	if settings.ReadOnly {
		return transfer.Summary{}, fault.PermissionDenied.Errorf("nothing is pushed: OBSIDIAN_MCP_READ_ONLY is set")
	}
	files, err := openCopy(settings, dir)
	if err != nil {
		return transfer.Summary{}, err
	}
	defer files.Close()
	database, err := connectLiveSync(ctx, settings)
	if err != nil {
		return transfer.Summary{}, err
	}
	defer database.Close()
	about, err := database.About(ctx)
	if err == nil {
		err = about.Writable
	}
	if err != nil {
		return transfer.Summary{}, err
	}
	if about.Fresh && o.Notice != nil {
		o.Notice(fmt.Sprintf("the database '%s' is empty; it becomes a new LiveSync vault: %s", about.Database, doctor.DescribeFormat(about.Settings)))
	}
	return transfer.Copy(ctx, files, database, o.Transfer)
}

// freeForFolder refuses a path where something else than a folder is.
func freeForFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.InvalidArgument.Errorf("%w", err)
	case !info.IsDir():
		return fault.InvalidArgument.Errorf("%s is a file; give a folder, or one that is to be made", dir)
	}
	return nil
}

// openCopy opens the folder that is the vault's copy.
func openCopy(settings config.Config, dir string) (*folder.Folder, error) {
	return folder.Open(dir, folder.Options{State: settings.StateDir, Log: commandLogger(settings)})
}

// patience is how long a command that has all the time waits for a slow
// database.
const patience = 2 * time.Minute

// connectLiveSync opens the database and waits until it answers.
func connectLiveSync(ctx context.Context, settings config.Config) (*livesync.Store, error) {
	begun := newStartup(commandLogger(settings))
	database, err := openLiveSync(settings, begun.log)
	if err != nil {
		return nil, err
	}
	if err := begun.await(ctx, openedLiveSync(database, settings), max(settings.CallTimeout, patience)); err != nil {
		_ = database.Close()
		return nil, err
	}
	return database, nil
}

// verify reads every document.
func verify(ctx context.Context, settings config.Config, o cli.VerifyOptions) (cli.Verified, error) {
	settings.ReadOnly = true
	database, err := connectLiveSync(ctx, settings)
	if err != nil {
		return cli.Verified{}, err
	}
	defer database.Close()
	seen, err := database.Verify(ctx, o.Progress, func(found livesync.Problem) {
		o.Found(cli.Problem{Where: doctor.ProblemName(found), What: problemText(found), Advice: doctor.ProblemRemedies[found.Kind]})
	})
	return cli.Verified(seen), err
}

func problemText(found livesync.Problem) string {
	if found.Err == nil {
		return string(found.Kind)
	}
	return fmt.Sprintf("%s (%s)", found.Kind, found.Err)
}
