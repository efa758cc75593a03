package index_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/regex"
)

// A search stops, even in the middle of a file's only line, when its regular expression costs too much or its
// context is cancelled.
func TestCostlySearchesStop(t *testing.T) {
	t.Parallel()
	var parser index.Parser
	line := strings.Repeat("ab ba aab bba abab ", 2_000)
	s := index.New([]*index.Entry{parser.Parse("long.md", []byte(line+"!"))}, nil)
	const pattern = `(?:a|b).{20}(?:a|b).{30}a!`
	searches := map[string]func(context.Context, *regex.Limit) error{
		"Grep": func(ctx context.Context, limit *regex.Limit) error {
			_, _, err := s.Grep(ctx, index.Grep{Pattern: compile(t, pattern, limit), FullScan: true}, 10)
			return err
		},
		"GrepCount": func(ctx context.Context, limit *regex.Limit) error {
			_, _, err := s.GrepCount(ctx, index.Grep{Pattern: compile(t, pattern, limit), FullScan: true})
			return err
		},
		"Search": func(ctx context.Context, limit *regex.Limit) error {
			query, err := search.Parse("/"+pattern+"/", search.Options{Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Search(ctx, index.Search{Query: query, Limit: 10})
			return err
		},
	}
	for name, run := range searches {
		if err := run(t.Context(), regex.NewLimit(nil, 1<<30)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		err := run(t.Context(), regex.NewLimit(nil, -1))
		if fault.KindOf(err) != fault.InvalidArgument || fault.HintOf(err) == "" {
			t.Errorf("%s with no steps left: got %v, want an invalid argument with a hint", name, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := run(ctx, regex.NewLimit(ctx.Done(), 1<<30)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: got %v", name, err)
		}
	}
}

// The function that selects files may be slow, so cancellation must end the selection too.
func TestCancelEndsFileSelection(t *testing.T) {
	t.Parallel()
	s := index.New(alike(100), nil)
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	keep := func(vpath.Path) bool { calls++; cancel(); return true }
	_, _, err := s.Grep(ctx, index.Grep{Pattern: compile(t, "text", nil), Keep: keep}, 10)
	if !errors.Is(err, context.Canceled) || calls > 20 {
		t.Errorf("keep was called %d times after cancellation, err %v", calls, err)
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
