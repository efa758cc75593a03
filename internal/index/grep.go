package index

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/text/regex"
)

// Line is a matching line of a file.
type Line struct {
	Path   vpath.Path
	Number int
	Text   string
}

// Grep says which lines to look for.
type Grep struct {
	Pattern  *regex.Regex
	Keep     func(vpath.Path) bool // selects the files to look at; nil: all
	FullScan bool                  // look at every file, not only at the candidates that the index proposes
}

// Grep lists the matching lines of all text files, by path and line number, and reports whether there are more than
// the limit.
func (s *Snapshot) Grep(ctx context.Context, grep Grep, limit int) (lines []Line, more bool, err error) {
	docs, err := s.byPath(ctx, s.candidates(grep), grep.Keep)
	const batchSize = 256 // files; enough to keep all processors busy
	for len(docs) > 0 && !more && err == nil {
		batch := docs[:min(batchSize, len(docs))]
		docs = docs[len(batch):]
		found := make([][]Line, len(batch))
		rest := limit + 1 - len(lines)
		err = s.grepAll(ctx, grep.Pattern, batch, func(i, number int, line []byte) bool {
			found[i] = append(found[i], Line{Path: s.pathOf(batch[i]), Number: number, Text: string(line)})
			return len(found[i]) < rest
		})
		lines = append(lines, slices.Concat(found...)...)
		more = len(lines) > limit
	}
	return lines[:min(limit, len(lines))], more, err
}

// GrepCount counts the lines that match, and the files that they are in.
func (s *Snapshot) GrepCount(ctx context.Context, grep Grep) (lines, files int, err error) {
	docs, err := s.byPath(ctx, s.candidates(grep), grep.Keep)
	if err != nil {
		return 0, 0, err
	}
	counts := make([]int, len(docs))
	err = s.grepAll(ctx, grep.Pattern, docs, func(i, _ int, _ []byte) bool { counts[i]++; return true })
	for _, count := range counts {
		lines += count
		files += min(count, 1)
	}
	return lines, files, err
}

// candidates returns the documents to look at.
func (s *Snapshot) candidates(grep Grep) text.Set {
	if grep.FullScan {
		return s.text.Live()
	}
	return s.text.Candidates(grep.Pattern.Needs())
}

// byPath lists the documents that keep selects, sorted by path. It checks ctx often, since keep may be slow.
func (s *Snapshot) byPath(ctx context.Context, docs text.Set, keep func(vpath.Path) bool) ([]int, error) {
	sorted := make([]int, 0, docs.Len())
	const checkEvery = 16
	for i, doc := range s.base.inOrder() {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if docs.Has(int(doc)) && (keep == nil || keep(s.base.paths[doc])) {
			sorted = append(sorted, int(doc))
		}
	}
	ofBase := len(sorted)
	for doc := len(s.base.paths); doc < s.text.Docs(); doc++ {
		if docs.Has(doc) && (keep == nil || keep(s.pathOf(doc))) {
			sorted = append(sorted, doc)
		}
	}
	if len(sorted) > ofBase {
		order.By(sorted, func(a, b int) int { return cmp.Compare(s.pathOf(a), s.pathOf(b)) })
	}
	return sorted, nil
}

// grepAll searches files on all processors. The calls of visit for a file come from a single goroutine, in order,
// until visit returns false.
func (s *Snapshot) grepAll(ctx context.Context, pattern *regex.Regex, docs []int, visit func(i, number int, line []byte) bool) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(docs)) {
		wait.Go(func() {
			matcher := pattern.Matcher()
			defer matcher.Release()
			for stopped(ctx, pattern) == nil {
				i := int(next.Add(1)) - 1
				if i >= len(docs) {
					return
				}
				s.grep(matcher, docs[i], func(number int, line []byte) bool { return visit(i, number, line) })
			}
		})
	}
	wait.Wait()
	return stopped(ctx, pattern)
}

// ErrCostly reports a regular expression that took more work than its limit allows.
var ErrCostly = fault.InvalidArgument.Errorf("the regular expression costs too much on this vault").
	WithHint("ask for a word or two that the text has, make wide gaps such as .{0,500} narrower, or search in fewer files")

// stopped returns the reason to end a search early, or nil.
func stopped(ctx context.Context, work interface{ Exceeded() bool }) error {
	if work.Exceeded() {
		return ErrCostly
	}
	return ctx.Err()
}

// grep searches a single file.
func (s *Snapshot) grep(matcher *regex.Matcher, doc int, visit func(number int, line []byte) bool) {
	s.text.Text(doc, func(data []byte, binary bool) { grepText(matcher, data, binary, visit) })
}

func grepText(matcher *regex.Matcher, data []byte, binary bool, visit func(number int, line []byte) bool) {
	if binary {
		return
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	number, counted := 1, 0
	matcher.Lines(data, func(start, end int) bool {
		number += bytes.Count(data[counted:start], newline)
		counted = start
		return visit(number, data[start:end])
	})
}

// GrepFile lists the matching lines, at most limit, of a file that is not in an index. The caller checks
// pattern.Exceeded.
func GrepFile(pattern *regex.Regex, path vpath.Path, data []byte, limit int) []Line {
	matcher := pattern.Matcher()
	defer matcher.Release()
	var lines []Line
	data, binary := searchable(data)
	grepText(matcher, data, binary, func(number int, line []byte) bool {
		lines = append(lines, Line{Path: path, Number: number, Text: string(line)})
		return len(lines) < limit
	})
	return lines
}

var byteOrderMark = []byte("\ufeff")

// Occurs reports whether a note has a text in it, or in its name, ignoring case and diacritics.
func (s *Snapshot) Occurs(text string) bool {
	isNote := func(doc int) bool { return s.pathOf(doc).IsNote() }
	return s.text.Any(text, isNote) || len(s.Containing(text)) > 0 || len(s.NameContains(text)) > 0
}

// Containing lists the notes whose text contains a phrase, ignoring case and diacritics.
func (s *Snapshot) Containing(phrase string) []vpath.Path {
	want := []byte(fold.String(phrase))
	hits := s.text.Find(text.Literal{Text: phrase, In: func(data []byte) bool {
		return bytes.Contains(fold.Append(nil, data), want)
	}}, text.Body)
	var found []vpath.Path
	for doc := range hits.Docs.All() {
		if path := s.pathOf(doc); path.IsNote() {
			found = append(found, path)
		}
	}
	return found
}
