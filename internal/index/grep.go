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
	"obsidian-mcp/internal/text/regex"
)

// Line is a line of a file.
type Line struct {
	Path   vpath.Path
	Number int
	Text   string
}

// Grep says which lines to look for.
type Grep struct {
	Pattern *regex.Regex
	Keep    func(vpath.Path) bool // which files to look at
	Unaided bool                  // look at all of them, not only at those that the index proposes
}

// Grep lists the lines of all text files that match, by path and number, and
// whether there are more than the limit.
func (s *Snapshot) Grep(ctx context.Context, grep Grep, limit int) (lines []Line, more bool, err error) {
	docs, err := s.byPath(ctx, s.candidates(grep), grep.Keep)
	const batch = 256 // files; enough to keep all processors busy
	for len(docs) > 0 && !more && err == nil {
		some := docs[:min(batch, len(docs))]
		docs = docs[len(some):]
		found := make([][]Line, len(some))
		rest := limit + 1 - len(lines)
		err = s.grepAll(ctx, grep.Pattern, some, func(i, number int, line []byte) bool {
			found[i] = append(found[i], Line{Path: s.pathOf(some[i]), Number: number, Text: string(line)})
			return len(found[i]) < rest
		})
		for _, one := range found {
			lines = append(lines, one...)
		}
		more = len(lines) > limit
	}
	return lines[:min(limit, len(lines))], more, err
}

// GrepCount is how many lines match, and in how many files.
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

// candidates are the documents to look at.
func (s *Snapshot) candidates(grep Grep) text.Set {
	if grep.Unaided {
		return s.text.Live()
	}
	return s.text.Candidates(grep.Pattern.Needs())
}

// byPath lists documents by their paths. Whether to keep one may take long to
// say.
func (s *Snapshot) byPath(ctx context.Context, docs text.Set, keep func(vpath.Path) bool) ([]int, error) {
	sorted := make([]int, 0, docs.Len())
	const step = 16
	for i, doc := range s.base.inOrder() {
		if i%step == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if docs.Has(int(doc)) && (keep == nil || keep(s.base.paths[doc])) {
			sorted = append(sorted, int(doc))
		}
	}
	old := len(sorted)
	for doc := len(s.base.paths); doc < s.text.Docs(); doc++ {
		if docs.Has(doc) && (keep == nil || keep(s.pathOf(doc))) {
			sorted = append(sorted, doc)
		}
	}
	if len(sorted) > old {
		slices.SortFunc(sorted, func(a, b int) int { return cmp.Compare(s.pathOf(a), s.pathOf(b)) })
	}
	return sorted, nil
}

// grepAll looks at some files on all processors. What visit is told of one
// file comes from one goroutine, in order, until it has enough.
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

// ErrCostly refuses regular expressions that cost more than their limit allows.
var ErrCostly = fault.InvalidArgument.Errorf("the regular expression costs too much on this vault").
	WithHint("ask for a word or two that the text has, make wide gaps such as .{0,500} narrower, or search in fewer files")

// stopped is why a search that is not done goes no further; nil if it does.
func stopped(ctx context.Context, costs interface{ Exceeded() bool }) error {
	if costs.Exceeded() {
		return ErrCostly
	}
	return ctx.Err()
}

// grep looks at one file.
func (s *Snapshot) grep(matcher *regex.Matcher, doc int, visit func(number int, line []byte) bool) {
	s.text.Text(doc, func(data []byte, binary bool) { grepText(matcher, data, binary, visit) })
}

func grepText(matcher *regex.Matcher, data []byte, binary bool, visit func(number int, line []byte) bool) {
	if binary {
		return
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	number, at := 1, 0
	matcher.Lines(data, func(start, end int) bool {
		number += bytes.Count(data[at:start], newline)
		at = start
		return visit(number, data[start:end])
	})
}

// GrepFile lists the lines that match in a file that is not in an index, at
// most so many. The caller looks whether the pattern cost too much.
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

// Containing lists the notes whose text contains a text, whatever its case and
// diacritics.
func (s *Snapshot) Containing(what string) []vpath.Path {
	want := []byte(fold.String(what))
	hits := s.text.Find(text.Literal{Text: what, In: func(data []byte) bool {
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
