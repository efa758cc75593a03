package summary_test

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/tools/txtar"

	"obsidian-mcp/internal/note/summary"
)

// judged is a note and what a reader expects of its summary.
type judged struct {
	name, title string
	rules       []string // "40 has: fragment", "lacks", "once"
	note        []byte
}

func readJudged(t *testing.T) []judged {
	t.Helper()
	files, err := filepath.Glob("testdata/judged/*.txtar")
	if err != nil || len(files) < 12 {
		t.Fatalf("found %d judged notes, want at least 12: %v", len(files), err)
	}
	var notes []judged
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil || len(archive.Files) != 1 {
			t.Fatalf("%s must contain one note: %v", file, err)
		}
		lines := strings.Split(strings.TrimSpace(string(archive.Comment)), "\n")
		title, ok := strings.CutPrefix(lines[0], "title: ")
		if !ok {
			t.Fatalf("%s does not start with a title", file)
		}
		notes = append(notes, judged{filepath.Base(file), title, lines[1:], archive.Files[0].Data})
	}
	return notes
}

// rarity returns the weights that an index of the judged notes would give.
func rarity(notes []judged) func(string) float64 {
	noteCount := map[string]int{}
	for _, note := range notes {
		seen := map[string]bool{}
		isSeparator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
		for _, word := range strings.FieldsFunc(strings.ToLower(string(note.note)), isSeparator) {
			if !seen[word] {
				seen[word] = true
				noteCount[word]++
			}
		}
	}
	return func(term string) float64 {
		return math.Log(1 + float64(len(notes))/float64(1+noteCount[term]))
	}
}

func TestJudgedNotes(t *testing.T) {
	notes := readJudged(t)
	weights := map[string]func(string) float64{"weighted": rarity(notes), "unweighted": nil}
	for _, note := range notes {
		for kind, weight := range weights {
			t.Run(note.name+"/"+kind, func(t *testing.T) {
				for _, budget := range []int{40, 100} {
					got := summary.Extract(note.note, note.title, budget, weight)
					if got.Words > budget || got.Words == 0 {
						t.Errorf("%d words of %d", got.Words, budget)
					}
					t.Logf("%d of %d words, asked for %d:\n%s", got.Words, got.Total, budget, got.Text)
					for _, rule := range note.rules {
						checkRule(t, rule, budget, got.Text)
					}
				}
			})
		}
	}
}

// checkRule checks a rule such as "40 has: fragment".
func checkRule(t *testing.T, rule string, budget int, text string) {
	t.Helper()
	head, fragment, ok := strings.Cut(rule, ":")
	words, verb, ok2 := strings.Cut(head, " ")
	limit, err := strconv.Atoi(words)
	if !ok || !ok2 || err != nil {
		t.Fatalf("invalid rule %q", rule)
	}
	if limit != budget {
		return
	}
	fragment = strings.TrimPrefix(fragment, " ")
	switch verb {
	case "has": // any of the alternatives
		ok = slices.ContainsFunc(strings.Split(fragment, " || "), func(part string) bool {
			return strings.Contains(text, part)
		})
	case "lacks":
		ok = !strings.Contains(text, fragment)
	case "once":
		ok = strings.Count(text, fragment) == 1
	default:
		t.Fatalf("invalid rule %q", rule)
	}
	if !ok {
		t.Errorf("the summary violates the rule %q:\n%s", rule, text)
	}
}
