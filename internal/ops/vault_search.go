package ops

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/glob"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/text/regex"
	"obsidian-mcp/internal/tool"
)

// VaultSearch are the parameters of vault_search.
type VaultSearch struct {
	Query      string `json:"query" jsonschema:"ripgrep's syntax: case-sensitive unless (?i), line by line; no look-around"`
	PathFilter string `json:"path_filter" jsonschema:"glob as for rg --glob: *.md, projects/**, !archive/" default:""`
	Limit      int    `json:"limit" jsonschema:"up to 10000" default:"200"`
	Offset     int    `json:"offset"`
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
	About: "Finds lines by regular expression in every text file of the vault, exactly as ripgrep would. Use find_notes for ranked search by words.",
}, (*Ops).VaultSearch)

const (
	maxQuery    = search.MaxBytes // bytes of a query, in any tool
	maxFilter   = 2 << 10         // bytes of a path filter
	maxLines    = 10_000
	maxShown    = 2_000  // characters of a line
	beforeMatch = 200    // bytes shown before a match far from the start of its line
	maxAnswer   = 40_000 // characters of all lines and paths

	// maxSteps is what a regular expression may cost beyond the usual cost for the
	// text: about a third of a second.
	maxSteps = 1 << 25
)

// VaultSearch lists the lines that match.
func (o *Ops) VaultSearch(ctx context.Context, in VaultSearch) (LinesFound, error) {
	if in.Query == "" {
		return LinesFound{}, fault.InvalidArgument.Errorf("the query is empty")
	}
	if in.Limit < 0 || in.Offset < 0 {
		return LinesFound{}, fault.InvalidArgument.Errorf("limit and offset must not be negative")
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
	lines, meta, err := o.grep(ctx, grep, min(in.Limit, maxLines)+in.Offset)
	if err != nil {
		return LinesFound{}, err
	}
	total := len(lines)
	if counted, ok := meta["total"].(int); ok {
		total = counted
	}
	lines = lines[min(in.Offset, len(lines)):]
	found := LinesFound{Results: make([]LineFound, 0, len(lines)), Meta: meta}
	matcher := pattern.Matcher()
	defer matcher.Release()
	size := 0
	for i, line := range lines {
		text := shownLine(matcher, line.Text)
		size += utf8.RuneCountInString(text) + utf8.RuneCountInString(string(line.Path))
		if size > maxAnswer && i > 0 {
			meta["truncated"], meta["total"] = true, total
			break
		}
		found.Results = append(found.Results, LineFound{string(line.Path), line.Number, text})
	}
	_, counted := meta["total"]
	switch shown := len(found.Results); {
	case shown == 0 && in.Offset == 0:
		o.hintCase(ctx, grep, in.Query)
	case shown > 0 && meta["truncated"] == true && !counted: // the index would know how many
		tool.AddHint(ctx, tool.HintCut, "More lines match; continue with offset=%d.", in.Offset+shown)
	case shown > 0:
		tool.ShownHint(ctx, shown, in.Offset, total)
	}
	return found, nil
}

// hintCase tells the model if a query that matches nothing would match in another letter case.
func (o *Ops) hintCase(ctx context.Context, grep index.Grep, query string) {
	s := o.vault.Readable()
	pattern, err := compile(ctx, "(?i)"+query)
	if s == nil || err != nil {
		return
	}
	grep.Pattern = pattern
	if total, _, err := s.GrepCount(ctx, grep); err == nil && total > 0 {
		tool.AddHint(ctx, tool.HintSuggest, "No line matches; with (?i) before the query, which ignores case, %d would.", total)
	}
}

// compile reads a pattern. Its matching stops when the call ends.
func compile(ctx context.Context, pattern string) (*regex.Regex, error) {
	if err := checkLength("the query", pattern, maxQuery); err != nil {
		return nil, err
	}
	compiled, err := regex.Compile(pattern, regex.Options{Limit: regex.NewLimit(ctx.Done(), maxSteps)})
	if bad, ok := errors.AsType[*regex.Error](err); ok {
		return nil, fault.InvalidArgument.Errorf("invalid regular expression: %s\n%s", bad.Message, bad.Pointer(pattern))
	}
	return compiled, err
}

func pathFilter(pattern string) (*glob.Glob, error) {
	if err := checkLength("path_filter", pattern, maxFilter); err != nil {
		return nil, err
	}
	filter, err := glob.Compile(pattern)
	if err != nil {
		return nil, fault.InvalidArgument.Errorf("invalid path_filter: %s", err)
	}
	return filter, nil
}

// checkLength refuses an absurdly long text before it costs anything.
func checkLength(what, text string, limit int) error {
	if len(text) <= limit {
		return nil
	}
	return fault.InvalidArgument.Errorf("%s is too long: %d bytes; the limit is %d", what, len(text), limit)
}

// grep searches the index or, until it has all texts, the files themselves.
func (o *Ops) grep(ctx context.Context, grep index.Grep, limit int) ([]index.Line, tool.Meta, error) {
	s := o.vault.Readable()
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

// grepFiles reads all files: an answer now is worth more than waiting for the index.
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
	order.By(lines, func(a, b index.Line) int { return cmp.Or(cmp.Compare(a.Path, b.Path), a.Number-b.Number) })
	return lines[:min(limit, len(lines))], tool.Meta{"truncated": len(lines) > limit}, err
}

// shownLine returns a line as it is shown: a very long one is cut to its start, or to
// the part around the first match.
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
