package vault_test

import (
	"log/slog"
	"testing"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
)

// TestTemplatesOfNewNotes: Templater's rules choose the template of the nearest folder, or of the first expression that
// matches the path.
func TestTemplatesOfNewNotes(t *testing.T) {
	const folders = `"folder_templates":[{"folder":"/","template":"T/Any"},{"folder":"Work","template":"T/Work"},{"folder":"Work/Empty","template":""}]`
	const paths = `"file_templates":[{"regex":"(","template":"T/Bad"},{"regex":"^Work/.*2026","template":"T/Year"},{"regex":".*","template":"T/Any"}]`
	for settings, want := range map[string]map[vpath.Path]string{
		`{"trigger_on_file_creation_mode":"folder",` + folders + `,` + paths + `}`: {
			"a.md": "T/Any", "Work/a.md": "T/Work", "Work/Deep/a.md": "T/Work", "Work/Empty/a.md": "T/Work", "Workshop/a.md": "T/Any",
		},
		`{"trigger_on_file_creation_mode":"regex",` + folders + `,` + paths + `}`:                         {"a.md": "T/Any", "Work/2026.md": "T/Year"},
		`{"trigger_on_file_creation_mode":"none",` + folders + `}`:                                        {"a.md": ""},
		`{"trigger_on_file_creation":true,"enable_folder_templates":true,` + folders + `}`:                {"Work/a.md": "T/Work"},
		`{"trigger_on_file_creation":false,"enable_folder_templates":true,` + folders + `}`:               {"Work/a.md": ""},
		`{"trigger_on_file_creation":true,"enable_file_templates":true,` + folders + `,` + paths + `}`:    {"Work/2026.md": "T/Year"},
		`{"trigger_on_file_creation_mode":"folder","folder_templates":[{"folder":"W","template":"T/W"}]}`: {"a.md": "", "W/a.md": "T/W"},
		`{"trigger_on_file_creation_mode":`:                                                               {"a.md": ""},
	} {
		s := mem.New(nil)
		s.SetConfig("community-plugins.json", `["templater-obsidian"]`)
		s.SetConfig("plugins/templater-obsidian/data.json", settings)
		v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
		for path, template := range want {
			if got := v.Whole().NewNoteTemplate(t.Context(), path); got != template {
				t.Errorf("%s: the template of %s is %q, want %q", settings, path, got, template)
			}
		}
		v.Close()
	}
}
