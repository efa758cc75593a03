package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/tool"
)

// prompted keeps messages, and closes asked when the question appears.
type prompted struct {
	text     bytes.Buffer
	question string
	asked    chan struct{}
}

func (p *prompted) Write(text []byte) (int, error) {
	if strings.Contains(string(text), p.question) {
		close(p.asked)
	}
	return p.text.Write(text)
}

// Ctrl-C ends the program at any question, whatever is typed after it.
func TestInterruptAtAnyQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		command, before, question, after string
	}{
		"which client":    {"install", "", "Which?", ""},
		"which vault":     {"install", "1\n", "Which vault?", ""},
		"write":           {"install", "1\n1\n", "Write this?", ""},
		"yes after it":    {"install", "1\n1\n", "Write this?", "y\n"},
		"taking out":      {"uninstall", "", "Write this?", "y\n"},
		"all after it":    {"install", "", "Which?", "all\n1\ny\n"},
		"vault after it":  {"install", "1\n", "Which vault?", "1\ny\n"},
		"nonsense before": {"install", "x\n1\n", "Which vault?", "1\ny\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestHome(t, 0, "Notes", "Work")
			if c.command == "uninstall" {
				d.write(".cursor/mcp.json", `{"mcpServers": {"obsidian": {"command": "obsidian-mcp"}}}`)
			}
			before := d.files()
			in, keyboard := io.Pipe()
			defer keyboard.Close()
			ctx, interrupt := context.WithCancel(t.Context())
			messages := &prompted{question: c.question, asked: make(chan struct{})}
			p := Program{
				Tools: tool.NewRegistry(nil), In: in, Out: io.Discard, Err: messages,
				IsTerminal: func() bool { return true }, Lookup: os.LookupEnv,
			}
			typed := make(chan struct{})
			go func() {
				defer close(typed)
				_, _ = io.WriteString(keyboard, c.before)
				<-messages.asked
				interrupt()
				_, _ = io.WriteString(keyboard, c.after)
			}()
			status := Run(ctx, p, []string{c.command})
			in.Close()
			<-typed
			got := messages.text.String()
			if status != 130 || !strings.HasSuffix(got, "\nobsidian-mcp: interrupted; nothing was changed\n") {
				t.Errorf("status %d\n%s", status, got)
			}
			if after := d.files(); after != before {
				t.Errorf("files changed:\n%s", after)
			}
		})
	}
}

// An interruption still counts when --yes has answered all questions.
func TestInterruptBeforeWriting(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	before := d.files()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	p := Program{
		Tools: tool.NewRegistry(nil), In: strings.NewReader(""), Out: io.Discard, Err: io.Discard,
		IsTerminal: func() bool { return false }, Lookup: os.LookupEnv,
	}
	if status := Run(ctx, p, []string{"install", "--all", "--yes"}); status != 130 || d.files() != before {
		t.Errorf("%d\n%s", status, d.files())
	}
}

// A question with only one possible answer is not asked.
func TestAsksOnlyIfThereIsAChoice(t *testing.T) {
	const ours = `{"mcpServers": {"obsidian": {"command": "/x/obsidian-mcp"}}}`
	for name, c := range map[string]struct {
		cursor, gemini string // their configurations; "-" if the client is not installed
		answers        string
		args           []string
		status         int
		want           string
		unwanted       string
	}{
		"one client, a dry run":       {"", "-", "", []string{"install", "--dry-run"}, 0, "+++ ", "which?"},
		"one client, a script":        {"", "-", "", []string{"install", "--yes"}, 0, "Cursor: written to ", "which?"},
		"one client, unconfirmed":     {"", "-", "", []string{"install"}, 2, "the same command with --yes writes this", "which?"},
		"one client, a person":        {"", "-", "y\n", []string{"install"}, 0, "Cursor: written to ", "Which?"},
		"two clients, a dry run":      {"", "", "", []string{"install", "--dry-run"}, 0, ".gemini/settings.json", "which?"},
		"a dry run of a person":       {"", "", "x\n", []string{"install", "--dry-run"}, 0, ".cursor/mcp.json", "Which?"},
		"two clients, a script":       {"", "", "", []string{"install", "--yes"}, 2, "which? obsidian-mcp install cursor, or --all", ""},
		"one of two to remove":        {ours, "{}", "", []string{"uninstall", "--yes"}, 0, "Cursor: removed from ", "emini"},
		"a person removes one":        {"", ours, "y\n", []string{"uninstall"}, 0, "Gemini CLI: removed from ", "ursor"},
		"all with an entry":           {ours, "{}", "", []string{"uninstall", "--all", "--yes"}, 0, "Cursor: removed from ", "emini"},
		"two to remove":               {ours, ours, "", []string{"uninstall", "--yes"}, 2, "2  gemini          set up\n", ""},
		"no entry":                    {"{}", "", "", []string{"uninstall"}, 0, "nothing to remove: no client on this machine has an entry 'obsidian' for this server\n", "which?"},
		"no client":                   {"-", "-", "", []string{"uninstall", "--all"}, 0, "nothing to remove", ""},
		"another program's":           {`{"mcpServers": {"obsidian": {"command": "npx"}}}`, "-", "", []string{"uninstall"}, 0, "nothing to remove", "npx"},
		"another program's, by force": {`{"mcpServers": {"obsidian": {"command": "npx"}}}`, "-", "", []string{"uninstall", "--force", "--yes"}, 0, "Cursor: removed from ", ""},
		"an unreadable file":          {"{", "-", "", []string{"uninstall", "--yes"}, 2, "not valid JSON", "nothing to remove"},
		"a broken file, all":          {"{", "", "", []string{"install", "--all", "--yes"}, 2, "Gemini CLI: written to ", "nothing was changed"},
		"a broken file, quiet":        {"{", "", "", []string{"install", "--all", "--yes", "--quiet"}, 2, "Cursor is left out: ", "Gemini CLI"},
		"a broken file, a person":     {"{", "", "\ny\n", []string{"install"}, 0, "Gemini CLI: written to ", "nothing was changed"},
		"a broken file, by number":    {"{", "", "1\n", []string{"install"}, 2, "not valid JSON", "Gemini CLI: written to "},
		"another's, all":              {"", `{"mcpServers": {"obsidian": {"command": "npx"}}}`, "", []string{"install", "--all", "--yes"}, 6, "choose another name with --name", "Gemini CLI: written to "},
		"another's, all by force":     {"", `{"mcpServers": {"obsidian": {"command": "npx"}}}`, "", []string{"install", "--all", "--yes", "--force"}, 0, "Gemini CLI: written to ", "left out"},
		"all files broken":            {"{", "{", "", []string{"install", "--all", "--yes"}, 2, "nothing was changed; fix", "left out"},
		"a broken file, removed":      {"{", ours, "", []string{"uninstall", "--all", "--yes"}, 2, "Gemini CLI: removed from ", "nothing was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestHome(t, 0, "Notes")
			for file, text := range map[string]string{".cursor/mcp.json": c.cursor, ".gemini/settings.json": c.gemini} {
				switch text {
				case "-":
					_ = os.RemoveAll(filepath.Dir(filepath.Join(d.home, file)))
				case "":
				default:
					d.write(file, text)
				}
			}
			status, out, messages := d.run(c.answers, c.args...)
			printed := out + messages
			if status != c.status || !strings.Contains(printed, c.want) || c.unwanted != "" && strings.Contains(printed, c.unwanted) {
				t.Errorf("status %d, want %d and %q, not %q\n%s", status, c.status, c.want, c.unwanted, printed)
			}
		})
	}
}

// The list marks vaults whose folder is gone, and proposes one that exists.
func TestMissingVaultsAreMarked(t *testing.T) {
	for name, c := range map[string]struct {
		open    int
		gone    []string
		answers string
		status  int
		vault   string
		message string
	}{
		"the existing one": {0, []string{"A"}, "\ny\n", 0, "B", "q to leave [2]: "},
		"although closed":  {1, []string{"A"}, "\ny\n", 0, "B", "q to leave [2]: "},
		"marked":           {0, []string{"B"}, "q\n", 1, "", "/B (not there)\n"},
		"picked":           {0, []string{"A"}, "1\n2\ny\n", 0, "B", "there is no folder "},
		"all are gone":     {0, []string{"A", "B"}, "y\n", 1, "", "none of the vaults in Obsidian's list exists: "},
		"in a script":      {0, []string{"A"}, "", 2, "", "the vault is 'B'"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestHome(t, c.open, "A", "B")
			for _, vault := range c.gone {
				if err := os.Remove(filepath.Join(d.home, vault)); err != nil {
					t.Fatal(err)
				}
			}
			status, out, messages := d.run(c.answers, "install", "cursor")
			if status != c.status || !strings.Contains(messages, c.message) {
				t.Errorf("status %d, want %d and %q\n%s\n%s", status, c.status, c.message, out, messages)
			}
			text := d.read(".cursor/mcp.json")
			if c.vault == "" && text != "" || !strings.Contains(text, c.vault) {
				t.Errorf("%s", text)
			}
		})
	}
}

// A message names the vault and where it comes from, so that nobody has to look for it in the diff.
func TestSaysWhichVault(t *testing.T) {
	d := newTestHome(t, 0, "My Vault")
	folder := filepath.Join(d.home, "My Vault")
	const named = "--vault-path chooses another"
	_, _, messages := d.run("", "install", "cursor")
	if want := "obsidian-mcp: the vault is 'My Vault' (" + folder + "), from Obsidian's list; " + named + "\n"; !strings.Contains(messages, want) {
		t.Errorf("%s\nwant %s", messages, want)
	}
	for _, args := range [][]string{{"--vault-path", folder}, {"--quiet"}} {
		if _, _, messages := d.run("", append([]string{"install", "cursor"}, args...)...); strings.Contains(messages, named) {
			t.Errorf("%v: %s", args, messages)
		}
	}
	t.Setenv("OBSIDIAN_VAULT_PATH", folder)
	if _, _, messages := d.run("", "install", "cursor"); !strings.Contains(messages, "from OBSIDIAN_VAULT_PATH; "+named) {
		t.Error(messages)
	}
}
