package app

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestShellCompletion: the program proposes what may follow.
func TestShellCompletion(t *testing.T) {
	t.Parallel()
	home := userFolder(t)
	for typed, want := range map[string][]string{
		"call|read":                         {"read_note", "read_section"},
		"call|rename_note|--dry":            {"--dry-run"},
		"call|rename_note|--dry-run=|":      {},
		"--style|":                          {"plain", "contract"},
		"--read-only=|":                     {},
		"--toolsets|notes,g":                {"notes,graph"},
		"--toolsets=-h":                     {"-history"},
		"--vault|":                          {"vault"},
		"--vault-path|":                     {":16"},
		"--config|":                         {"yaml", "yml", ":8"},
		"livesync|pu":                       {"pull", "push"},
		"livesync|pull|":                    {":16"},
		"stdio|--log-level|":                {"debug", "error"},
		"doctor|":                           {":4"},
		"completion|":                       {"bash", "fish", "powershell", "zsh"},
		"--use-path-obfuscation|":           {"auto", "true", "false"},
		"http|--insecure-no-auth|--met":     {"--metrics"},
		"history|--vault-path|$HOME/vault|": {":36"},
		"call|undo_change|--vault-path|$HOME/vault|--id|": {":36"},
	} {
		t.Run(typed, func(t *testing.T) {
			t.Parallel()
			args := strings.Split(strings.ReplaceAll(typed, "$HOME", home), "|")
			cmd := command(t, "", append([]string{"__complete"}, args...)...)
			cmd.Env = []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/one", "PATH=" + os.Getenv("PATH")}
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, line := range lines(string(out)) {
				word, _, _ := strings.Cut(line, "\t")
				got = append(got, word)
			}
			for _, word := range want {
				if !slices.Contains(got, word) {
					t.Errorf("%q is not in %q", word, got)
				}
			}
		})
	}
}

// TestParametersComeFirst: settings are proposed for a tool only if none of its parameters starts with the typed letters.
func TestParametersComeFirst(t *testing.T) {
	t.Parallel()
	for typed, settings := range map[string]bool{"--": false, "--s": false, "--style": true, "--vault": true} {
		out, err := command(t, "", "__complete", "call", "read_note", typed).Output()
		if err != nil {
			t.Fatal(err)
		}
		offersSetting := strings.Contains(string(out), "--style\t") || strings.Contains(string(out), "--vault\t")
		if offersSetting != settings || typed == "--" && !strings.Contains(string(out), "--max-lines\t") {
			t.Errorf("%s:\n%s", typed, out)
		}
	}
}

// TestCompletionInBash: a real shell completes with the generated script.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	name := programPath(t)
	script := `obsidian-mcp() { "$PROGRAM" "$@"; }
_init_completion() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${COMP_WORDS[COMP_CWORD]}; prev=${COMP_WORDS[COMP_CWORD-1]}; }
_get_comp_words_by_ref() { _init_completion; }
__ltrim_colon_completions() { :; }
compopt() { :; }
source <(obsidian-mcp completion bash)
COMP_WORDS=(obsidian-mcp call read_s); COMP_CWORD=2; COMP_LINE="obsidian-mcp call read_s"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_KEY=9
__start_obsidian-mcp
printf '%s\n' "${COMPREPLY[@]}"`
	cmd := exec.Command("bash", "-c", script)
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "PROGRAM=" + name}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "read_section" {
		t.Errorf("%v: %s", err, out)
	}
}
