package index

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"sync"

	"obsidian-mcp/internal/fold"
	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/regex"
	"obsidian-mcp/internal/vpath"
)

// Line is a line of a file.
type Line struct {
	Path   vpath.Path
	Number int
	Text   string
}

// Grep lists the lines of all text files that match a pattern, by path and
// number, and whether there are more than the limit. Which files are looked
// at is for keep to say.
func (s *Snapshot) Grep(ctx context.Context, pattern *regex.Regex, keep func(vpath.Path) bool, limit int) (lines []Line, more bool, err error) {
	docs := s.byPath(s.text.Candidates(pattern.Needs()), keep)
	const batch = 256 // files; enough to keep all processors busy
	for len(docs) > 0 && !more && err == nil {
		var found [][]Line
		found, err = s.grepAll(ctx, pattern, docs[:min(batch, len(docs))], limit+1-len(lines))
		docs = docs[min(batch, len(docs)):]
		for _, one := range found {
			lines = append(lines, one...)
		}
		more = len(lines) > limit
	}
	return lines[:min(limit, len(lines))], more, err
}

// byPath sorts documents by their paths.
func (s *Snapshot) byPath(docs text.Set, keep func(vpath.Path) bool) []int {
	type named struct {
		path vpath.Path
		doc  int
	}
	var all []named
	for doc := range docs.All() {
		if path := s.pathOf(doc); keep(path) {
			all = append(all, named{path, doc})
		}
	}
	slices.SortFunc(all, func(a, b named) int { return bytes.Compare([]byte(a.path), []byte(b.path)) })
	sorted := make([]int, len(all))
	for i, one := range all {
		sorted[i] = one.doc
	}
	return sorted
}

// grepAll looks at some files on all processors.
func (s *Snapshot) grepAll(ctx context.Context, pattern *regex.Regex, docs []int, limit int) ([][]Line, error) {
	found := make([][]Line, len(docs))
	workers := min(runtime.GOMAXPROCS(0), len(docs))
	var wait sync.WaitGroup
	for worker := range workers {
		wait.Go(func() {
			matcher := pattern.Matcher()
			defer matcher.Release()
			for i := worker; i < len(docs) && ctx.Err() == nil; i += workers {
				found[i] = s.grep(matcher, docs[i], limit)
			}
		})
	}
	wait.Wait()
	return found, ctx.Err()
}

func (s *Snapshot) grep(matcher *regex.Matcher, doc, limit int) []Line {
	var lines []Line
	s.text.Text(doc, func(data []byte, binary bool) {
		if binary {
			return
		}
		data = bytes.TrimPrefix(data, byteOrderMark)
		number, at := 1, 0
		matcher.Lines(data, func(start, end int) bool {
			number += bytes.Count(data[at:start], newline)
			at = start
			lines = append(lines, Line{Path: s.pathOf(doc), Number: number, Text: string(data[start:end])})
			return len(lines) < limit
		})
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
