package vault

import (
	"context"
	"slices"

	"obsidian-mcp/internal/note/task"
)

// Tasks are the settings of the plugin Tasks.
type Tasks struct {
	task.Settings
	GlobalQuery string
	Presets     map[string]string

	// IsPlain is set if the vault is known not to use the plugin: then Obsidian only ticks boxes.
	IsPlain bool
	// Unreadable are the files of settings that could not be read, or are not valid.
	Unreadable []string
}

const (
	tasksID         = "obsidian-tasks-plugin"
	tasksFile       = "plugins/" + tasksID + "/data.json"
	pluginsFile     = "community-plugins.json"
	corePluginsFile = "core-plugins.json"
)

// Tasks reads the settings of the plugin Tasks.
func (v *Vault) Tasks(ctx context.Context) Tasks {
	files := v.readConfig(ctx, pluginsFile, corePluginsFile, appFile, tasksFile)
	var plugins []string
	files.decode(pluginsFile, &plugins)
	var file task.File
	if files.decode(tasksFile, &file); files.bad[tasksFile] {
		file = task.File{}
	}
	has := func(name string) bool { return files.texts[name] != nil }
	isKnown := has(pluginsFile) || !has(tasksFile) && (has(corePluginsFile) || has(appFile))
	t := Tasks{GlobalQuery: file.GlobalQuery, Presets: file.QueryPresets(), Unreadable: files.unreadable()}
	if t.IsPlain = isKnown && !slices.Contains(plugins, tasksID); t.IsPlain {
		file = task.File{}
		t.GlobalQuery = ""
	}
	if t.Settings = file.Settings(v.given.Locale); t.IsPlain {
		t.Statuses = append(t.Statuses, task.Status{Symbol: "X", Name: "Done", Next: " ", Type: task.Done})
	}
	return t
}
