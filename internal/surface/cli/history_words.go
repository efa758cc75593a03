package cli

import (
	"errors"
	"regexp"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/tool"
)

// toolWords are what the tools of the history say to whoever calls tools, and
// what a person types instead.
var toolWords = strings.NewReplacer(
	"list_changes", "obsidian-mcp history",
	"show_change", "obsidian-mcp history ID",
	"undo_change", "obsidian-mcp undo",
	"force=true", "--force",
)

// wholeHash is a hash of which a person compares the beginning.
var wholeHash = regexp.MustCompile(`\b([0-9a-f]{8})[0-9a-f]{56}\b`)

// inCommands puts an error of the history's tools into the words of the command
// line.
func inCommands(err error) error {
	if err == nil {
		return nil
	}
	said, hint := err.Error(), fault.HintOf(err)
	message, advice := wholeHash.ReplaceAllString(said, "$1…"), toolWords.Replace(hint)
	if needs, ok := errors.AsType[*tool.NeedsConfirm](err); ok {
		message, advice = "this changes "+amount.Of(needs.Notes, "note"), "--confirm "+needs.ID+" goes ahead"
	}
	if message == said && advice == hint {
		return err
	}
	return &fault.Error{Kind: fault.KindOf(err), Message: message, Hint: advice, Err: err}
}
