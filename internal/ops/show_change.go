package ops

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
)

// ShowChange are the parameters of show_change.
type ShowChange struct {
	ID string `json:"id" jsonschema:"id from list_changes"`
}

var showChange = tool.New(tool.Spec{
	Name: "show_change", Toolset: "history", Title: "Show a change",
	About: "Shows what a change did, as a unified diff of each note. Long diffs are cut, and say so. Use list_changes to find ids.",
}, (*Ops).ShowChange)

// ShowChange shows what a change did.
func (o *Ops) ShowChange(ctx context.Context, in ShowChange) (tool.Text, error) {
	past, err := o.vault.PastChange(ctx, in.ID)
	if err != nil {
		return tool.Text{}, err
	}
	text := fmt.Sprintf("change %s, %s, %s by %s: %s\n", past.ID, past.Time.UTC().Format(time.RFC3339), past.Tool, who(past), o.summarise(ctx, past))
	for i, file := range past.Files {
		if len(text) > maxShownChange {
			text += fmt.Sprintf("\n… and %d more files\n", len(past.Files)-i)
			break
		}
		if err := ctx.Err(); err != nil {
			return tool.Text{}, err
		}
		shown, err := o.diffOf(ctx, past, file)
		if err != nil {
			return tool.Text{}, err
		}
		text += "\n" + shown
	}
	meta := tool.Meta{"time": past.Time.UTC().Format(time.RFC3339), "tool": past.Tool, "client": who(past), "session": past.Session}
	undone, err := o.isUndone(ctx, past.ID)
	if undone {
		meta["undone"] = true
	}
	return tool.Text{Text: text, Meta: meta}, err
}

// How much of a change is shown.
const (
	maxShownChange = 40_000 // bytes in all, about
	maxShownFile   = 12_000 // bytes of one file
	maxShownLine   = 500    // bytes of one line
	maxCompared    = 2 << 20
)

// diffOf shows what happened to one file.
func (o *Ops) diffOf(ctx context.Context, past vault.PastChange, file history.File) (string, error) {
	before, after := "a/"+file.Path, "b/"+file.Path
	head := ""
	switch {
	case file.Op == history.Move:
		after = "b/" + file.To
		head = fmt.Sprintf("rename from %s\nrename to %s\n", file.Path, file.To)
	case file.Op == history.Trash:
		after = "/dev/null"
		if file.Trash != "" {
			head = "trashed to " + file.Trash + "\n"
		}
	case file.Op == history.Side:
		after = "/dev/null"
		head = "side of the conflict\n"
	case !file.Before.Exists():
		before = "/dev/null"
	}
	if file.Before.Hash == file.After.Hash {
		return head, nil
	}
	old, err := o.shownContent(ctx, past, file.Before)
	if err != nil {
		return "", err
	}
	now, err := o.shownContent(ctx, past, file.After)
	if err != nil {
		return "", err
	}
	if old == nil || now == nil {
		return head + fmt.Sprintf("Files %s and %s differ (%d and %d bytes)\n", before, after, file.Before.Size, file.After.Size), nil
	}
	return head + cutDiff(unified(before, old, after, now)), nil
}

// shownContent returns text that can be compared; nil if the content is not text or is
// too large.
func (o *Ops) shownContent(ctx context.Context, past vault.PastChange, content history.Content) ([]byte, error) {
	switch {
	case !content.Exists():
		return []byte{}, nil
	case !content.Kept || content.Size > maxCompared:
		return nil, nil
	}
	data, err := o.vault.Content(ctx, past, content)
	if err != nil || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, err
	}
	return append([]byte{}, data...), nil
}

// unified returns a unified diff without its line "diff a b".
func unified(oldName string, old []byte, newName string, now []byte) string {
	text := string(diff.Diff(oldName, old, newName, now))
	_, text, _ = strings.Cut(text, "\n")
	return text
}

// cutDiff shortens long lines and cuts a long diff at the end of a line.
func cutDiff(text string) string {
	var out strings.Builder
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if out.Len() > maxShownFile {
			fmt.Fprintf(&out, "… %d more lines\n", len(lines)-i)
			break
		}
		out.WriteString(cutLine(line))
	}
	return out.String()
}

func cutLine(line string) string {
	if len(line) <= maxShownLine {
		return line
	}
	end := maxShownLine
	for !utf8.RuneStart(line[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes more)\n", line[:end], len(strings.TrimSuffix(line, "\n"))-end)
}
