package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/transfer"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/text/visible"
)

// LiveSync holds the operations on a whole LiveSync vault.
type LiveSync struct {
	Pull   copyFunc
	Push   copyFunc
	Verify func(ctx context.Context, settings config.Config, o VerifyOptions) (Verified, error)
	Lost   func(ctx context.Context, settings config.Config, o LostOptions) (LostSummary, error)
	Setup  func(ctx context.Context, settings config.Config, o SetupOptions) (config.LiveSync, error)
	Device func(ctx context.Context, settings config.Config, o DeviceOptions) (DeviceLink, error)
}

// CopyOptions say how to copy a vault and where to report.
type CopyOptions struct {
	Transfer transfer.Options
	Notice   func(string) // receives warnings before copying begins
}

// VerifyOptions say where to report.
type VerifyOptions struct {
	Progress func(done, total int)
	Found    func(Problem)
}

// Problem is something wrong with a document.
type Problem struct{ Where, What, Advice string }

// Verified counts what was checked.
type Verified struct {
	Files    int
	Trashed  int
	Bytes    int64
	Problems int
}

func (p Program) livesync() *cobra.Command {
	group := &cobra.Command{Use: "livesync", Short: "set up a LiveSync vault, copy it to or from a folder, or check it", Args: noArgs,
		Long: "Works on the LiveSync vault that COUCHDB_BASE_URL, COUCHDB_DATABASE_NAME, COUCHDB_USER, COUCHDB_PASSWORD " +
			"and VAULT_PASSPHRASE name, or that the config file names, which setup writes.\n" +
			"It never deletes anything and skips hidden files. After an interruption, the same command continues the copy.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	group.AddCommand(
		p.copyVault("pull DIR", "copy the vault's files into a folder", p.LiveSync.Pull),
		p.copyVault("push DIR", "copy a folder's files into the vault", p.LiveSync.Push),
		p.verify(),
	)
	if !InContainer {
		group.AddCommand(p.setup())
	}
	return group
}

// copyFunc copies a vault in one direction.
type copyFunc func(ctx context.Context, settings config.Config, dir string, o CopyOptions) (transfer.Summary, error)

// copyVault makes the command that copies in one direction.
func (p Program) copyVault(use, short string, run copyFunc) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: oneFolder}
	overwrite := cmd.Flags().Bool("overwrite", false,
		"replace existing files that differ; otherwise they are listed and left alone")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		settings, err := p.settings(cmd)
		if err != nil {
			return err
		}
		line := p.progress(cmd, "files")
		options := CopyOptions{Transfer: transfer.Options{Overwrite: *overwrite, Progress: line.show,
			Report: func(outcome transfer.Outcome) { p.printOutcome(line, outcome) }}}
		if !line.quiet() {
			options.Notice = func(text string) { line.print(p.Err, "obsidian-mcp: "+text) }
		}
		summary, err := run(cmd.Context(), settings, args[0], options)
		line.clear()
		if summary.Files() > 0 || err == nil {
			fmt.Fprintln(p.Out, describeCopy(summary))
		}
		return copyStatus(summary, stopped(err, "run the same command again to continue"))
	}
	return cmd
}

func oneFolder(_ *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return &usage{errors.New("which folder? Give exactly one")}
	}
	return nil
}

// printOutcome prints a line for a file that was not copied.
func (p Program) printOutcome(line *progress, outcome transfer.Outcome) {
	switch {
	case outcome.Result == transfer.Different && !line.quiet():
		line.print(p.Err, visible.Name(string(outcome.Path))+": differs, left alone")
	case outcome.Result == transfer.Unreadable, outcome.Result == transfer.Refused:
		text := fmt.Sprintf("%s: %s: %s", visible.Name(string(outcome.Path)), outcome.Result, outcome.Err)
		if hint := fault.HintOf(outcome.Err); hint != "" {
			text += "; " + hint
		}
		line.print(p.Err, text)
	}
}

func describeCopy(s transfer.Summary) string {
	text := fmt.Sprintf("%s created, %d replaced, %d the same", amount.Of(s.Created, "file"), s.Replaced, s.Same)
	for _, rest := range []struct {
		count int
		what  string
	}{
		{s.Different, "different and left alone (--overwrite replaces them)"}, {s.Unreadable, "unreadable"}, {s.Refused, "refused"},
	} {
		if rest.count > 0 {
			text += fmt.Sprintf(", %d %s", rest.count, rest.what)
		}
	}
	return text + fmt.Sprintf("; %d bytes written", s.Bytes)
}

// copyStatus chooses the exit status: a file that could not be copied outweighs one that was left alone.
func copyStatus(summary transfer.Summary, err error) error {
	switch {
	case err != nil:
		return err
	case summary.First != nil:
		return &exit{exitStatus(fault.KindOf(summary.First))}
	case summary.Different > 0:
		return &exit{exitStatus(fault.Conflict)}
	}
	return nil
}

// stopped replaces the error of a cancelled command with a plain one.
func stopped(err error, hint string) error {
	if errors.Is(err, context.Canceled) {
		return fault.Internal.Errorf("stopped").WithHint("%s", hint)
	}
	return err
}

func (p Program) verify() *cobra.Command {
	cmd := &cobra.Command{Use: "verify", Args: noArgs,
		Short: "read every document of the vault with all its chunks, and list problems"}
	lost := cmd.Flags().Bool("lost", false, "instead, list lines of notes that a sync dropped, in the revisions that CouchDB still has")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		settings, err := p.settings(cmd)
		switch {
		case err != nil:
			return err
		case *lost:
			return p.listLost(cmd, settings)
		}
		line := p.progress(cmd, "files")
		verified, err := p.LiveSync.Verify(cmd.Context(), settings, VerifyOptions{
			Progress: line.show,
			Found: func(found Problem) {
				line.print(p.Out, fmt.Sprintf("%s: %s: %s", visible.Name(found.Where), found.What, found.Advice))
			},
		})
		line.clear()
		if err != nil {
			return stopped(err, "nothing was changed")
		}
		return p.concludeVerify(verified)
	}
	return cmd
}

func (p Program) concludeVerify(verified Verified) error {
	outcome := "all is well"
	if verified.Problems > 0 {
		outcome = amount.Of(verified.Problems, "problem")
	}
	_, err := fmt.Fprintf(p.Out, "%s (%d bytes), %d in the trash; %s\n",
		amount.Of(verified.Files, "file"), verified.Bytes, verified.Trashed, outcome)
	if verified.Problems > 0 && err == nil {
		return &exit{1}
	}
	return err
}
