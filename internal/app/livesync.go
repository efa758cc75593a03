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

// liveSyncCommands act on the database that the settings name, even if they also name a folder.
func liveSyncCommands() cli.LiveSync {
	commands := cli.LiveSync{Pull: pull, Push: push, Verify: verify, Lost: lost}
	if !cli.InContainer {
		commands.Setup, commands.Device = setupLiveSync, linkForDevice
	}
	return commands
}

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
		return transfer.Summary{}, fault.PermissionDenied.Errorf("cannot create the folder: %w", err)
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
		o.Notice(fmt.Sprintf("the database '%s' is empty; it becomes a new LiveSync vault: %s",
			about.Database, doctor.DescribeFormat(about.Settings)))
	}
	return transfer.Copy(ctx, files, database, o.Transfer)
}

// freeForFolder refuses the path of anything but a folder. The folder need not exist yet.
func freeForFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.InvalidArgument.Errorf("%w", err)
	case !info.IsDir():
		return fault.InvalidArgument.Errorf("%s is a file; name a folder, which need not exist yet", dir)
	}
	return nil
}

// openCopy opens the folder with the copy of the vault.
func openCopy(settings config.Config, dir string) (*folder.Folder, error) {
	return folder.Open(dir, folder.Options{State: settings.StateDir, Log: commandLogger(settings)})
}

// patience is how long a command waits for a slow database. Unlike a call, it has no client that gives up sooner.
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
	verified, err := database.Verify(ctx, o.Progress, func(found livesync.Problem) {
		o.Found(cli.Problem{
			Where: doctor.ProblemName(found), What: problemText(found), Advice: doctor.ProblemRemedies[found.Kind],
		})
	})
	return cli.Verified(verified), err
}

// lost lists the lines that a sync has dropped.
func lost(ctx context.Context, settings config.Config, o cli.LostOptions) (cli.LostSummary, error) {
	settings.ReadOnly = true
	database, err := connectLiveSync(ctx, settings)
	if err != nil {
		return cli.LostSummary{}, err
	}
	defer database.Close()
	sum, err := database.Lost(ctx, o.Progress, func(line livesync.LostLine) {
		o.Found(cli.LostLine{Path: line.Path, Line: line.Line, Text: line.Text, Rev: line.Rev, Time: line.Modified, How: string(line.How)})
	})
	return cli.LostSummary(sum), err
}

func problemText(found livesync.Problem) string {
	if found.Err == nil {
		return string(found.Kind)
	}
	return fmt.Sprintf("%s (%s)", found.Kind, found.Err)
}
