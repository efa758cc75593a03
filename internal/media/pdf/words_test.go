package pdf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/media/pdf"
)

// TestWordsOfOtherPrograms compares the words that we find with those that poppler finds. tools/pdf/run writes the documents
// with different programs, and the text of each beside it.
func TestWordsOfOtherPrograms(t *testing.T) {
	folder := os.Getenv("OBSIDIAN_MCP_TEST_PDFS")
	if folder == "" {
		t.Skip("tools/pdf/run sets OBSIDIAN_MCP_TEST_PDFS")
	}
	documents, err := filepath.Glob(filepath.Join(folder, "*.pdf"))
	if err != nil || len(documents) < 10 {
		t.Fatalf("%d documents in %s: %v", len(documents), folder, err)
	}
	for _, document := range documents {
		t.Run(filepath.Base(document), func(t *testing.T) {
			data, err := os.ReadFile(document)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(strings.TrimSuffix(document, ".pdf") + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Fields(ligatures.Replace(string(text)))
			got := strings.Fields(readAll(t, data))
			missing := missingWords(want, got)
			share := 100 * float64(len(want)-len(missing)) / float64(len(want))
			t.Logf("%5.1f %% of %d words; %d of ours", share, len(want), len(got))
			if len(want) < 20 || share < 95 || len(got) > len(want)*105/100+2 {
				t.Errorf("missing: %q\nours: %q", missing, got)
			}
		})
	}
}

var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")

// missingWords returns the words of want that got does not have as often.
func missingWords(want, got []string) []string {
	count := map[string]int{}
	for _, word := range got {
		count[word]++
	}
	var missing []string
	for _, word := range want {
		if count[word]--; count[word] < 0 {
			missing = append(missing, word)
		}
	}
	return missing
}

// readAll returns the text of all pages.
func readAll(t *testing.T, data []byte) string {
	t.Helper()
	document, err := pdf.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	var pages []string
	for page := range document.Pages {
		text, err := document.Text(t.Context(), page+1)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, text)
	}
	return strings.Join(pages, "\n\f\n")
}
