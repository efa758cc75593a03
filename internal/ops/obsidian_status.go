package ops

import (
	"cmp"
	"context"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/outside/obsidian"
	"obsidian-mcp/internal/tool"
)

// App is the Obsidian app.
type App interface {
	// Status asks what the app shows. It never starts the app.
	Status(context.Context) (obsidian.State, error)
	// Open shows a file; Search shows the results of a search. Both may start the app.
	Open(context.Context, obsidian.File) error
	Search(ctx context.Context, query string) error
	// Command runs a command of the app, and returns what it printed. It never starts the app.
	Command(ctx context.Context, id string) (string, error)
	// Selector names the vault in links.
	Selector() string
}

// ObsidianStatus has no parameters.
type ObsidianStatus struct{}

// AppState is the result of obsidian_status.
type AppState struct {
	Running bool     `json:"running"`
	Version string   `json:"version"`
	Vault   string   `json:"vault"`
	Active  string   `json:"active_note"`
	Tabs    []string `json:"tabs"`
	Recent  []string `json:"recent"`
}

var obsidianStatus = tool.New(tool.Spec{
	Name: "obsidian_status", Toolset: "app", Title: "What Obsidian shows", Effect: tool.Reads, Needs: tool.NeedsApp,
	About: "Shows whether the Obsidian app is running, and which note the user is looking at: the active note, open tabs, recent files. It never starts the app. Use read_note to read the note.",
}, (*Ops).ObsidianStatus)

// ObsidianStatus says what the app shows.
func (o *Ops) ObsidianStatus(ctx context.Context, _ ObsidianStatus) (AppState, error) {
	state, err := o.app.Status(ctx)
	if problem := state.Problem; problem != nil {
		tool.AddHint(ctx, tool.HintSuggest, "%s: %s.", problem, cmp.Or(fault.HintOf(problem), "try again"))
	}
	return AppState{
		state.Running, state.Version, state.Vault, state.Active,
		append([]string{}, state.Tabs...), append([]string{}, state.Recent...),
	}, err
}
