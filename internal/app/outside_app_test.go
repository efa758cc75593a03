//go:build unix

package app

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// obsidianApp is a vault with settings that use the Obsidian app, whose command line program is a fake.
type obsidianApp struct {
	vault     string
	variables []string
	calls     string // the file that records the runs of the program
}

// newObsidianApp writes the config file, followed by other lines, for a program that behaves in a mode.
func newObsidianApp(t *testing.T, mode string, config ...string) obsidianApp {
	t.Helper()
	program, err := filepath.Abs("../outside/obsidian/testdata/obsidian-cli")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	vault, calls := filepath.Join(dir, "My vault"), filepath.Join(dir, "calls")
	writeFiles(t, dir, map[string]string{
		"My vault/Plans/Trip.md":        "# Next steps\n",
		"config/obsidian-mcp.yaml":      "app: true\napp_program: " + program + "\napp_commands: [daily-notes, \"editor:save-file\"]\n" + strings.Join(config, "\n"),
		"config/obsidian/obsidian.json": `{"vaults":{"0123":{"path":"` + vault + `"}}}`,
	})
	return obsidianApp{vault, []string{
		"XDG_CONFIG_HOME=" + filepath.Join(dir, "config"), "XDG_RUNTIME_DIR=" + dir, "DISPLAY=:0", "PORT=0", "SECRET_TOKEN=swordfish",
		"OBSIDIAN_MCP_CONTEXT=off", "FAKE_MODE=" + mode, "FAKE_VAULT=" + vault, "FAKE_CALLS=" + calls,
	}, calls}
}

// run runs a command of the program in a shell.
func (o obsidianApp) run(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := command(t, o.vault, args...)
	cmd.Env = append(cmd.Env, o.variables...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if _, exited := err.(*exec.ExitError); !exited {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func (o obsidianApp) recorded(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(o.calls)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(content)
}

var appTools = []string{"obsidian_status", "obsidian_open", "obsidian_command"}

func TestObsidianAppIsOfferedWhereConfigured(t *testing.T) {
	t.Parallel()
	without := start(t, t.TempDir())
	without.initialize("2025-11-25")
	limited, entry := testToken("phone", "allow: [Plans/]")
	reader, second := testToken("reader", "read_only: true")
	whole, third := testToken("laptop")
	app := newObsidianApp(t, "", "tokens:\n"+entry+second+third)
	server := startHTTP(t, app.vault, app.variables...)
	for _, c := range []rpcCaller{without, server.session(limited), server.session(reader)} {
		listed := listedTools(t, c)
		for _, name := range appTools {
			if listed[name] {
				t.Errorf("%s is offered", name)
			}
			checkUnknownTool(t, c, map[string]any{"name": name, "arguments": map[string]any{}})
		}
	}
	without.end()
	c := server.session(whole)
	listed := listedTools(t, c)
	for _, name := range appTools {
		if !listed[name] {
			t.Errorf("%s is not offered", name)
		}
	}
	if got := app.recorded(t); got != "" {
		t.Errorf("the program was run with %s", got)
	}
	state := decodeResult(t, c.request("tools/call", map[string]any{"name": "obsidian_status", "arguments": map[string]any{}}))
	want := `{"running":true,"version":"1.13.7 (installer 1.13.4)","vault":"My vault","active_note":"Plans/Trip.md","tabs":["[markdown] Trip","[graph] Graph view"],"recent":["Plans/Trip.md","Warning signs.md"]}`
	if state.Content[0].Text != want {
		t.Errorf("%+v", state)
	}
	if got := app.recorded(t); !strings.Contains(got, "<vault=My vault><recents> in "+app.vault+"\n") || strings.Contains(got, "saw a secret") {
		t.Errorf("the program was run with %s", got)
	}
}

func TestObsidianAppInBothStyles(t *testing.T) {
	t.Parallel()
	link := "obsidian://open?vault=My%20vault&file=Plans%2FTrip"
	for _, style := range []string{"plain", "contract"} {
		app := newObsidianApp(t, "gone")
		c := start(t, app.vault, append(slices.Clone(app.variables), "OBSIDIAN_MCP_STYLE="+style)...)
		c.initialize("2025-11-25")
		listed := listedTools(t, c)
		for _, name := range appTools {
			if !listed[name] {
				t.Errorf("%s: %s is not offered", style, name)
			}
		}
		status := c.call("obsidian_status", nil)
		if !strings.Contains(status.Content[0].Text, `{"running":false,"version":"","vault":"","active_note":"","tabs":[],"recent":[]}`) || status.IsError {
			t.Errorf("%s: %+v", style, status)
		}
		open := c.request("tools/call", map[string]any{"name": "obsidian_open", "arguments": map[string]any{"name": "Trip"}})
		if style == "contract" {
			var data struct {
				ErrorCode string
				Hints     []string
			}
			if open.Error == nil || open.Error.Code != -32001 || json.Unmarshal(open.Error.Data, &data) != nil ||
				data.ErrorCode != "OBSIDIAN_NOT_RUNNING" || len(data.Hints) != 1 || !strings.HasSuffix(data.Hints[0], link) {
				t.Errorf("%s", open.raw)
			}
		} else if failed := decodeResult(t, open); !failed.IsError || failed.Meta["error_code"] != "OBSIDIAN_NOT_RUNNING" ||
			!strings.HasPrefix(failed.Content[0].Text, "Obsidian is not running") || !strings.HasSuffix(failed.Content[1].Text, link) {
			t.Errorf("%s", open.raw)
		}
		c.end()
	}
}

func TestObsidianAppOnTheCommandLine(t *testing.T) {
	t.Parallel()
	app := newObsidianApp(t, "warns")
	out, errs, status := app.run(t, "call", "obsidian_open", "--name", "Trip#Next steps", "--new-tab")
	if want := `{"opened":"Plans/Trip.md","link":"obsidian://open?vault=My%20vault&file=Plans%2FTrip%23Next%20steps&paneType=tab"}` + "\n"; out != want || status != 0 {
		t.Errorf("%s%s%d", out, errs, status)
	}
	if got := app.recorded(t); !strings.Contains(got, "<vault=My vault><open><path=Plans/Trip.md><newtab> in "+app.vault) {
		t.Errorf("the program was run with %s", got)
	}
	if out, errs, status = app.run(t, "call", "obsidian_command", "--id", "editor:save-file"); out != `{"id":"editor:save-file","output":"Executed: editor:save-file"}`+"\n" || status != 0 {
		t.Errorf("%s%s%d", out, errs, status)
	}
	before := app.recorded(t)
	out, errs, status = app.run(t, "call", "obsidian_command", "--id", "app:reload")
	if out != "" || status != 4 || !strings.Contains(errs, "app_commands in the config file does not allow the command 'app:reload'") || app.recorded(t) != before {
		t.Errorf("%s%s%d", out, errs, status)
	}
	closed := newObsidianApp(t, "closed")
	out, errs, status = closed.run(t, "call", "obsidian_command", "--id", "daily-notes")
	if out != "" || status != 1 || !strings.Contains(errs, "Obsidian is not running") || strings.Contains(closed.recorded(t), "started") {
		t.Errorf("%s%s%d", out, errs, status)
	}
	gone := newObsidianApp(t, "gone")
	out, errs, status = gone.run(t, "call", "obsidian_open", "--search", "a b")
	if out != "" || status != 1 || !strings.Contains(errs, "obsidian://search?vault=My%20vault&query=a%20b") {
		t.Errorf("%s%s%d", out, errs, status)
	}
}

// TestNameInObsidian: Obsidian calls a vault after its folder, whatever VAULT_ID says. Only of a database it is all we know.
func TestNameInObsidian(t *testing.T) {
	t.Parallel()
	for want, store := range map[string]openedStore{
		"My vault": {id: "other", folder: filepath.Join("home", "My vault")}, "notes": {id: "notes"},
	} {
		if got := store.nameInObsidian(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestDoctorLooksAtTheObsidianApp(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"":              "/obsidian-cli; Obsidian 1.13.7 (installer 1.13.4) is running and has the vault 'My vault'\n",
		"closed":        "look    app: Obsidian is not running; start Obsidian",
		"unknown-vault": "look    app: Obsidian does not know this vault; open its folder as a vault in Obsidian",
	} {
		app := newObsidianApp(t, mode)
		out, errs, status := app.run(t, "doctor")
		if !strings.Contains(out, want) || !strings.Contains(out, "ok      app: Obsidian's command line program is ") || status != 0 || strings.Contains(app.recorded(t), "started") {
			t.Errorf("%s: %s%s%d", mode, out, errs, status)
		}
	}
	app := newObsidianApp(t, "")
	writeFiles(t, filepath.Dir(app.vault), map[string]string{"config/obsidian-mcp.yaml": "app: true\napp_program: /none/obsidian-cli\n"})
	if out, errs, status := app.run(t, "doctor"); !strings.Contains(out, "FAILED  app: app_program: '/none/obsidian-cli' cannot be run") || status != 1 {
		t.Errorf("%s%s%d", out, errs, status)
	}
}
