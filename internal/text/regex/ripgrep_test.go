package regex_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/testkit/program"
	"obsidian-mcp/internal/text/regex"
	"obsidian-mcp/internal/text/regex/regextest"
)

var searchWords = []string{
	"project", "Projekt", "the", "ing", "note", "2024-05-17", "42", "foo_bar", "naïve", "Straße", "STRASSE", "привет", "Мир",
	"ΑΒΓ", "σίγμας", "日本語", "ひらがな", "kelvin", "\u212a", "ſ", "s", "İstanbul", "ı", "ǅ", "ﬅ", "e\u0301", "٣", "😀",
	"x-y", "[[link]]", "#tag", "a.b", "- [ ]", "…",
}

var invalidBytes = []string{"\xff", "\xe2\x82", "\xc3", "\x80", "\xed\xa0\x80", "\xf0\x9f\x98", "\xc0\xaf"}

// searchText makes lines of words in many scripts, with difficult characters in between.
func searchText(random *rand.Rand, lines int, end string, invalid bool) []byte {
	var text bytes.Buffer
	separators := []string{" ", " ", " ", "", ", ", "\t", "-", "_", ".", "\u00a0", "\u3000", "\u200d"}
	for range lines {
		for range random.IntN(9) {
			word := searchWords[random.IntN(len(searchWords))]
			switch random.IntN(6) {
			case 0:
				word = strings.ToUpper(word)
			case 1:
				word = string([]rune(word)[:1])
			}
			text.WriteString(word + separators[random.IntN(len(separators))])
			if invalid && random.IntN(4) == 0 {
				text.WriteString(invalidBytes[random.IntN(len(invalidBytes))])
			}
		}
		text.WriteString(end)
	}
	return text.Bytes()
}

// searchFiles are the texts that we search and ripgrep searches.
func searchFiles() map[string][]byte {
	random := rand.New(rand.NewPCG(1, 1))
	files := map[string][]byte{
		"lf.md":      searchText(random, 150, "\n", false),
		"crlf.md":    searchText(random, 40, "\r\n", false),
		"invalid.md": searchText(random, 80, "\n", true),
		"noend.md":   append(searchText(random, 10, "\n", false), "project"...),
		"return.md":  []byte("a\rb\r\nproject\r"),
		"empty.md":   {},
		"blank.md":   []byte("\n\n \n\t\n\n"),
		"long.md":    bytes.Repeat(searchText(random, 3, " ", false), 200),
		"ascii.md":   []byte("The project is done.\nfoo_bar = 42; // note\n\nkings and queens\n  indented\nend"),
	}
	return files
}

func TestRipgrepFindsTheSame(t *testing.T) {
	rg := program.Ripgrep(t)
	n := mode.Pick(400, 400, 20_000)
	dir := t.TempDir()
	files := searchFiles()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := slices.Sorted(maps.Keys(files))
	refused, found := 0, 0
	for _, pattern := range regextest.Patterns(mode.Rand(0), n, searchWords) {
		want, wantErr := runRipgrep(t, rg, dir, pattern, names)
		got, err := ours(pattern, files, names)
		if (err != nil) != (wantErr != "") {
			t.Errorf("%q: our error is %v, ripgrep's %q", pattern, err, wantErr)
			continue
		}
		if err != nil {
			refused++
			continue
		}
		if len(got) > 0 {
			found++
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %s", pattern, firstDifference(got, want))
		}
	}
	t.Logf("%d patterns, %d refused by both, %d with matches", n, refused, found)
	if refused == 0 || found < n/4 {
		t.Errorf("too few patterns are refused or match: the test proves little")
	}
}

func firstDifference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			return fmt.Sprintf("line %d of %d and %d: ours %.200q, ripgrep %.200q", i, len(got), len(want), g, w)
		}
	}
	return ""
}

// runRipgrep returns lines of path:number:text, or the error message.
func runRipgrep(t *testing.T, rg, dir, pattern string, names []string) (lines []string, complaint string) {
	t.Helper()
	args := []string{"--no-config", "--no-ignore", "--color=never", "--no-heading", "-nH", "--sort=path", "-e", pattern, "--"}
	args = append(args, names...)
	command := exec.Command(rg, args...)
	command.Dir = dir
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); command.ProcessState == nil {
		t.Fatal(err)
	}
	if command.ProcessState.ExitCode() == 2 {
		return nil, strings.TrimSpace(stderr.String())
	}
	return strings.FieldsFunc(stdout.String(), func(r rune) bool { return r == '\n' }), ""
}

func ours(pattern string, files map[string][]byte, names []string) ([]string, error) {
	r, err := regex.Compile(pattern, regex.Options{})
	if err != nil {
		return nil, err
	}
	m := r.Matcher()
	defer m.Release()
	var lines []string
	for _, name := range names {
		text := files[name]
		number, counted := 1, 0
		m.Lines(text, func(start, end int) bool {
			number += bytes.Count(text[counted:start], []byte{'\n'})
			counted = start
			lines = append(lines, fmt.Sprintf("%s:%d:%s", name, number, text[start:end]))
			return true
		})
	}
	return lines, nil
}
