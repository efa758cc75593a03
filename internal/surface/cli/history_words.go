package cli

import (
	"errors"
	"regexp"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/tool"
)

// toolWords replaces the names of tools and parameters with what a person types.
var toolWords = strings.NewReplacer(
	"list_changes", "obsidian-mcp history",
	"show_change", "obsidian-mcp history ID",
	"undo_change", "obsidian-mcp undo",
	"force=true", "--force",
)

// wholeHash matches a hash; its first eight digits are enough for a person to compare.
var wholeHash = regexp.MustCompile(`\b([0-9a-f]{8})[0-9a-f]{56}\b`)

// inCommands rewords an error of the history tools for the command line.
func inCommands(err error) error {
	if err == nil {
		return nil
	}
	original, hint := err.Error(), fault.HintOf(err)
	message, advice := wholeHash.ReplaceAllString(original, "$1…"), toolWords.Replace(hint)
	if needs, ok := errors.AsType[*tool.NeedsConfirm](err); ok {
		message, advice = "this changes "+amount.Of(needs.Notes, "note"), "--confirm "+needs.ID+" goes ahead"
	}
	if message == original && advice == hint {
		return err
	}
	return &fault.Error{Kind: fault.KindOf(err), Message: message, Hint: advice, Err: err}
}
