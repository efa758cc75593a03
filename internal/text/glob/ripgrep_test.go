package glob_test

import (
	"bytes"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"obsidian-mcp/internal/text/glob"
	"obsidian-mcp/internal/text/regex/regextest"
)

var treeNames = []string{"a", "b", "ab", "abc", "foo", "bar", "notes", "Notes", "Daily", "2024", "x y", "é", "привет", "日", "a-b", "[x]", "{y}", "!z", "#t", "q?", "a,b", ".hidden"}

// makeTree writes files at random and returns their paths, sorted.
func makeTree(t *testing.T, random *rand.Rand, dir string) []string {
	t.Helper()
	paths := map[string]bool{}
	for range 120 {
		var parts []string
		for range random.Intn(4) {
			parts = append(parts, treeNames[random.Intn(len(treeNames))])
		}
		name := treeNames[random.Intn(len(treeNames))] + []string{".md", ".md", ".canvas", ".png", ""}[random.Intn(5)]
		path := strings.Join(append(parts, name), "/")
		full := filepath.Join(dir, filepath.FromSlash(path))
		if os.MkdirAll(filepath.Dir(full), 0o755) != nil {
			continue // a part of it is a file
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

// randomGlob puts pieces of globs together.
func randomGlob(random *rand.Rand) string {
	pieces := []string{"*", "*", "**", "**/", "/**", "/", "/", "?", "??", "*.md", "*.{md,png}", "[a-c]", "[!a]", "[^a]*", "[]x]", "[a-]", "[é]", "{a,b}", "{a,{b,foo}}", "{,a}", "{}",
		"{**/a,b}", "{a/**,b}", `\*`, `\[x\]`, `\!z`, "a", "b", "foo", "notes", ".md", "é", "日", ",", "-", " "}
	var text strings.Builder
	if random.Intn(4) == 0 {
		text.WriteString("!")
	}
	for range 1 + random.Intn(5) {
		if random.Intn(3) == 0 {
			text.WriteString(treeNames[random.Intn(len(treeNames))])
		} else {
			text.WriteString(pieces[random.Intn(len(pieces))])
		}
		if random.Intn(4) == 0 {
			text.WriteString("/")
		}
	}
	if random.Intn(25) == 0 {
		text.WriteString([]string{"[", "{", "}", `\`, "[z-a]", "[a", "{a,b", "[я-а]", "[а-я]"}[random.Intn(9)])
	}
	return text.String()
}

// globOf makes a glob of a path: some of its names, some wildcards.
func globOf(random *rand.Rand, path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		switch random.Intn(6) {
		case 0:
			parts[i] = "*"
		case 1:
			parts[i] = "**"
		case 2:
			parts[i] = "{" + part + "," + treeNames[random.Intn(len(treeNames))] + "*}"
		case 3:
			parts[i] = "*" + filepath.Ext(part)
		case 4:
			parts[i] = "?" + strings.TrimLeft(part, "ab")
		}
	}
	glob := strings.Join(parts[random.Intn(len(parts)):], "/")
	return []string{"", "", "/", "!", "!/"}[random.Intn(5)] + glob + []string{"", "", "", "/", "/**", "*"}[random.Intn(6)]
}

func TestRipgrepSearchesTheSameFiles(t *testing.T) {
	rg := regextest.Ripgrep(t)
	seed, n := int64(1), 400
	if given, err := strconv.ParseInt(os.Getenv("OBSIDIAN_MCP_TEST_SEED"), 10, 64); err == nil {
		seed = given
	}
	if given, err := strconv.Atoi(os.Getenv("OBSIDIAN_MCP_TEST_PATTERNS")); err == nil {
		n = given
	}
	random := rand.New(rand.NewSource(seed))
	dir := t.TempDir()
	paths := makeTree(t, random, dir)
	refused, some := 0, 0
	for range n {
		pattern := randomGlob(random)
		if random.Intn(2) == 0 {
			pattern = globOf(random, paths[random.Intn(len(paths))])
		}
		want, complaint := listed(t, rg, dir, pattern)
		g, err := glob.Compile(pattern)
		if (err != nil) != (complaint != "") {
			t.Errorf("%q: ours says %v, ripgrep %q", pattern, err, complaint)
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
			some++
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %s", pattern, difference(got, want))
		}
	}
	t.Logf("%d globs over %d files, %d refused by both, %d that tell files apart", n, len(paths), refused, some)
	if n >= 300 && (refused == 0 || some < n/8) {
		t.Error("the globs are not worth much")
	}
}

func difference(got, want []string) string {
	for _, path := range got {
		if !slices.Contains(want, path) {
			return "ours has " + path + ", ripgrep has not"
		}
	}
	for _, path := range want {
		if !slices.Contains(got, path) {
			return "ripgrep has " + path + ", ours has not"
		}
	}
	return "another order"
}

func listed(t *testing.T, rg, dir, pattern string) (paths []string, complaint string) {
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
