package glob_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/testkit/program"
	"obsidian-mcp/internal/text/glob"
)

var treeNames = []string{
	"a", "b", "ab", "abc", "foo", "bar", "notes", "Notes", "Daily", "2024", "x y",
	"é", "привет", "日", "a-b", "[x]", "{y}", "!z", "#t", "q?", "a,b", ".hidden",
}

// makeTree writes random files and returns their paths, sorted.
func makeTree(t *testing.T, random *rand.Rand, dir string) []string {
	t.Helper()
	paths := map[string]bool{}
	for range 120 {
		var parts []string
		for range random.IntN(4) {
			parts = append(parts, treeNames[random.IntN(len(treeNames))])
		}
		name := treeNames[random.IntN(len(treeNames))] + []string{".md", ".md", ".canvas", ".png", ""}[random.IntN(5)]
		path := strings.Join(append(parts, name), "/")
		full := filepath.Join(dir, filepath.FromSlash(path))
		if os.MkdirAll(filepath.Dir(full), 0o755) != nil {
			continue // one of its folders is a file
		}
		if os.WriteFile(full, []byte("x\n"), 0o600) == nil {
			paths[path] = true
		}
	}
	var sorted []string
	for path := range paths {
		sorted = append(sorted, path)
	}
	slices.Sort(sorted)
	return sorted
}

// randomGlob joins pieces of globs.
func randomGlob(random *rand.Rand) string {
	pieces := []string{
		"*", "*", "**", "**/", "/**", "/", "/", "?", "??", "*.md", "*.{md,png}", "[a-c]",
		"[!a]", "[^a]*", "[]x]", "[a-]", "[é]", "{a,b}", "{a,{b,foo}}", "{,a}", "{}",
		"{**/a,b}", "{a/**,b}", `\*`, `\[x\]`, `\!z`, "a", "b", "foo", "notes", ".md", "é", "日", ",", "-", " ",
	}
	var text strings.Builder
	if random.IntN(4) == 0 {
		text.WriteString("!")
	}
	for range 1 + random.IntN(5) {
		if random.IntN(3) == 0 {
			text.WriteString(treeNames[random.IntN(len(treeNames))])
		} else {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		if random.IntN(4) == 0 {
			text.WriteString("/")
		}
	}
	if random.IntN(25) == 0 {
		text.WriteString([]string{"[", "{", "}", `\`, "[z-a]", "[a", "{a,b", "[я-а]", "[а-я]"}[random.IntN(9)])
	}
	return text.String()
}

// globOf makes a glob from a path: some of its names become wildcards.
func globOf(random *rand.Rand, path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		switch random.IntN(6) {
		case 0:
			parts[i] = "*"
		case 1:
			parts[i] = "**"
		case 2:
			parts[i] = "{" + part + "," + treeNames[random.IntN(len(treeNames))] + "*}"
		case 3:
			parts[i] = "*" + filepath.Ext(part)
		case 4:
			parts[i] = "?" + strings.TrimLeft(part, "ab")
		}
	}
	start := []string{"", "", "/", "!", "!/"}[random.IntN(5)]
	end := []string{"", "", "", "/", "/**", "*"}[random.IntN(6)]
	return start + strings.Join(parts[random.IntN(len(parts)):], "/") + end
}

func TestRipgrepSearchesTheSameFiles(t *testing.T) {
	rg := program.Ripgrep(t)
	n := mode.Pick(400, 400, 20_000)
	random := mode.Rand(0)
	dir := t.TempDir()
	paths := makeTree(t, random, dir)
	refused, selective := 0, 0
	for range n {
		pattern := randomGlob(random)
		if random.IntN(2) == 0 {
			pattern = globOf(random, paths[random.IntN(len(paths))])
		}
		want, complaint := ripgrepFiles(t, rg, dir, pattern)
		g, err := glob.Compile(pattern)
		if (err != nil) != (complaint != "") {
			t.Errorf("%q: our error is %v, ripgrep's %q", pattern, err, complaint)
			continue
		}
		if err != nil {
			refused++
			continue
		}
		var got []string
		for _, path := range paths {
			if g.Match(path) {
				got = append(got, path)
			}
		}
		if 0 < len(got) && len(got) < len(paths) {
			selective++
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %s", pattern, difference(got, want))
		}
	}
	t.Logf("%d globs over %d files, %d refused by both, %d that select some files", n, len(paths), refused, selective)
	if refused == 0 || selective < n/8 {
		t.Error("too few globs are refused or select only some files: the test proves little")
	}
}

func difference(got, want []string) string {
	for _, path := range got {
		if !slices.Contains(want, path) {
			return "only we select " + path
		}
	}
	for _, path := range want {
		if !slices.Contains(got, path) {
			return "only ripgrep selects " + path
		}
	}
	return "the order differs"
}

// ripgrepFiles lists the files that ripgrep selects, sorted, or returns its error message.
func ripgrepFiles(t *testing.T, rg, dir, pattern string) (paths []string, complaint string) {
	t.Helper()
	command := exec.Command(rg, "--no-config", "--no-ignore", "--hidden", "--files", "-0", "--glob="+pattern)
	command.Dir = dir
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); command.ProcessState == nil {
		t.Fatal(err)
	}
	if command.ProcessState.ExitCode() == 2 {
		return nil, strings.TrimSpace(stderr.String())
	}
	paths = strings.FieldsFunc(stdout.String(), func(r rune) bool { return r == 0 })
	slices.Sort(paths)
	return paths, ""
}
