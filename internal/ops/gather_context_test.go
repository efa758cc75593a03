package ops_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/text/tokens"
)

// example is the example vault in memory.
func example(t testing.TB) *mem.Store {
	t.Helper()
	root := filepath.Join("..", "..", "examples", "vault")
	files := map[string]string{}
	err := filepath.WalkDir(root, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(name)
		relative, _ := filepath.Rel(root, name)
		files[filepath.ToSlash(relative)] = string(text)
		return err
	})
	if err != nil || len(files) < 40 {
		t.Fatalf("%d notes, %v", len(files), err)
	}
	return mem.New(files)
}

// The answer never takes more tokens than the budget, and says honestly how many it takes.
func TestGatheredFitsItsBudget(t *testing.T) {
	tools := toolsOn(t, example(t))
	budgets := []int{100, 101, 137, 200, 400, 1000, 4000, 100_000}
	if mode.Full() {
		for budget := 110; budget < 3000; budget += 37 {
			budgets = append(budgets, budget)
		}
	}
	for _, question := range []string{"How do we know that the tide table is right?", "launch", "潮", "Who is Priya and what does she want from the print edition?"} {
		for _, budget := range budgets {
			answer, err := invoke(t.Context(), t, tools, "gather_context", map[string]any{"question": question, "budget": budget, "notes": []string{"Launch"}})
			if err != nil {
				t.Fatal(err)
			}
			if took := tokens.Of([]byte(answer.Text)); took > budget {
				t.Errorf("%q: %d tokens of %d\n%s", question, took, budget, answer.Text)
			}
		}
	}
}

// No passage is there twice, and no more budget means less.
func TestGatheredSaysNothingTwice(t *testing.T) {
	tools := toolsOn(t, example(t))
	before := 0
	for _, budget := range []int{300, 600, 1200, 2400, 4800} {
		answer, err := invoke(t.Context(), t, tools, "gather_context", map[string]any{"question": "tide table gauge launch harbour", "budget": budget})
		if err != nil {
			t.Fatal(err)
		}
		passages := strings.Split(strings.Split(answer.Text, "## Linked notes")[0], "\n## ")
		seen := map[string]bool{}
		for _, passage := range passages {
			_, text, _ := strings.Cut(passage, "\n\n")
			if text = strings.TrimSpace(text); seen[text] {
				t.Errorf("%d tokens: twice %q", budget, text)
			}
			seen[text] = true
		}
		if len(passages) < before {
			t.Errorf("%d tokens give %d passages, fewer than before", budget, len(passages))
		}
		before = len(passages)
	}
}

// Words that every note has are looked for, if a question has no others.
func TestGatheredFromCommonWords(t *testing.T) {
	for _, count := range []int{1, 5, 60, 400} {
		files := map[string]string{}
		for i := range count {
			files[fmt.Sprintf("n%d.md", i)] = fmt.Sprintf("# N%d\n\nzebra facts %d\n", i, i)
		}
		answer, err := invoke(t.Context(), t, toolsOn(t, mem.New(files)), "gather_context", map[string]any{"question": "What about the zebra?", "budget": 400})
		if shown := strings.Count(answer.Text, "zebra facts"); err != nil || shown < min(count, 8) {
			t.Errorf("%d notes: %d passages, %v\n%s", count, shown, err, answer.Text)
		}
	}
}

// A passage that uses other words than the question is found by what it means.
func TestGatheredByMeaning(t *testing.T) {
	files := map[string]string{"Files.md": "# Weather\n\n" + strings.Repeat("The weather on the coast was mild.\n\n", 40) + "# Cleaning up\n\nRemove a directory with the delete key.\n\n# Ferry\n\n" + strings.Repeat("The ferry left at noon.\n\n", 40)}
	for i := range 20 {
		files[fmt.Sprintf("n%d.md", i)] = fmt.Sprintf("# N%d\n\nThe tide was high on day %d.\n", i, i)
	}
	answer, err := invoke(t.Context(), t, toolsOn(t, mem.New(files)), "gather_context", map[string]any{"question": "Wie lösche ich einen Ordner?", "budget": 300})
	if err != nil || !strings.Contains(answer.Text, "Remove a directory") {
		t.Errorf("%v\n%s", err, answer.Text)
	}
}

// Passages that are left out are counted by where they are, so that the list is short.
func TestLeftOutIsCountedByPlace(t *testing.T) {
	files := map[string]string{"Zebras.md": "# Herds\n\n" + strings.Repeat("A zebra is striped, and lives in a herd of zebras that moves on every day.\n\n", 100)}
	for i := range 100 {
		files["Zebras.md"] += fmt.Sprintf("Zebra number %d was seen at the water on a day with its own weather, the %d.\n\n", i, i*i)
	}
	answer, err := invoke(t.Context(), t, toolsOn(t, mem.New(files)), "gather_context", map[string]any{"question": "zebra", "budget": 300})
	_, left, _ := strings.Cut(answer.Text, "## Left out")
	if err != nil || strings.Count(left, "Zebras.md › Herds") != 1 || !strings.Contains(left, " passages, ") {
		t.Errorf("%v\n%s", err, answer.Text)
	}
}
