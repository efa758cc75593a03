package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// These tests install each file of a real release as a user does, start it, and remove it again. make release-proof
// names the folder.

// skip skips a test on a machine that lacks something. CI has everything, and must not pass without the proof.
func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func releaseFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("OBSIDIAN_MCP_TEST_RELEASE")
	if folder == "" {
		t.Skip("OBSIDIAN_MCP_TEST_RELEASE does not name a release; make release-proof runs this test")
	}
	return folder
}

// find returns the only file of the release with this form. A release without it skips the test: it was not made for this
// machine.
func find(t *testing.T, form string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(releaseFolder(t), form))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		skip(t, "the release has no "+form)
	}
	if len(found) > 1 {
		t.Fatalf("%s: %v", form, found)
	}
	return found[0]
}

// do runs a command that must succeed.
func do(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	output, err := exec.Command(name, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

// user is somebody with an empty home folder and a vault.
type user struct{ home, vault string }

func newUser(t *testing.T) user {
	t.Helper()
	u := user{home: filepath.Join(t.TempDir(), "home"), vault: filepath.Join(t.TempDir(), "my vault")}
	for _, folder := range []string{u.home, u.vault} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(u.vault, "Home.md"), []byte("# Home\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return u
}

func (u user) command(ctx context.Context, name string, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, name, arguments...)
	command.Dir = u.home
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + u.home}
	return command
}

// mustServe starts a server as a client does, over stdio, and checks that it introduces itself, lists its tools and
// reads the vault.
func mustServe(t *testing.T, server *exec.Cmd) {
	t.Helper()
	var log bytes.Buffer
	server.Stderr = &log
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	ask := func(id int, method, params string, answer any) {
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
		line, err := lines.ReadBytes('\n')
		if err != nil {
			_ = server.Process.Kill()
			_ = server.Wait()
			t.Fatalf("%s: no answer: %v\n%s", method, err, log.String())
		}
		result := struct{ Result any }{answer}
		if err := json.Unmarshal(line, &result); err != nil {
			t.Fatalf("%s: %v\n%s", method, err, line)
		}
	}
	var hello struct {
		ServerInfo struct{ Name, Version string }
	}
	ask(1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"proof","version":"1"}}`, &hello)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	var list struct{ Tools []struct{ Name string } }
	ask(2, "tools/list", `{}`, &list)
	var read struct{ Content []struct{ Text string } }
	ask(3, "tools/call", `{"name":"read_note","arguments":{"name":"Home"}}`, &read)
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server ends with %v\n%s", err, log.String())
	}
	if hello.ServerInfo.Name != "obsidian-mcp" || !versionForm.MatchString(hello.ServerInfo.Version) {
		t.Errorf("it introduces itself as %+v", hello.ServerInfo)
	}
	if len(list.Tools) < 20 || len(read.Content) == 0 || !strings.Contains(read.Content[0].Text, "# Home") {
		t.Errorf("it lists %d tools and reads %+v", len(list.Tools), read.Content)
	}
}

// mustWork checks a program that was unpacked.
func mustWork(t *testing.T, program string) {
	t.Helper()
	u := newUser(t)
	version, err := u.command(t.Context(), program, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(version), "\n")
	if len(lines) < 3 || !versionForm.MatchString(strings.TrimPrefix(lines[0], "obsidian-mcp ")) || !strings.HasPrefix(lines[2], "date 2") {
		t.Errorf("version is\n%s", version)
	}
	mustServe(t, u.command(t.Context(), program, "--vault-path", u.vault))
}

func TestProofArchive(t *testing.T) {
	folder := t.TempDir()
	base := fmt.Sprintf("obsidian-mcp_*_%s_%s", runtime.GOOS, runtime.GOARCH)
	if runtime.GOOS == "windows" {
		do(t, "tar", "-xf", find(t, base+".zip"), "-C", folder)
	} else {
		do(t, "tar", "-xzf", find(t, base+".tar.gz"), "-C", folder)
	}
	programs, err := filepath.Glob(filepath.Join(folder, base, "obsidian-mcp*"))
	if err != nil || len(programs) != 1 {
		t.Fatal(programs, err)
	}
	mustWork(t, programs[0])
	info, err := os.Stat(programs[0])
	if err != nil {
		t.Fatal(err)
	}
	const limit = 32_000_000
	if info.Size() > limit {
		t.Errorf("the program has %d bytes, want at most %d: see docs/DEPENDENCIES.md", info.Size(), limit)
	}
	if _, err := exec.LookPath("man"); err == nil && runtime.GOOS == "linux" { // others have no -l
		do(t, "man", "--warnings", "-l", filepath.Join(filepath.Dir(programs[0]), "man", "obsidian-mcp.1"))
	}
	for shell, script := range map[string]string{"bash": "obsidian-mcp.bash", "zsh": "_obsidian-mcp", "fish": "obsidian-mcp.fish"} {
		if _, err := exec.LookPath(shell); err == nil {
			do(t, shell, "-n", filepath.Join(filepath.Dir(programs[0]), "completions", script))
		}
	}
}

func TestProofChecksums(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(releaseFolder(t), checksums))
	if err != nil {
		t.Fatal(err)
	}
	r := release{out: releaseFolder(t)}
	entries, err := os.ReadDir(r.out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if len(lines) != len(entries)-1 {
		t.Errorf("%d checksums for %d files", len(lines), len(entries)-1)
	}
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, "  ")
		if got, err := r.sum(name); err != nil || got != sum {
			t.Errorf("%s: %v, has %s, want %s", name, err, got, sum)
		}
	}
}

// TestProofDeb installs and removes the package in a root of its own, and as an ordinary user only unpacks it.
func TestProofDeb(t *testing.T) {
	name := find(t, "obsidian-mcp_*_"+runtime.GOARCH+".deb")
	if _, err := exec.LookPath("dpkg"); err != nil {
		skip(t, "dpkg is not installed")
	}
	root := t.TempDir()
	program := filepath.Join(root, "usr", "bin", "obsidian-mcp")
	if os.Getuid() != 0 {
		do(t, "dpkg", "-x", name, root)
		mustWork(t, program)
		return
	}
	for _, folder := range []string{"var/lib/dpkg/updates", "var/lib/dpkg/info", "var/lib/dpkg/triggers"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, "dpkg", "--root="+root, "--log="+filepath.Join(root, "log"), "--install", name)
	mustWork(t, program)
	do(t, "dpkg", "--root="+root, "--log="+filepath.Join(root, "log"), "--purge", "obsidian-mcp")
	if _, err := os.Stat(filepath.Join(root, "usr")); !os.IsNotExist(err) {
		t.Errorf("after its removal, files are left: %s", do(t, "find", filepath.Join(root, "usr")))
	}
}

// TestProofRPM installs and removes the package in a root of its own if rpm is there, otherwise unpacks it with whatever
// can.
func TestProofRPM(t *testing.T) {
	name := find(t, "obsidian-mcp-*."+rpmProcessors[runtime.GOARCH]+".rpm")
	root := t.TempDir()
	program := filepath.Join(root, "usr", "bin", "obsidian-mcp")
	has := func(command string) bool { _, err := exec.LookPath(command); return err == nil }
	if has("rpm") && os.Getuid() == 0 {
		do(t, "rpm", "--root", root, "--install", "--nodeps", "--ignorearch", name)
		mustWork(t, program)
		do(t, "rpm", "--root", root, "--erase", "obsidian-mcp")
		if _, err := os.Stat(program); !os.IsNotExist(err) {
			t.Error("the program is still there after its removal")
		}
		return
	}
	if has("bsdtar") {
		do(t, "bsdtar", "-xf", name, "-C", root)
		mustWork(t, program)
		return
	}
	t.Log("neither rpm nor bsdtar is installed: unpacked by this test")
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files, err := unrpm(content)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		to := filepath.Join(root, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, f.content, f.mode); err != nil {
			t.Fatal(err)
		}
	}
	mustWork(t, program)
}

// TestProofBundle unpacks a bundle and fills in its fields with the code that Claude Desktop uses.
func TestProofBundle(t *testing.T) {
	kind := "linux-" + runtime.GOARCH
	if runtime.GOOS == "darwin" {
		kind = "macos"
	}
	name := find(t, "obsidian-mcp-*-"+kind+".mcpb")
	folder := t.TempDir()
	do(t, "unzip", "-q", name, "-d", folder)
	output := do(t, filepath.Join("..", "mcpb", "check"), folder)
	if !strings.Contains(output, "0 failed") {
		t.Error(output)
	}
	mustWork(t, filepath.Join(folder, "server", "obsidian-mcp"))
}

// limit bounds what may wait for the network or for a client.
func limit(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}
