//go:build unix

package obsidian

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system/child"
	"obsidian-mcp/internal/testkit/mode"
)

// fake is an app behind the program in testdata.
type fake struct {
	*App
	folder string // of the vault
	calls  string // the file that records the runs of the program
}

// newFake returns an app on Linux, on a desktop, whose program behaves in some way. No socket tells whether it is running.
func newFake(t *testing.T, behaviour string) fake {
	t.Helper()
	program, err := filepath.Abs("testdata/obsidian-cli")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	calls := filepath.Join(t.TempDir(), "calls")
	app := New(Options{
		Program: program, Vault: Vault{Folder: folder, Name: "Notes"}, Timeout: mode.Patience,
		Environment: []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "XDG_RUNTIME_DIR=" + t.TempDir(), "DISPLAY=:0", "WAYLAND_DISPLAY=wayland-0",
			"FAKE_MODE=" + behaviour, "FAKE_VAULT=" + folder, "FAKE_CALLS=" + calls,
		},
	})
	app.system = "linux"
	return fake{app, folder, calls}
}

// recorded returns the runs of the program.
func (f fake) recorded(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile(f.calls)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(string(content), " in "+f.folder, "")), "\n")
}

func (f fake) set(variable string) {
	name, _, _ := strings.Cut(variable, "=")
	f.options.Environment = append(without(f.options.Environment, name), variable)
}

// shown is the state of the app that the program plays.
var shown = State{
	Running: true, Version: "1.13.7 (installer 1.13.4)", Vault: "Notes", Active: "Plans/Trip.md",
	Tabs: []string{"[markdown] Trip", "[graph] Graph view"}, Recent: []string{"Plans/Trip.md", "Warning signs.md"},
}

// explain returns a problem with what to do about it.
func explain(problem error) string {
	if problem == nil {
		return ""
	}
	return problem.Error() + "; " + fault.HintOf(problem)
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"", "slow", "warns"} {
		app := newFake(t, mode)
		if got, err := app.Status(t.Context()); err != nil || !reflect.DeepEqual(got, shown) {
			t.Errorf("%s: %+v, %v", mode, got, err)
		}
		want := []string{"<vault=Notes><vault><info=path>", "<vault=Notes><version>", "<vault=Notes><file>", "<vault=Notes><tabs>", "<vault=Notes><recents>"}
		if got := app.recorded(t); !slices.Equal(got, want) {
			t.Errorf("%s: the program was run with %q", mode, got)
		}
	}
}

func TestStatusToleratesWhatTheAppCannotSay(t *testing.T) {
	t.Parallel()
	app := newFake(t, "bare")
	want := State{Running: true, Version: shown.Version, Vault: "Notes"}
	got, err := app.Status(t.Context())
	if err != nil || len(got.Tabs) != 0 || len(got.Recent) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if got.Tabs, got.Recent = nil, nil; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestStatusOfAnAppThatIsNotRunning(t *testing.T) {
	t.Parallel()
	for mode, problem := range map[string]string{
		"closed": "Obsidian is not running; start Obsidian", "gone": "Obsidian is not running", "silent": "did not answer",
		"hangs": "did not answer within", "off": "turned off; turn on Settings", "other-program": "not Obsidian's command line program",
	} {
		app := newFake(t, mode)
		if mode == "hangs" {
			app.options.Timeout = 100 * time.Millisecond
		}
		got, err := app.Status(t.Context())
		if err != nil || got.Running || got.Version != "" || !strings.Contains(explain(got.Problem), problem) {
			t.Errorf("%s: %+v, %v", mode, got, err)
		}
		if calls := app.recorded(t); len(calls) != 1 {
			t.Errorf("%s: the program was run with %q; nothing should be asked after the first answer, and the app not be started", mode, calls)
		}
	}
}

func TestStatusNeverShowsAnotherVault(t *testing.T) {
	t.Parallel()
	app := newFake(t, "")
	other := t.TempDir()
	app.set("FAKE_VAULT=" + other)
	got, err := app.Status(t.Context())
	if err != nil || !got.Running || got.Vault != other || got.Active != "" || got.Recent != nil || !strings.Contains(explain(got.Problem), "answers for the vault in '"+other) {
		t.Errorf("%+v, %v", got, err)
	}
	app = newFake(t, "unknown-vault")
	got, err = app.Status(t.Context())
	if err != nil || !got.Running || got.Version == "" || got.Vault != "" || !strings.Contains(explain(got.Problem), "does not know this vault; open its folder") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestStatusOfAHugeAnswer(t *testing.T) {
	t.Parallel()
	app := newFake(t, "huge")
	got, err := app.Status(t.Context())
	if err != nil || len(got.Tabs) != maxListed || !reflect.DeepEqual(got.Recent, shown.Recent) {
		t.Errorf("%d tabs, %q, %v", len(got.Tabs), got.Recent, err)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	app := newFake(t, "warns")
	if err := app.Open(t.Context(), File{Path: "Plans/Großer Plan = $HOME.md", NewTab: true}); err != nil {
		t.Error(err)
	}
	if err := app.Search(t.Context(), `tag:#x "a b"`); err != nil {
		t.Error(err)
	}
	want := []string{
		"<vault=Notes><vault><info=path>", "<vault=Notes><open><path=Plans/Großer Plan = $HOME.md><newtab>",
		"<vault=Notes><vault><info=path>", `<vault=Notes><search:open><query=tag:#x "a b">`,
	}
	if got := app.recorded(t); !slices.Equal(got, want) {
		t.Errorf("the program was run with %q", got)
	}
}

func TestOnlyOpenStartsTheApp(t *testing.T) {
	t.Parallel()
	app := newFake(t, "closed")
	if _, err := app.Command(t.Context(), "daily-notes"); !errors.Is(err, fault.ObsidianNotRunning) {
		t.Error(err)
	}
	if _, err := app.Status(t.Context()); err != nil || slices.Contains(app.recorded(t), "started") {
		t.Errorf("%v, %q", err, app.recorded(t))
	}
	if err := app.Open(t.Context(), File{Path: "A.md"}); err != nil || !slices.Contains(app.recorded(t), "started") {
		t.Errorf("%v, %q", err, app.recorded(t))
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	app := newFake(t, "warns")
	output, err := app.Command(t.Context(), "editor:save-file")
	if err != nil || output != "Executed: editor:save-file" || !slices.Contains(app.recorded(t), "<vault=Notes><command><id=editor:save-file>") {
		t.Errorf("%q, %v, %q", output, err, app.recorded(t))
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mode string
		kind fault.Kind
		text string
	}{
		{"gone", fault.ObsidianNotRunning, "Obsidian is not running"},
		{"off", fault.ObsidianNotRunning, "command line interface is turned off"},
		{"hangs", fault.ObsidianNotRunning, "did not answer within 100ms"},
		{"silent", fault.ObsidianNotRunning, "did not answer"},
		{"unknown-vault", fault.VaultNotFound, "does not know this vault"},
		{"other-program", fault.ObsidianNotRunning, "not Obsidian's command line program"},
		{"", fault.NotFound, `Obsidian says: File "Missing.md" not found.`},
	} {
		app := newFake(t, test.mode)
		if test.mode == "hangs" {
			app.options.Timeout = 100 * time.Millisecond
		}
		err := app.Open(t.Context(), File{Path: "Missing.md"})
		if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", test.mode, err)
		}
	}
}

// TestTimeOutAfterOutput checks that an app that has begun to answer counts as running.
func TestTimeOutAfterOutput(t *testing.T) {
	t.Parallel()
	asked := line{app: New(Options{})}
	for output, want := range map[string]fault.Kind{"Working on it\n": fault.Timeout, "Warning: x\n\n": fault.ObsidianNotRunning} {
		if _, err := asked.read("open", child.Result{Both: output}, child.ErrTimeout); !errors.Is(err, want) {
			t.Errorf("%q: %v", output, err)
		}
	}
}

func TestNothingIsDoneInAnotherVault(t *testing.T) {
	t.Parallel()
	app := newFake(t, "")
	app.set("FAKE_VAULT=" + t.TempDir())
	_, commandErr := app.Command(t.Context(), "x")
	for _, err := range []error{commandErr, app.Open(t.Context(), File{Path: "A.md"}), app.Search(t.Context(), "x")} {
		if !errors.Is(err, fault.VaultNotFound) {
			t.Error(err)
		}
	}
	for _, call := range app.recorded(t) {
		if call != "<vault=Notes><vault><info=path>" {
			t.Error(call)
		}
	}
}

// TestAnswerWithoutAFolderProvesNothing plays a program that does not say where its vault is.
func TestAnswerWithoutAFolderProvesNothing(t *testing.T) {
	t.Parallel()
	app := newFake(t, "")
	app.set("FAKE_VAULT=Notes")
	if err := app.Open(t.Context(), File{Path: "A.md"}); err != nil {
		t.Error(err)
	}
	if got, err := app.Status(t.Context()); err != nil || !reflect.DeepEqual(got, shown) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestValuesThatTheProgramWouldChange(t *testing.T) {
	t.Parallel()
	app := newFake(t, "")
	_, commandErr := app.Command(t.Context(), "a\nb")
	for _, err := range []error{commandErr, app.Open(t.Context(), File{Path: `new\notes.md`}), app.Search(t.Context(), "a\tb")} {
		if !errors.Is(err, fault.InvalidArgument) {
			t.Error(err)
		}
	}
	app.options.Vault.Name = `a\new vault`
	if _, err := app.Status(t.Context()); !errors.Is(err, fault.InvalidArgument) {
		t.Error(err)
	}
	if calls := app.recorded(t); calls[0] != "" {
		t.Errorf("the program was run with %q", calls)
	}
}

// TestSocket checks who counts as running where there is a socket, and that the program is shown the way to it.
func TestSocket(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"linux", "darwin"} {
		app := newFake(t, "closed") // it answers only if it has a display
		app.system = system
		home, err := os.MkdirTemp("", "o") // the path of a socket must be short
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(home) })
		app.set("HOME=" + home)
		socket, err := net.Listen("unix", filepath.Join(home, socketName))
		if err != nil {
			t.Fatal(err)
		}
		if state, err := app.Status(t.Context()); err != nil || !state.Running {
			t.Errorf("%s: %+v, %v; want it to be running", system, state, err)
		}
		found, err := app.connect()
		if isShown := slices.Contains(found.environment, "XDG_RUNTIME_DIR="+home); err != nil || isShown != (system == "linux") {
			t.Errorf("%s: %q, %v", system, found.environment, err)
		}
		socket.(*net.UnixListener).SetUnlinkOnClose(false) // as after a crash
		socket.Close()
		awaitRefusal(t, filepath.Join(home, socketName))
		before := len(app.recorded(t))
		if state, err := app.Status(t.Context()); err != nil || state.Running {
			t.Errorf("%s: %+v, %v; want it not to be running", system, state, err)
		}
		if after := len(app.recorded(t)); system == "darwin" && after != before {
			t.Errorf("the program was run although the app is not running: %q", app.recorded(t))
		}
	}
}

// awaitRefusal waits until nobody listens on a socket: a program that another test is just starting holds it until it runs.
func awaitRefusal(t *testing.T, name string) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < mode.Patience; time.Sleep(time.Millisecond) {
		connection, err := net.Dial("unix", name)
		if err != nil {
			return
		}
		connection.Close()
	}
	t.Fatalf("somebody listens on %s", name)
}

func TestPipes(t *testing.T) {
	t.Parallel()
	app := newFake(t, "")
	app.system = "windows"
	app.pipes = func() []string { return []string{"lsass"} }
	if state, err := app.Status(t.Context()); err != nil || state.Running || len(app.recorded(t)) != 1 {
		t.Errorf("%+v, %v", state, err)
	}
	app.pipes = func() []string { return []string{"lsass", "obsidian-cli-ada"} }
	if state, err := app.Status(t.Context()); err != nil || !state.Running {
		t.Errorf("%+v, %v", state, err)
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	app := New(Options{Environment: []string{"HOME=/home/ada", "LocalAppData=/local"}})
	for _, test := range []struct {
		system    string
		installed []string
		want      string
	}{
		{"linux", []string{"obsidian", "/home/ada/.local/bin/obsidian", "obsidian-cli"}, "/bin/obsidian-cli"},
		{"linux", []string{"obsidian", "/home/ada/.local/bin/obsidian"}, "/home/ada/.local/bin/obsidian"},
		{"linux", []string{"obsidian"}, "/bin/obsidian"},
		{"darwin", []string{"/Applications/Obsidian.app/Contents/MacOS/obsidian-cli", "obsidian"}, "/Applications/Obsidian.app/Contents/MacOS/obsidian-cli"},
		{"windows", []string{"/local/obsidian/Obsidian.com"}, "/local/obsidian/Obsidian.com"},
		{"linux", nil, ""},
	} {
		app.system = test.system
		app.lookPath = func(name string) (string, error) {
			switch {
			case !slices.Contains(test.installed, name):
				return "", os.ErrNotExist
			case filepath.IsAbs(name):
				return name, nil
			}
			return "/bin/" + name, nil
		}
		got, err := app.Program()
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s with %q: %q, %v", test.system, test.installed, got, err)
		}
	}
	state, err := app.Status(t.Context())
	if err != nil || state.Running || !strings.Contains(explain(state.Problem), "not installed on this machine; turn on Settings → General → Command line interface") {
		t.Errorf("%+v, %v", state, err)
	}
}

func TestMissingProgramNamesTheSetting(t *testing.T) {
	t.Parallel()
	app := newFake(t, "")
	app.options.Program = filepath.Join(t.TempDir(), "obsidian-cli")
	_, statusErr := app.Status(t.Context())
	for _, err := range []error{statusErr, app.Open(t.Context(), File{Path: "A.md"})} {
		if !errors.Is(err, fault.ObsidianNotRunning) || !strings.Contains(err.Error(), "app_program: '"+app.options.Program+"' cannot be run") {
			t.Error(err)
		}
	}
}
