package clients_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/testkit/skip"
)

var moment = time.Date(2026, 10, 5, 14, 3, 9, 0, time.UTC)

// write creates a configuration in a new folder.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return file
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// names lists a folder.
func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func TestInstallAndUninstall(t *testing.T) {
	for _, id := range []string{"claude-desktop", "claude-code", "cursor", "vscode", "windsurf", "zed", "gemini", "codex"} {
		t.Run(id, func(t *testing.T) {
			client := find(t, id)
			folder := filepath.Join(t.TempDir(), "not", "there")
			file := filepath.Join(folder, "config")
			plan, err := client.Install(file, local, clients.Options{})
			if err != nil || plan.State != clients.Absent || !plan.Changes() || !strings.Contains(plan.Diff(), "+") {
				t.Fatalf("%+v, %v", plan, err)
			}
			if backup, err := plan.Write(moment); err != nil || backup != "" {
				t.Fatalf("%q, %v", backup, err)
			}
			if block, _ := client.Block(local); block.Language != "sh" && read(t, file) != block.Text {
				t.Errorf("%s\n%s", read(t, file), block.Text)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
				t.Errorf("%v, %v", info, err)
			}
			if plan, err := client.Install(file, local, clients.Options{}); err != nil || plan.State != clients.Same || plan.Changes() || plan.Diff() != "" {
				t.Errorf("again: %+v, %v", plan, err)
			}
			plan, err = client.Uninstall(file, clients.Server{Name: "obsidian"}, clients.Options{})
			if err != nil || plan.State != clients.Different {
				t.Fatalf("%+v, %v", plan, err)
			}
			backup, err := plan.Write(moment)
			if err != nil || backup != file+".obsidian-mcp-backup-20261005-140309" {
				t.Errorf("%q, %v", backup, err)
			}
			if plan, err := client.Uninstall(file, clients.Server{Name: "obsidian"}, clients.Options{}); err != nil || plan.State != clients.Absent || plan.Changes() {
				t.Errorf("again: %+v, %v", plan, err)
			}
			if left := names(t, folder); len(left) != 2 {
				t.Errorf("%v", left)
			}
		})
	}
}

// What a person added to the entry stays, except what names another vault.
func TestInstallKeepsAdditions(t *testing.T) {
	stale := func(name string) bool { return strings.Contains(name, "VAULT") }
	moved := local
	moved.Command = "/new/obsidian-mcp"
	configured := clients.Server{Name: "obsidian", Command: local.Command, Args: []string{"--config", "/x.yaml"}}
	keep := func(args []string) []string {
		return slices.DeleteFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--vault") })
	}
	for name, c := range map[string]struct {
		server        clients.Server
		before, after string
	}{
		"variables and fields": {moved,
			`{"mcpServers": {"obsidian": {"command": "/old/obsidian-mcp", "trust": true, "env": {"VAULT_PATH": "/x", "OBSIDIAN_MCP_READ_ONLY": "true"}}}}`,
			`{"mcpServers": {"obsidian": {"command": "/new/obsidian-mcp", "trust": true, "env": {"OBSIDIAN_MCP_READ_ONLY": "true", "OBSIDIAN_VAULT_PATH": "/path/to/vault"}}}}`},
		"options": {local,
			`{"mcpServers": {"obsidian": {"command": "C:\\x\\Obsidian-MCP.exe", "args": ["stdio", "--read-only"]}}}`,
			`{"mcpServers": {"obsidian": {"command": "/path/to/obsidian-mcp", "args": ["stdio", "--read-only"], "env": { "OBSIDIAN_VAULT_PATH": "/path/to/vault" }}}}`},
		"options that name a vault": {local,
			`{"mcpServers": {"obsidian": {"command": "obsidian-mcp", "args": ["--vault-path=/x"]}}}`,
			`{"mcpServers": {"obsidian": {"command": "/path/to/obsidian-mcp", "env": { "OBSIDIAN_VAULT_PATH": "/path/to/vault" }}}}`},
		"options beside new ones": {configured,
			`{"mcpServers": {"obsidian": {"command": "/path/to/obsidian-mcp", "args": ["--read-only", "--vault-path=/x", "--port", 1, true], "env": null}}}`,
			`{"mcpServers": {"obsidian": {"command": "/path/to/obsidian-mcp", "args": ["--config", "/x.yaml", "--read-only", "--port", "1", "true"]}}}`},
		"from a program to a URL": {token,
			`{"mcpServers": {"obsidian": {"command": "obsidian-mcp", "args": ["x"], "disabled": false}}}`,
			`{"mcpServers": {"obsidian": {"disabled": false, "httpUrl": "https://notes.example.com/mcp", "headers": { "Authorization": "Bearer s3cret" }}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := find(t, "gemini").Install(write(t, c.before), c.server, clients.Options{Stale: stale, Keep: keep})
			if err != nil || plan.State != clients.Different {
				t.Fatalf("%v, %v", plan.State, err)
			}
			if diff := cmp.Diff(c.after, string(plan.After)); diff != "" {
				t.Error(diff)
			}
			if shown := plan.Diff("s3cret"); strings.Contains(shown, "s3cret") {
				t.Errorf("a secret is shown:\n%s", shown)
			}
		})
	}
}

func TestRefusesAnotherProgramsEntry(t *testing.T) {
	for _, text := range []string{
		`{"mcpServers": {"obsidian": {"command": "npx", "args": ["obsidian-mcp"]}}}`, `{"mcpServers": {"obsidian": {"httpUrl": "https://example.com/mcp"}}}`,
		`{"mcpServers": {"obsidian": null}}`, `{"mcpServers": {"obsidian": {"command": "/x/obsidian-mcp-other"}}}`, `{"mcpServers": {"obsidian": {"command": "obsidian-mcp-linux-other"}}}`,
	} {
		client, file := find(t, "gemini"), write(t, text)
		plan, err := client.Install(file, local, clients.Options{})
		if !errors.Is(err, fault.AlreadyExists) || !strings.Contains(fault.HintOf(err), "--name") || plan.State != clients.Foreign {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := client.Uninstall(file, local, clients.Options{}); !errors.Is(err, fault.AlreadyExists) || !strings.Contains(fault.HintOf(err), "--force removes it") {
			t.Errorf("%s: %v; %s", text, err, fault.HintOf(err))
		}
		if plan, err := client.Install(file, local, clients.Options{Force: true}); err != nil || plan.State != clients.Foreign || strings.Contains(string(plan.After), "npx") {
			t.Errorf("%s: %v\n%s", text, err, plan.After)
		}
	}
	for _, ours := range []string{`{"httpUrl": "http://10.0.0.1:1065/mcp"}`, `{"httpUrl": "https://notes.example.com/mcp"}`, `{"command": "C:\\x\\obsidian-mcp.exe"}`,
		`{"command": "/x/obsidian-mcp-linux-amd64"}`, `{"command": "obsidian-mcp_windows_arm64.exe"}`, `{"command": "obsidian-mcp-v1.2.3-darwin-arm64"}`, `{"command": "/x/obsidian-mcp (1)"}`,
	} {
		plan, err := find(t, "gemini").Uninstall(write(t, `{"mcpServers": {"obsidian": `+ours+`}}`), token, clients.Options{})
		if err != nil || string(plan.After) != `{"mcpServers": {}}` {
			t.Errorf("%s: %v %s", ours, err, plan.After)
		}
	}
}

func TestRefusesFiles(t *testing.T) {
	broken := write(t, "{\n  \"a\": 1,\n}")
	linked := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("nowhere", linked); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, message, hint string }{
		"not valid":      {broken, broken + ": line 2, column 9: not valid JSON: a comma after the last value", "nothing was changed; fix the file"},
		"not an object":  {write(t, "[]"), "line 1, column 1: the file must contain an object", "fix"},
		"wrong servers":  {write(t, `{"mcpServers": []}`), "line 1, column 16: 'mcpServers' must contain an object", "fix"},
		"a folder":       {t.TempDir(), "it is not a regular file", "nothing was changed"},
		"a device":       {os.DevNull, "it is not a regular file", "nothing was changed"},
		"a broken link":  {linked, "is a link to nowhere, which cannot be followed", "remove the link"},
		"below a file":   {filepath.Join(broken, "x"), "cannot read", "nothing was changed"},
		"odd arguments":  {write(t, `{"mcpServers": {"obsidian": {"command": "obsidian-mcp", "args": ["--call-timeout", 30, null]}}}`), ": 'args' of the entry must be a list of strings; item 3 is not a string", "nothing was changed; fix"},
		"an argument":    {write(t, `{"mcpServers": {"obsidian": {"command": "obsidian-mcp", "args": [{"a": 1}]}}}`), "item 1 is not a string", "fix"},
		"not a list":     {write(t, `{"mcpServers": {"obsidian": {"command": "obsidian-mcp", "args": "--read-only"}}}`), ": 'args' of the entry must be a list of strings", "fix"},
		"odd variables":  {write(t, `{"mcpServers": {"obsidian": {"command": "obsidian-mcp", "env": ["A=b"]}}}`), ": 'env' of the entry must map names to values", "fix"},
		"no home folder": {"", "the home folder is unknown", "--config-file"},
	} {
		_, err := find(t, "claude-desktop").Install(c.file, local, clients.Options{})
		if err == nil || !strings.Contains(err.Error(), c.message) || !strings.Contains(fault.HintOf(err), c.hint) {
			t.Errorf("%s: %v; %s", name, err, fault.HintOf(err))
		}
	}
	invalid := clients.Server{Name: "obsidian", Command: "obsidian-mcp",
		Env: []clients.Variable{{Name: "OBSIDIAN_VAULT_PATH", Value: "/non\xffutf"}}}
	_, err := find(t, "codex").Install(write(t, ""), invalid, clients.Options{})
	const want = `"/non\xffutf" is not valid UTF-8, and cannot be written into a configuration`
	if err == nil || err.Error() != want || strings.Contains(fault.HintOf(err), "fix the file") {
		t.Errorf("error %v, want %s; hint %s", err, want, fault.HintOf(err))
	}
	for id, server := range map[string]clients.Server{"claude-desktop": open, "chatgpt": local} {
		if _, err := find(t, id).Install(broken, server, clients.Options{}); !errors.Is(err, fault.InvalidArgument) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// Writing keeps links and the file's mode, and a backup never replaces another.
func TestWriteKeepsLinksAndMode(t *testing.T) {
	skip.OnWindows(t, "files have no modes there, and links need a privilege")
	client, file := find(t, "cursor"), write(t, "\ufeff{\r\n}\r\n")
	link := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for i, suffix := range []string{"", "-2", "-3"} {
		server := local
		server.Name += suffix
		plan, err := client.Install(link, server, clients.Options{})
		if err != nil {
			t.Fatal(err)
		}
		before := read(t, file)
		backup, err := plan.Write(moment)
		if err != nil || backup != file+".obsidian-mcp-backup-20261005-140309"+suffix || read(t, backup) != before {
			t.Errorf("%d: %q, %v", i, backup, err)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("%v, %v", info, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	if text := read(t, file); !strings.HasPrefix(text, "\ufeff{\r\n") || strings.Count(text, "\r\n") != strings.Count(text, "\n") {
		t.Errorf("%q", text)
	}
}

// Write changes nothing if it cannot make the whole change.
func TestWriteAllOrNothing(t *testing.T) {
	const text = `{"mcpServers": {}}`
	for name, c := range map[string]struct {
		disturb func(t *testing.T, file string)
		want    fault.Kind
		left    string
	}{
		"changed meanwhile": {func(t *testing.T, file string) { check(t, os.WriteFile(file, []byte(`{"new": 1}`), 0o644)) }, fault.Conflict, `{"new": 1}`},
		"gone meanwhile":    {func(t *testing.T, file string) { check(t, os.Remove(file)) }, fault.Conflict, ""},
		"write-protected":   {func(t *testing.T, file string) { check(t, os.Chmod(file, 0o444)) }, fault.PermissionDenied, text},
		"closed meanwhile":  {func(t *testing.T, file string) { check(t, os.Chmod(file, 0o400)) }, fault.PermissionDenied, text},
		"no room for the backup's name": {func(t *testing.T, file string) {
			check(t, os.Rename(file, longName(file)))
		}, fault.Internal, text},
	} {
		t.Run(name, func(t *testing.T) {
			file := write(t, text)
			meanwhile := strings.HasSuffix(name, "meanwhile")
			if !meanwhile {
				c.disturb(t, file)
				if _, err := os.Stat(file); err != nil {
					file = longName(file)
				}
			}
			plan, err := find(t, "cursor").Install(file, local, clients.Options{})
			check(t, err)
			if err := plan.CheckWritable(); (err != nil) != (name == "write-protected") {
				t.Error(err)
			}
			if meanwhile {
				c.disturb(t, file)
			}
			backup, err := plan.Write(moment)
			if fault.KindOf(err) != c.want || !strings.Contains(fault.HintOf(err), "nothing was changed") || err == nil {
				t.Errorf("%q, %v; %s", backup, err, fault.HintOf(err))
			}
			if c.want == fault.Internal && fault.HintOf(err) != "nothing was changed" {
				t.Errorf("%v; %s", err, fault.HintOf(err))
			}
			left := names(t, filepath.Dir(file))
			if c.left == "" && len(left) > 0 || c.left != "" && (len(left) != 1 || read(t, file) != c.left) {
				t.Errorf("%v", left)
			}
		})
	}
	plan, err := find(t, "cursor").Install(filepath.Join(write(t, text), "..", "config.json", "below", "x"), local, clients.Options{})
	if err == nil {
		_, err = plan.Write(moment)
	}
	if err == nil {
		t.Error("a file was used as a folder")
	}
}

// If the write fails, new folders are removed: they would suggest that the client is installed.
func TestFailedWriteRemovesNewFolders(t *testing.T) {
	home := t.TempDir()
	plan, err := find(t, "cursor").Install(filepath.Join(home, "new", "folder")+string(filepath.Separator), local, clients.Options{})
	check(t, err)
	if backup, err := plan.Write(moment); err == nil {
		t.Errorf("%q", backup)
	}
	if left := names(t, home); len(left) > 0 {
		t.Errorf("%v", left)
	}
}

// A broken link in place of the folder is an error, and stays.
func TestFolderIsBrokenLink(t *testing.T) {
	skip.OnWindows(t, "files have no modes there, and links need a privilege")
	home := t.TempDir()
	check(t, os.Symlink("nowhere", filepath.Join(home, "link")))
	plan, err := find(t, "codex").Install(filepath.Join(home, "link", "config.toml"), local, clients.Options{})
	check(t, err)
	if _, err := plan.Write(moment); err == nil || fault.HintOf(err) != "nothing was changed" {
		t.Errorf("%v; %s", err, fault.HintOf(err))
	}
	if left := names(t, home); !slices.Equal(left, []string{"link"}) {
		t.Errorf("%v", left)
	}
}

// Temporary files of killed runs are removed. Recent ones, which may be in use, and other files stay.
func TestRemovesLeftovers(t *testing.T) {
	file := write(t, "{}")
	long := time.Now().Add(-time.Hour)
	for _, name := range []string{".obsidian-mcp-install-123.tmp", ".obsidian-mcp-0123abcd.tmp", ".obsidian-mcp-install-notes.tmp", "x.tmp"} {
		other := filepath.Join(filepath.Dir(file), name)
		check(t, os.WriteFile(other, nil, 0o600))
		check(t, os.Chtimes(other, long, long))
	}
	check(t, os.WriteFile(filepath.Join(filepath.Dir(file), ".obsidian-mcp-install-456.tmp"), nil, 0o600))
	plan, err := find(t, "cursor").Install(file, local, clients.Options{})
	check(t, err)
	backup, err := plan.Write(moment)
	check(t, err)
	want := []string{".obsidian-mcp-0123abcd.tmp", ".obsidian-mcp-install-456.tmp", ".obsidian-mcp-install-notes.tmp", "config.json", filepath.Base(backup), "x.tmp"}
	if diff := cmp.Diff(want, names(t, filepath.Dir(file))); diff != "" {
		t.Error(diff)
	}
}

// A file that is made private while the person is asked stays private.
func TestWriteKeepsNewMode(t *testing.T) {
	skip.OnWindows(t, "files have no modes there, and links need a privilege")
	file := write(t, "{}")
	plan, err := find(t, "cursor").Install(file, local, clients.Options{})
	check(t, err)
	check(t, os.Chmod(file, 0o600))
	backup, err := plan.Write(moment)
	check(t, err)
	for _, name := range []string{file, backup} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestReadOnlyFolder(t *testing.T) {
	skip.OnWindows(t, "files have no modes there, and links need a privilege")
	file := "/proc/obsidian-mcp/mcp.json"
	if os.Geteuid() != 0 {
		file = write(t, "{}")
		check(t, os.Chmod(filepath.Dir(file), 0o555))
	}
	plan, err := find(t, "cursor").Install(file, local, clients.Options{})
	check(t, err)
	if backup, err := plan.Write(moment); err == nil || !strings.Contains(err.Error(), "cannot ") || !strings.Contains(err.Error(), file) {
		t.Errorf("%q, %v", backup, err)
	}
}

// longName returns a name that is too long for a suffix.
func longName(file string) string { return filepath.Join(filepath.Dir(file), strings.Repeat("n", 250)) }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A client without a file gets instructions instead of an error about the file.
func TestUninstallWithoutFile(t *testing.T) {
	_, err := find(t, "chatgpt").Uninstall("", local, clients.Options{})
	if !errors.Is(err, fault.InvalidArgument) || err.Error() != "ChatGPT keeps no configuration on this machine" || !strings.Contains(fault.HintOf(err), "delete the connector") {
		t.Errorf("%v; %s", err, fault.HintOf(err))
	}
}
