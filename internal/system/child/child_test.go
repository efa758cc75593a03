//go:build unix

package child

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shell runs a script, which these tests use as the other program.
func shell(script string) Command {
	return Command{Args: []string{"/bin/sh", "-c", script}, Environment: []string{"PATH=" + os.Getenv("PATH")}}
}

func TestRunReturnsOutputAndStatus(t *testing.T) {
	command := shell(`pwd; echo warning >&2; cat; exit 3`)
	command.Dir = t.TempDir()
	got, err := Run(t.Context(), command)
	if err != nil || got.Exit != 3 || !strings.HasSuffix(got.Stdout, filepath.Base(command.Dir)+"\n") || !strings.Contains(got.Both, "warning\n") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRunPassesArgumentsUnchanged(t *testing.T) {
	command := shell(`printf '%s\n' "$@"`)
	command.Args = append(command.Args, "sh", "a b", "$HOME;`id`", "*")
	if got, err := Run(t.Context(), command); err != nil || got.Stdout != "a b\n$HOME;`id`\n*\n" {
		t.Errorf("%q, %v", got.Stdout, err)
	}
}

func TestRunKeepsTheEndOfTheOutput(t *testing.T) {
	command := shell(`i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done`)
	command.MaxOutput = 100
	got, err := Run(t.Context(), command)
	if err != nil || len(got.Stdout) > 100 || !strings.HasPrefix(got.Stdout, "line 199") || !strings.HasSuffix(got.Stdout, "line 1999\n") {
		t.Errorf("%q, %v", got.Stdout, err)
	}
}

func TestRunOfAMissingProgram(t *testing.T) {
	for _, program := range []string{"obsidian-mcp-has-no-such-program", filepath.Join(t.TempDir(), "missing"), t.TempDir()} {
		if _, err := Run(t.Context(), Command{Args: []string{program}}); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", program, err)
		}
	}
}

// TestRunEndsEveryProcess starts a program that starts another one, which holds a pipe open as long as it lives.
func TestRunEndsEveryProcess(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		writer, err := os.OpenFile(pipe, os.O_RDONLY, 0) // once the program has opened it for writing
		cancel()
		if err == nil {
			_, err = io.ReadAll(writer) // until no process has it open
		}
		ended <- err
	}()
	command := shell(`sleep 600 >"$1" & wait`)
	command.Args = append(command.Args, "sh", pipe)
	if _, err := Run(ctx, command); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestRunEndsAfterItsTimeout(t *testing.T) {
	command := shell("sleep 600")
	command.Timeout = time.Millisecond
	if _, err := Run(t.Context(), command); !errors.Is(err, ErrTimeout) {
		t.Error(err)
	}
}

// TestRunLeavesWhatWasStarted starts a program that starts another one, as an app is started, and then exits or hangs.
func TestRunLeavesWhatWasStarted(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"exits", "hangs"} {
		ctx, cancel := context.WithCancel(t.Context())
		var id int
		told := make(chan error)
		go func() {
			content, err := os.ReadFile(pipe)
			id, _ = strconv.Atoi(strings.TrimSpace(string(content)))
			if how == "hangs" {
				cancel()
			}
			told <- err
		}()
		command := shell(`sleep 600 >/dev/null 2>&1 & echo $! >"$1"; [ "$2" = exits ] || exec sleep 600`)
		command.Args, command.Leaves = append(command.Args, "sh", pipe, how), true
		_, err := Run(ctx, command)
		if toldErr := <-told; toldErr != nil || id == 0 || errors.Is(err, context.Canceled) != (how == "hangs") {
			t.Fatalf("%s: %v, %v", how, err, toldErr)
		}
		if err := syscall.Kill(id, syscall.SIGKILL); err != nil {
			t.Errorf("%s: %d is no longer running: %v", how, id, err)
		}
		cancel()
	}
}

func TestRunEndsWithItsCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := Run(ctx, shell("sleep 600")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestEnvironmentHasNoSecrets(t *testing.T) {
	own := []string{
		"PATH=/bin", "HOME=/home/x", "SSH_AUTH_SOCK=/s", "GIT_ASKPASS=/a", "GITHUB_TOKEN=ghtoken1", "AWS_SECRET_ACCESS_KEY=k1234567",
		"RCLONE_CONFIG_PASS=open sesame", "VAULT_PASSPHRASE=swordfish", "OWN_SETTING=v1234567", "DB_PASSWORD=p", "OPENAI_API_KEY=sk-123456",
	}
	isSecret := func(name string) bool { return strings.HasPrefix(name, "OWN_") }
	want := []string{"PATH=/bin", "HOME=/home/x", "SSH_AUTH_SOCK=/s", "GIT_ASKPASS=/a", "RCLONE_CONFIG_PASS=open sesame"}
	if got := Environment(own, isSecret, []string{"RCLONE_CONFIG_PASS"}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	text := "fatal: https://me:hunter2@example.com/notes.git: ghtoken1, swordfish, v1234567, ghp_0123456789abcdefghij and open sesame"
	want2 := "fatal: https://***@example.com/notes.git: ***, ***, ***, *** and ***"
	if got := Hide(text, Secrets(own, isSecret)); got != want2 {
		t.Error(got)
	}
}
