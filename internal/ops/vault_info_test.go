package ops_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/periodic"
)

// vaultInfo asks for vault_info on a vault in memory.
func vaultInfo(t *testing.T, files, config map[string]string, given vault.Given, open scope.Scope) tool.Answer {
	t.Helper()
	s := mem.New(files)
	for name, text := range config {
		s.SetConfig(name, text)
	}
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{Given: given})
	t.Cleanup(func() { v.Close() })
	_, tools := ops.New(v.View(open), ops.Options{VaultID: "v", Now: onMonday, Zone: time.FixedZone("Test/Zone", 15*3600), ZoneSource: "test"})
	answer, err := invoke(t.Context(), t, tools, "vault_info", nil)
	if err != nil {
		t.Fatal(err)
	}
	called, _ := tools.Find("vault_info")
	checkOutput(t, called, answer)
	return answer
}

// TestVaultInfoOfAnEmptyVault: every key is there, and no list is null. It is Tuesday already in the user's zone.
func TestVaultInfoOfAnEmptyVault(t *testing.T) {
	answer := vaultInfo(t, nil, nil, vault.Given{}, scope.Scope{})
	want := `{"vault":"v","today":"2026-11-17","timezone":"Test/Zone","notes":0,"folders":[],` +
		`"daily":{"folder":"","format":"YYYY-MM-DD","template":"","path_today":"2026-11-17.md","exists":false},"periods":{},"templates":[],` +
		`"properties":[],"tags":{"count":0,"top":[]},"new_note_folder":"","attachment_folder":"","link_style":"wikilinks, shortest path","plugins":[]}`
	if diff := cmp.Diff(want, answer.Text); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if hints := answer.HintLines(); len(hints) != 1 || !strings.Contains(hints[0], "daily: core plugin Daily notes;") {
		t.Errorf("hints: %q", hints)
	}
}

// TestVaultInfoWithBrokenSettings: settings that are not valid count as missing, and the answer says which they are.
func TestVaultInfoWithBrokenSettings(t *testing.T) {
	long := strings.Repeat(`\"`, 5000)
	answer := vaultInfo(t, map[string]string{"A.md": "---\nx: 1\n---\n"}, map[string]string{
		"app.json": `{"attachmentFolderPath":`, "daily-notes.json": `{"folder":7,"format":"[` + long + `]"}`, "types.json": `{"types":{"x":5}}`,
		"community-plugins.json": `{"periodic-notes":true}`, "core-plugins.json": `"on"`, "templates.json": `{"folder":"../out"}`,
	}, vault.Given{}, scope.Scope{})
	if len(answer.Text) > 8<<10 || !strings.Contains(answer.Text, `"path_today":""`) || !strings.Contains(answer.Text, `{"name":"x","type":"number"`) {
		t.Errorf("%d bytes: %s", len(answer.Text), answer.Text)
	}
	want := "Tell the user: the settings of daily notes give no usable path; " +
		"Obsidian's settings in app.json, community-plugins.json, daily-notes.json, types.json cannot be read."
	if hints := answer.HintLines(); len(hints) != 2 || hints[0] != want {
		t.Errorf("hints: %q", hints)
	}
}

// TestVaultInfoWithGivenSettings: the config file gives what the vault does not say, and overrides what it does.
func TestVaultInfoWithGivenSettings(t *testing.T) {
	folder, template, attached := "Log", "Day", "files"
	templates := vpath.Path("T")
	answer := vaultInfo(t, map[string]string{"T/Day.md": "", "Log/2026-11-17.md": "", "Other/x.md": ""},
		map[string]string{"daily-notes.json": `{"folder":"Other"}`, "templates.json": `{"folder":"Other"}`, "app.json": `{"attachmentFolderPath":"Other"}`},
		vault.Given{
			Periods:   map[periodic.Period]periodic.Override{periodic.Daily: {Folder: &folder, Template: &template}, periodic.Yearly: {Folder: &folder}},
			Templates: &templates, Attachments: &attached,
		}, scope.Scope{})
	for _, want := range []string{
		`"daily":{"folder":"Log","format":"YYYY-MM-DD","template":"T/Day.md","path_today":"Log/2026-11-17.md","exists":true}`,
		`"periods":{"yearly":{"folder":"Log","format":"YYYY","template":"","path_today":"Log/2026.md","exists":false}}`,
		`"templates":["T/Day.md"]`, `"attachment_folder":"files"`,
	} {
		if !strings.Contains(answer.Text, want) {
			t.Errorf("%s is missing in %s", want, answer.Text)
		}
	}
	want := "Settings come from: daily: core plugin Daily notes, but the folder and template from the config file; " +
		"yearly: default, but the folder from the config file; templates: config file; attachments: config file; time zone: test."
	if hints := answer.HintLines(); len(hints) != 1 || hints[0] != want {
		t.Errorf("hints: %q", hints)
	}
}

// TestVaultInfoOfALargeVault: the answer is bounded, uses the room, says what was cut, and cuts no list to nothing.
func TestVaultInfoOfALargeVault(t *testing.T) {
	files := map[string]string{}
	for i := range 600 {
		files[fmt.Sprintf("Folder %d/Some subfolder %d/Note %d.md", i%40, i, i)] = fmt.Sprintf(
			"---\nproperty %d: \"<value> %d\"\nstatus: s%d\ntags: [tag%d, common]\n---\n", i, i, i%7, i)
		files[fmt.Sprintf("Templates/Template with a long name %d.md", i)] = ""
	}
	plugins := `["a"`
	for i := range 100 {
		plugins += fmt.Sprintf(`,"plugin-%d"`, i)
	}
	answer := vaultInfo(t, files, map[string]string{"templates.json": `{"folder":"Templates"}`, "community-plugins.json": plugins + "]"}, vault.Given{}, scope.Scope{})
	if size := len(answer.Text); size > 8<<10 || size < 8<<10-200 {
		t.Errorf("%d bytes", size)
	}
	for _, want := range []string{`"path":"Templates","notes":600`, `"path":"Folder 0","notes":15`, `"name":"status","type":"text","notes":600,"values":["s0","s1"`, `"tag":"common","notes":600`, `"count":601`} {
		if !strings.Contains(answer.Text, want) {
			t.Errorf("%s is missing in %s", want, answer.Text)
		}
	}
	hint := answer.HintLines()[0]
	for _, want := range []string{" of 641 folders", " of 600 templates", " of 602 properties", " of 601 tags"} {
		if !strings.Contains(hint, want) || strings.Contains(hint, " 0"+want) {
			t.Errorf("the hint does not say %q: %s", want, hint)
		}
	}
}

// TestVaultInfoForALimitedCaller: what the settings say about closed folders is left out, the rest is there.
func TestVaultInfoForALimitedCaller(t *testing.T) {
	files := map[string]string{
		"Open/A.md": "---\nrating: 4\n---\n#seen", "private/B.md": "---\nhidden: x\n---\n#unseen", "private/Day.md": "", "Open/T/Week.md": "",
	}
	config := map[string]string{
		"app.json":         `{"newFileLocation":"folder","newFileFolderPath":"private/new","attachmentFolderPath":"private/files"}`,
		"daily-notes.json": `{"folder":"private","format":"YYYY","template":"Day"}`, "templates.json": `{"folder":"private"}`,
		"community-plugins.json": `["periodic-notes","templater-obsidian"]`, "plugins/templater-obsidian/data.json": `{"templates_folder":"Open/T"}`,
		"plugins/periodic-notes/data.json": `{"weekly":{"enabled":true,"folder":"Open","template":"Week"},"monthly":{"enabled":true,"folder":"Open","template":"private/Day"},"yearly":{"enabled":true,"format":"[private]/YYYY"}}`,
		"types.json":                       `{"types":{"rating":"number","hidden":"date"}}`,
	}
	answer := vaultInfo(t, files, config, vault.Given{}, withoutPrivate(t))
	want := `{"vault":"v","today":"2026-11-17","timezone":"Test/Zone","notes":2,"folders":[{"path":"Open","notes":2},{"path":"Open/T","notes":1}],` +
		`"daily":{"folder":"","format":"","template":"","path_today":"","exists":false},` +
		`"periods":{"weekly":{"folder":"Open","format":"gggg-[W]ww","template":"Open/T/Week.md","path_today":"Open/2026-W47.md","exists":false},` +
		`"monthly":{"folder":"Open","format":"YYYY-MM","template":"","path_today":"Open/2026-11.md","exists":false}},` +
		`"templates":["Open/T/Week.md"],"properties":[{"name":"rating","type":"number","notes":1,"values":["4"]}],"tags":{"count":1,"top":[{"tag":"seen","notes":1}]},` +
		`"new_note_folder":"","attachment_folder":"","link_style":"wikilinks, path from the root","plugins":["periodic-notes","templater-obsidian"]}`
	if diff := cmp.Diff(want, answer.Text); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if hints := fmt.Sprint(answer.HintLines(), answer.Meta); strings.Contains(hints, "private") || strings.Contains(hints, "Day") {
		t.Errorf("hints: %s", hints)
	}
}
