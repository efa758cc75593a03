package ops

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/glob"
	"obsidian-mcp/internal/text/regex"
	"obsidian-mcp/internal/tool"
)

// VaultSearch are the parameters of vault_search.
type VaultSearch struct {
	Query      string `json:"query" jsonschema:"regular expression, as ripgrep reads it: case-sensitive unless (?i), line by line, Unicode classes; no look-around, no back-references"`
	PathFilter string `json:"path_filter" jsonschema:"glob as of rg --glob: *.md, projects/**, !archive/" default:""`
	Limit      int    `json:"limit" jsonschema:"most lines to return, at most 10000" default:"1000"`
}

// LinesFound is the result of vault_search.
type LinesFound struct {
	tool.Meta `json:"-"`
	Results   []LineFound `json:"results"`
}

// LineFound is a line that matches.
type LineFound struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

var vaultSearch = tool.New(tool.Spec{
	Name: "vault_search", Toolset: "agent", Title: "Search lines", Effect: tool.Reads,
	About: "Finds lines by a regular expression in every text file of the vault, exactly as ripgrep would. Use find_notes for ranked search by words.",
}, (*Ops).VaultSearch)

const (
	maxQuery    = search.MaxBytes // of what is looked for, in any tool
	maxFilter   = 2 << 10         // bytes
	maxLines    = 10_000
	maxShown    = 2_000   // characters of a line
	beforeMatch = 200     // bytes that are shown before a match that is far from the start
	maxAnswer   = 4 << 20 // bytes of all lines

	// maxSteps is what a regular expression may cost beyond what is usual for
	// the text: about a third of a second.
	maxSteps = 1 << 25
)

// VaultSearch lists the lines that match.
func (o *Ops) VaultSearch(ctx context.Context, in VaultSearch) (LinesFound, error) {
	if in.Query == "" {
		return LinesFound{}, fault.InvalidArgument.Errorf("the query is empty")
	}
	if in.Limit < 0 {
		return LinesFound{}, fault.InvalidArgument.Errorf("limit must not be negative")
	}
	pattern, err := compile(ctx, in.Query)
	if err != nil {
		return LinesFound{}, err
	}
	filter, err := pathFilter(in.PathFilter)
	if err != nil {
		return LinesFound{}, err
	}
	grep := index.Grep{Pattern: pattern, Keep: func(path vpath.Path) bool { return filter.Match(string(path)) }}
	lines, meta, err := o.grep(ctx, grep, min(in.Limit, maxLines))
	if err != nil {
		return LinesFound{}, err
	}
	found := LinesFound{Results: make([]LineFound, 0, len(lines)), Meta: meta}
	matcher := pattern.Matcher()
	defer matcher.Release()
	size := 0
	for _, line := range lines {
		text := shownLine(matcher, line.Text)
		if size += len(text) + len(line.Path); size > maxAnswer {
			meta["truncated"] = true
			break
		}
		found.Results = append(found.Results, LineFound{string(line.Path), line.Number, text})
	}
	return found, nil
}

// compile reads a pattern. Its matching ends with the call, if not before.
func compile(ctx context.Context, pattern string) (*regex.Regex, error) {
	if err := notLonger("the query", pattern, maxQuery); err != nil {
		return nil, err
	}
	compiled, err := regex.Compile(pattern, regex.Options{Limit: regex.NewLimit(ctx.Done(), maxSteps)})
	if bad, ok := errors.AsType[*regex.Error](err); ok {
		return nil, fault.InvalidArgument.Errorf("the regular expression cannot be read: %s\n%s", bad.Message, bad.Pointer(pattern))
	}
	return compiled, err
}

func pathFilter(pattern string) (*glob.Glob, error) {
	if err := notLonger("path_filter", pattern, maxFilter); err != nil {
		return nil, err
	}
	filter, err := glob.Compile(pattern)
	if err != nil {
		return nil, fault.InvalidArgument.Errorf("path_filter cannot be read: %s", err)
	}
	return filter, nil
}

// notLonger refuses a text that nobody asks for, before it costs anything.
func notLonger(what, text string, most int) error {
	if len(text) <= most {
		return nil
	}
	return fault.InvalidArgument.Errorf("%s is too long: %d bytes, and at most %d are read", what, len(text), most)
}

// grep asks the index or, while there is none yet, the files themselves.
func (o *Ops) grep(ctx context.Context, grep index.Grep, limit int) ([]index.Line, tool.Meta, error) {
	s := o.vault.Ready()
	if s == nil {
		return o.grepFiles(ctx, grep, limit)
	}
	lines, more, err := s.Grep(ctx, grep, limit)
	if err != nil || !more {
		return lines, tool.Meta{"truncated": false}, err
	}
	total, files, err := s.GrepCount(ctx, grep)
	return lines, tool.Meta{"truncated": true, "total": total, "files": files}, err
}

// grepFiles reads all files: a search at once is worth more than one that
// waits.
func (o *Ops) grepFiles(ctx context.Context, grep index.Grep, limit int) ([]index.Line, tool.Meta, error) {
	var mu sync.Mutex // guards lines
	var lines []index.Line
	err := o.vault.Files(ctx, grep.Keep, func(path vpath.Path, data []byte) {
		found := index.GrepFile(grep.Pattern, path, data, limit+1)
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, found...)
	})
	if grep.Pattern.Exceeded() {
		return nil, nil, index.ErrCostly
	}
	slices.SortFunc(lines, func(a, b index.Line) int { return cmp.Or(cmp.Compare(a.Path, b.Path), a.Number-b.Number) })
	return lines[:min(limit, len(lines))], tool.Meta{"truncated": len(lines) > limit}, err
}

// shownLine is a line as it is shown: of a very long one the start, or the part
// where the first match is.
func shownLine(matcher *regex.Matcher, line string) string {
	text, before := line, ""
	if cutAt(line, maxShown) < len(line) {
		if start, _, ok := matcher.Find([]byte(line)); ok && utf8.RuneCountInString(line[:start]) > maxShown-beforeMatch {
			from := max(0, start-beforeMatch)
			for from > 0 && !utf8.RuneStart(line[from]) {
				from--
			}
			text, before = line[from:], "[…] "
		}
	}
	after := ""
	if cut := cutAt(text, maxShown); cut < len(text) {
		text, after = text[:cut], " […]"
	}
	return before + strings.ToValidUTF8(text, "\ufffd") + after
}
