package docgen

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const repository = "../../"

func TestComparisonIsProven(t *testing.T) {
	for _, group := range comparison(t).Groups {
		for _, row := range group.Rows {
			for _, proof := range row.Proof {
				if !exists(t, proof) {
					t.Errorf("%s: the proof %q does not exist", row.Feature, proof)
				}
			}
		}
	}
}

// TestMissingProofsAreNoticed checks each kind of proof.
func TestMissingProofsAreNoticed(t *testing.T) {
	for proof, want := range map[string]bool{
		"test internal/docgen TestMissingProofsAreNoticed": true,
		"test internal/docgen TestMissingProofs":           false,
		"test internal/nowhere TestProofs":                 false,
		"tool read_note":                                   true,
		"tool read_not":                                    false,
		"command doctor":                                   true,
		"command docto":                                    false,
		"make demo":                                        true,
		"make dem":                                         false,
		"hearsay":                                          false,
	} {
		if got := exists(t, proof); got != want {
			t.Errorf("%q: %v, want %v", proof, got, want)
		}
	}
}

func TestComparisonIsHonest(t *testing.T) {
	c := comparison(t)
	behind, front := 0, map[Answer]int{}
	for _, group := range c.Groups {
		for _, row := range group.Rows {
			if row.Ours != "yes" {
				behind++
			}
			if row.Front {
				front[row.Ours]++
			}
		}
	}
	if behind < 10 || front["no"] < 3 {
		t.Errorf("only %d rows say that others are better, %d of them in the README: that is not credible", behind, front["no"])
	}
	for _, peer := range c.Peers {
		if !strings.Contains(peer.Repository, "/") || len(peer.Read) != len("2026-01-31") {
			t.Errorf("%s: %q as of %q cannot be looked up", peer.Name, peer.Repository, peer.Read)
		}
	}
}

func TestComparisonTables(t *testing.T) {
	c := comparison(t)
	for name, table := range map[string]string{"front": c.Front(), "full": c.Full(), "compared": c.Compared()} {
		columns := 0
		for line := range strings.Lines(table) {
			n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if n == 0 {
				columns = 0
			} else if columns == 0 {
				columns = n
			}
			if n != columns {
				t.Errorf("%s: %d columns, want %d: %s", name, n, columns, line)
			}
		}
	}
}

func TestParseComparisonRefuses(t *testing.T) {
	const valid = `{"peers":[{"id":"a"}],"groups":[{"title":"t","rows":[{"feature":"f","ours":"yes","proof":["make demo"],"peers":{"a":"yes"},"how":"run","evidence":"e"}]}]}`
	if _, err := ParseComparison([]byte(valid)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"no proof":            {`"proof":["make demo"],`, ``},
		"an unknown answer":   {`"ours":"yes"`, `"ours":"surely"`},
		"our own is unknown":  {`"ours":"yes"`, `"ours":"unknown"`},
		"part without a note": {`"ours":"yes"`, `"ours":"part"`},
		"an unknown peer":     {`{"a":"yes"}`, `{"b":"yes"}`},
		"an answer of a peer": {`{"a":"yes"}`, `{"a":"maybe"}`},
		"no evidence":         {`"evidence":"e"`, `"evidence":""`},
		"an unknown source":   {`"how":"run"`, `"how":"heard"`},
		"a misspelt key":      {`"feature"`, `"feture"`},
		"not valid JSON":      {`"groups"`, `groups`},
	} {
		if _, err := ParseComparison([]byte(strings.Replace(valid, change[0], change[1], 1))); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func comparison(t *testing.T) Comparison {
	t.Helper()
	c, err := ParseComparison([]byte(read(t, "docs/comparison.json")))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// exists reports whether a proof exists in the repository.
func exists(t *testing.T, proof string) bool {
	t.Helper()
	kind, name, _ := strings.Cut(proof, " ")
	switch kind {
	case "test":
		folder, test, _ := strings.Cut(name, " ")
		return matches(t, folder+"/*_test.go", `(?m)^func `+regexp.QuoteMeta(test)+`\(t \*testing\.T\)`)
	case "tool":
		_, err := os.Stat(repository + "internal/ops/testdata/tools/" + name + ".json")
		return err == nil
	case "command":
		return matches(t, "internal/surface/cli/*.go", `(Use:\s+|command\()"`+regexp.QuoteMeta(name)+`[ "]`)
	case "make":
		return matches(t, "Makefile", `(?m)^`+regexp.QuoteMeta(name)+`:`)
	}
	return false
}

// matches reports whether any file that the glob finds matches the pattern.
func matches(t *testing.T, glob, pattern string) bool {
	t.Helper()
	files, err := filepath.Glob(repository + glob)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if regexp.MustCompile(pattern).MatchString(read(t, strings.TrimPrefix(filepath.ToSlash(file), repository))) {
			return true
		}
	}
	return false
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(repository + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
