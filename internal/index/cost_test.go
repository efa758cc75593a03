package index_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/regex"
)

// TestCostlyPatterns ends every search that a regular expression makes costly,
// and every one that nobody waits for, in the midst of a file's only line.
func TestCostlyPatterns(t *testing.T) {
	var parser index.Parser
	line := strings.Repeat("ab ba aab bba abab ", 2_000)
	s := index.New([]*index.Entry{parser.Parse("long.md", []byte(line+"!"))}, nil)
	const pattern = `(?:a|b).{20}(?:a|b).{30}a!`
	searches := map[string]func(context.Context, *regex.Limit) error{
		"Grep": func(ctx context.Context, limit *regex.Limit) error {
			_, _, err := s.Grep(ctx, index.Grep{Pattern: compile(t, pattern, limit), Unaided: true}, 10)
			return err
		},
		"GrepCount": func(ctx context.Context, limit *regex.Limit) error {
			_, _, err := s.GrepCount(ctx, index.Grep{Pattern: compile(t, pattern, limit), Unaided: true})
			return err
		},
		"Search": func(ctx context.Context, limit *regex.Limit) error {
			asked, err := search.Parse("/"+pattern+"/", search.Options{Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Search(ctx, index.Search{Query: asked, Limit: 10})
			return err
		},
	}
	for name, search := range searches {
		if err := search(t.Context(), regex.NewLimit(nil, 1<<30)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := search(t.Context(), regex.NewLimit(nil, -1)); fault.KindOf(err) != fault.InvalidArgument || fault.HintOf(err) == "" {
			t.Errorf("%s, with no steps left: %v", name, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := search(ctx, regex.NewLimit(ctx.Done(), 1<<30)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", name, err)
		}
	}
}

// TestCancelledWhileFilesAreChosen: what chooses the files may be slow, too.
func TestCancelledWhileFilesAreChosen(t *testing.T) {
	var parser index.Parser
	var entries []*index.Entry
	for i := range 100 {
		entries = append(entries, parser.Parse(vpath.Path(fmt.Sprintf("%d.md", i)), []byte("text")))
	}
	s := index.New(entries, nil)
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	_, _, err := s.Grep(ctx, index.Grep{Pattern: compile(t, "text", nil), Keep: func(vpath.Path) bool { asked++; cancel(); return true }}, 10)
	if !errors.Is(err, context.Canceled) || asked > 20 {
		t.Errorf("%d files are asked about after the end: %v", asked, err)
	}
}

func compile(t *testing.T, pattern string, limit *regex.Limit) *regex.Regex {
	t.Helper()
	compiled, err := regex.Compile(pattern, regex.Options{Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}
