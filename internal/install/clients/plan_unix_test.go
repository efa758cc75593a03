//go:build unix

package clients_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/testkit/mode"
)

// A pipe in place of the configuration is refused without reading from it.
func TestRefusesPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "config.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	client := find(t, "claude-desktop")
	refused := make(chan error, 2)
	go func() {
		_, installing := client.Install(pipe, local, clients.Options{})
		_, removing := client.Uninstall(pipe, local, clients.Options{})
		refused <- installing
		refused <- removing
	}()
	for range 2 {
		select {
		case err := <-refused:
			if err == nil || !strings.Contains(err.Error(), "it is not a regular file") {
				t.Error(err)
			}
		case <-time.After(mode.Patience):
			t.Fatal("still reading from the pipe")
		}
	}
}

// What root creates in a user's folder belongs to the user.
func TestNewFilesBelongToFolderOwner(t *testing.T) {
	home := t.TempDir()
	if os.Geteuid() == 0 {
		check(t, os.Chown(home, 65534, 65534))
	}
	owner := func(name string) uint32 {
		info, err := os.Stat(name)
		check(t, err)
		return info.Sys().(*syscall.Stat_t).Uid
	}
	file := filepath.Join(home, "new", "folder", "config.json")
	for _, client := range []string{"cursor", "gemini"} { // the second finds the file there
		server := local
		server.Name = client
		plan, err := find(t, client).Install(file, server, clients.Options{})
		check(t, err)
		backup, err := plan.Write(moment)
		check(t, err)
		for _, name := range []string{filepath.Join(home, "new"), filepath.Join(home, "new", "folder"), file, backup} {
			if name != "" && owner(name) != owner(home) {
				t.Errorf("%s belongs to %d", name, owner(name))
			}
		}
	}
}

// Of two changes planned on the same text, one is made and the other is refused.
func TestConcurrentWritesConflict(t *testing.T) {
	client := find(t, "cursor")
	for range 50 {
		file := write(t, "{}\n")
		var plans []clients.Plan
		for _, name := range []string{"one", "two"} {
			server := local
			server.Name = name
			plan, err := client.Install(file, server, clients.Options{})
			if err != nil {
				t.Fatal(err)
			}
			plans = append(plans, plan)
		}
		ended := make(chan error)
		for _, plan := range plans {
			go func() {
				_, err := plan.Write(moment)
				ended <- err
			}()
		}
		first, second := <-ended, <-ended
		if first != nil {
			first, second = second, first
		}
		if first != nil || !errors.Is(second, fault.Conflict) {
			t.Fatalf("%v, %v", first, second)
		}
	}
}

// A hard link that will be cut is mentioned.
func TestRemarksMentionHardLinks(t *testing.T) {
	file := write(t, "{}")
	remarks := func() []string {
		plan, err := find(t, "cursor").Install(file, local, clients.Options{})
		check(t, err)
		return plan.Remarks()
	}
	if got := remarks(); got != nil {
		t.Errorf("%q", got)
	}
	check(t, os.Link(file, file+"-2"))
	if got := remarks(); len(got) != 1 || !strings.Contains(got[0], "(a hard link)") {
		t.Errorf("%q", got)
	}
}

// protectedVariable passes a file to a process that does not run as root.
const protectedVariable = "OBSIDIAN_MCP_TEST_CLOSED"

// Another user's file that is not writable stays, even in the user's own folder. A writable one changes its owner, and a
// remark says so.
func TestFilesOfAnotherUser(t *testing.T) {
	if file := os.Getenv(protectedVariable); file != "" {
		checkFileOfAnotherUser(t, file)
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can create files of two users")
	}
	folder := t.TempDir()
	check(t, os.Chmod(filepath.Dir(folder), 0o755))
	check(t, os.Chown(folder, 65534, 65534))
	file := filepath.Join(folder, "mcp.json")
	check(t, os.WriteFile(file, []byte("{}"), 0o644))
	self, err := os.ReadFile(os.Args[0])
	check(t, err)
	program := filepath.Join(t.TempDir(), "clients.test")
	check(t, os.WriteFile(program, self, 0o755))
	for _, mode := range []os.FileMode{0o644, 0o666} {
		check(t, os.Chmod(file, mode))
		cmd := exec.Command(program, "-test.run=^TestFilesOfAnotherUser$")
		cmd.Env, cmd.Dir = []string{protectedVariable + "=" + file}, folder
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%o: %v\n%s", mode, err, out)
		}
	}
}

func checkFileOfAnotherUser(t *testing.T, file string) {
	info, err := os.Stat(file)
	check(t, err)
	plan, err := find(t, "cursor").Install(file, local, clients.Options{})
	check(t, err)
	if remarks := plan.Remarks(); len(remarks) != 1 || !strings.Contains(remarks[0], "another user") {
		t.Errorf("%q", remarks)
	}
	refused := plan.CheckWritable()
	isOpen := info.Mode().Perm() == 0o666
	if isOpen != (refused == nil) || !isOpen && !errors.Is(refused, fault.PermissionDenied) {
		t.Errorf("%v: %v", info.Mode(), refused)
	}
	if _, err := plan.Write(moment); (err == nil) != (refused == nil) {
		t.Errorf("%v: %v", info.Mode(), err)
	}
	plan, err = find(t, "cursor").Install("/obsidian-mcp/new/mcp.json", local, clients.Options{})
	check(t, err)
	err = plan.CheckWritable()
	if !errors.Is(err, fault.PermissionDenied) || !strings.HasSuffix(fault.HintOf(err), "write access to /") {
		t.Errorf("%v; %s", err, fault.HintOf(err))
	}
}
