package ops_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/testkit/program"
	"obsidian-mcp/internal/testkit/vaultgen"
	"obsidian-mcp/internal/text/regex"
	"obsidian-mcp/internal/text/regex/regextest"
)

// TestVaultSearchIsRipgrep compares vault_search with the real ripgrep, on real vaults and
// a generated one.
func TestVaultSearchIsRipgrep(t *testing.T) {
	skipIfShort(t)
	rg := program.Ripgrep(t)
	t.Run("generated", func(t *testing.T) {
		t.Parallel()
		compareWithRipgrep(t, rg, openFolderVault(t, hardVault(t)))
	})
	for _, name := range []string{"tasks-demo", "kepano-obsidian"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compareWithRipgrep(t, rg, openReal(t, "vaults/"+name))
		})
	}
}

// hardVault generates a vault with everything that is hard to search.
func hardVault(t *testing.T) string {
	dir := memoryDir(t)
	if err := vaultgen.Write(dir, vaultgen.Options{Notes: 60, Seed: 4}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"crlf.md":          "one project\r\ntwo\r\nproject three\r\n",
		"bom.md":           "\ufeffproject at the start\nNaïve Ärger\n",
		"utf16.txt":        "\xff\xfep\x00r\x00o\x00j\x00e\x00c\x00t\x00\n\x00x\x00",
		"binary.dat2":      "project\x00binary",
		"invalid.md":       "caf\xe9 project\nfine\n\xff\xfe\xfd\n",
		"long.md":          strings.Repeat("word ", 3000) + "project\nshort\n",
		"sub/deep/data.js": "const project = 1;\n\n\t// naïve\n",
		"sub/list.csv":     "a,b\n2024-05-17,project",
		"empty.md":         "",
		"blank.md":         "\n\n\n",
		".hidden/x.md":     "project hidden\n",
		".dot.md":          "project hidden\n",
		"k\u212a.md":       "kelvin \u212aelvin ſtraße STRASSE İı\n٣ ½ x²\n日本語 テキスト\nпривет Мир\n",
		"a.canvas":         `{"nodes":[{"id":"1","type":"text","text":"project"}]}`,
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	return dir
}

var filters = []string{"", "", "", "*.md", "!*.md", "*.{md,js}", "sub/**", "/sub", "sub/", "**/deep/*", "!sub", "[a-k]*.md", "*l*", "nowhere", "**", "A/**/*.md", "\\*", "s?b/*.csv"}

func compareWithRipgrep(t *testing.T, rg string, v *realVault) {
	words := []string{"project", "naïve", "Ärger", "привет", "日本語", "2024-05-17", "task", "the", "Templates", "kelvin", "x²", "ing", "[[", "- [ ]", "#", "re", "мир"}
	compared, refused := 0, 0
	for i, pattern := range regextest.Patterns(mode.Rand(7), 300, words) {
		filter := filters[i%len(filters)]
		want, wantErr := v.ripgrep(rg, pattern, filter)
		got, gotErr := v.searchPages(t, pattern, filter)
		if pattern == "" {
			continue // ours refuses an empty query
		}
		if (wantErr != nil) != (gotErr != nil) {
			t.Errorf("%q in %q: ripgrep says %v, ours %v", pattern, filter, wantErr, gotErr)
			continue
		}
		if wantErr != nil {
			refused++
			continue
		}
		if len(got) >= maxCompared {
			want = want[:min(len(want), len(got))]
		}
		if !slices.Equal(want, got) {
			t.Errorf("%q in %q: ripgrep (-), ours (+):\n%.2000s", pattern, filter, cmp.Diff(want, got))
		}
		compared++
	}
	t.Logf("%d patterns gave the same lines, %d were refused by both", compared, refused)
	if compared < 200 {
		t.Errorf("only %d patterns could be compared", compared)
	}
}

// maxCompared is how many lines are compared for a pattern that finds more.
const maxCompared = 3000

// searchPages returns what vault_search finds, page by page.
func (r *realVault) searchPages(t *testing.T, pattern, filter string) ([]ops.LineFound, error) {
	var all []ops.LineFound
	for {
		text, err := r.try("vault_search", map[string]any{"query": pattern, "path_filter": filter, "limit": 10_000, "offset": len(all)})
		if err != nil {
			return nil, err
		}
		var page ops.LinesFound
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Results...)
		if len(page.Results) == 0 || len(all) >= maxCompared {
			return all, nil
		}
	}
}

// ripgrep returns what rg finds, sorted by path and line. Files that it takes for binary
// are left out, and so are hidden files, which a glob would make it search.
func (r *realVault) ripgrep(rg, pattern, filter string) ([]ops.LineFound, error) {
	args := []string{"--no-config", "--no-ignore", "--json", "--threads", "1"}
	if filter != "" {
		args = append(args, "--glob", filter)
	}
	command := exec.Command(rg, append(args, "-e", pattern, "./")...)
	command.Dir = r.dir
	var problem bytes.Buffer
	command.Stderr = &problem
	out, err := command.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && failed.ExitCode() == 1 {
		err = nil // nothing found
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, &problem)
	}
	shown := func(text string) string { return text }
	if compiled, err := regex.Compile(pattern, regex.Options{}); err == nil {
		shown = func(text string) string { return ops.ShownLine(compiled, text) }
	}
	var found, all []ops.LineFound
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var event struct {
			Type string
			Data struct {
				Path, Lines  rgText
				LineNumber   int  `json:"line_number"`
				BinaryOffset *int `json:"binary_offset"`
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, err
		}
		switch event.Type {
		case "match":
			text := strings.TrimSuffix(event.Data.Lines.String(), "\n")
			found = append(found, ops.LineFound{Path: strings.TrimPrefix(event.Data.Path.String(), "./"), Line: event.Data.LineNumber, Text: shown(text)})
		case "end":
			if hidden := strings.Contains(event.Data.Path.String(), "/."); event.Data.BinaryOffset == nil && !hidden {
				all = append(all, found...)
			}
			found = nil
		}
	}
	slices.SortStableFunc(all, func(a, b ops.LineFound) int { return strings.Compare(a.Path, b.Path) })
	return all, lines.Err()
}

// rgText is a text in ripgrep's JSON, in base64 if it is not UTF-8.
type rgText struct{ Text, Bytes string }

func (t rgText) String() string {
	if t.Bytes != "" {
		raw, _ := base64.StdEncoding.DecodeString(t.Bytes)
		return string(raw)
	}
	return t.Text
}
