package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/text/visible"
)

// LostOptions say where to report lines that a sync has dropped.
type LostOptions struct {
	Progress func(done, total int)
	Found    func(LostLine)
}

// LostLine is a line of a note that a sync has dropped.
type LostLine struct {
	Path string
	Line int
	Text string
	Rev  string
	Time time.Time
	How  string
}

// LostSummary counts what was examined, and what was found.
type LostSummary struct{ Notes, Revisions, Lines int }

// listLost lists the lines that a sync has dropped.
func (p Program) listLost(cmd *cobra.Command, settings config.Config) error {
	line := p.progress(cmd, "notes")
	sum, err := p.LiveSync.Lost(cmd.Context(), settings, LostOptions{
		Progress: line.show,
		Found: func(lost LostLine) {
			line.print(p.Out, fmt.Sprintf("%s:%d: %s (revision %s of %s: %s)",
				visible.Name(lost.Path), lost.Line, visible.Name(lost.Text), lost.Rev, lost.Time.UTC().Format(time.RFC3339), lost.How))
		},
	})
	line.clear()
	if err != nil {
		return stopped(err, "nothing was changed")
	}
	outcome := "no line was lost"
	if sum.Lines > 0 {
		outcome = amount.Of(sum.Lines, "line") + " lost"
	}
	_, err = fmt.Fprintf(p.Out, "%s, %s; %s\n", amount.Of(sum.Notes, "file"), amount.Of(sum.Revisions, "revision"), outcome)
	if sum.Lines > 0 && err == nil {
		return &exit{1}
	}
	return err
}
