package vault

import (
	"context"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault/periodic"
)

// Settings are the settings of Obsidian that tools obey.
type Settings struct {
	Links    edit.LinkStyle
	NewNotes vpath.Path // the folder for new notes
	Excluded []string   // filters for files that search must not show
}

// Settings reads Obsidian's settings. Missing or unreadable ones get Obsidian's
// defaults.
func (v *Vault) Settings(ctx context.Context) Settings {
	return readSettings(v.readConfig(ctx, appFile).decode)
}

// appFile holds the settings that tools obey.
const appFile = "app.json"

func readSettings(decode periodic.Decoder) Settings {
	var app struct {
		NewLinkFormat     string `json:"newLinkFormat"`
		UseMarkdownLinks  bool   `json:"useMarkdownLinks"`
		NewFileLocation   string `json:"newFileLocation"`
		NewFileFolderPath string `json:"newFileFolderPath"`

		UserIgnoreFilters []string `json:"userIgnoreFilters"`
	}
	decode(appFile, &app)
	settings := Settings{
		Links:    edit.LinkStyle{Format: edit.ParseLinkFormat(app.NewLinkFormat), Markdown: app.UseMarkdownLinks},
		Excluded: app.UserIgnoreFilters,
	}
	if app.NewFileLocation == "folder" {
		settings.NewNotes, _ = vpath.Parse(app.NewFileFolderPath)
	}
	return settings
}
