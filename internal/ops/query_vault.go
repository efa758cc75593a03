package ops

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/bases"
	"obsidian-mcp/internal/query/dataview"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/system/zones"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// QueryVault are the parameters of query_vault.
type QueryVault struct {
	Query  string `json:"query" jsonschema:"Dataview, as in: TABLE due, status FROM #project WHERE !done SORT due; LIST, TASK, CALENDAR; or = expression" default:""`
	Base   string `json:"base" jsonschema:"or a .base file, Note#2 for a note's second query block, or the YAML of a base" default:""`
	View   string `json:"view" jsonschema:"of the base" default:""`
	This   string `json:"this" jsonschema:"note that 'this' means" default:""`
	Limit  int    `json:"limit" default:"200"`
	Offset int    `json:"offset" default:"0"`
	Format string `json:"format" jsonschema:"json, markdown or csv" default:"json"`
}

// VaultQueried is the result of query_vault.
type VaultQueried struct {
	Kind      string              `json:"kind"`
	Columns   []string            `json:"columns"`
	Rows      [][]json.RawMessage `json:"rows"`
	Groups    []tool.Object       `json:"groups,omitempty"`
	Summaries tool.Object         `json:"summaries,omitempty"`
	Tasks     []tool.Object       `json:"tasks,omitempty"`
	Text      string              `json:"text,omitempty"`
	Total     int                 `json:"total"`
	Warnings  []string            `json:"warnings"`
}

var queryVault = tool.New(tool.Spec{
	Name: "query_vault", Toolset: "query", Title: "Query the vault", Effect: tool.Reads,
	About: "Runs a Dataview query or a Base over the properties, fields and tasks of all notes: tables, counts, sums, groups; also the user's own dashboards. " +
		"Use find_notes for words, find_tasks for tasks.",
}, (*Ops).QueryVault)

// mostQuery is how many bytes a query may have. It takes longer to read than to run.
const mostQuery = 20_000

// QueryVault runs a query in one of the vault's own languages.
func (o *Ops) QueryVault(ctx context.Context, in QueryVault) (VaultQueried, error) {
	switch {
	case in.Limit < 0 || in.Offset < 0:
		return VaultQueried{}, fault.InvalidArgument.Errorf("limit and offset must not be negative")
	case (in.Query == "") == (in.Base == ""):
		return VaultQueried{}, fault.InvalidArgument.Errorf("give either query or base, not both").WithHint("for example query='LIST FROM #project'")
	case len(in.Query) > mostQuery:
		return VaultQueried{}, fault.InvalidArgument.Errorf("the query has %d bytes; the limit is %d", len(in.Query), mostQuery)
	}
	in.splitView()
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return VaultQueried{}, err
	}
	asked, err := o.asked(ctx, s, in)
	if err != nil {
		return VaultQueried{}, err
	}
	var answer queryAnswer
	if asked.isBase {
		answer, err = o.runBase(ctx, s, in.View, asked)
	} else {
		answer, err = o.runDataview(ctx, s, asked)
	}
	if err != nil {
		return VaultQueried{}, err
	}
	return answer.in(ctx, in)
}

// splitView takes the view from a base that is written as in an embed: Work.base#View.
func (in *QueryVault) splitView() {
	const extension = ".base"
	at := strings.Index(strings.ToLower(in.Base), extension+"#")
	if at >= 0 && in.View == "" && !strings.Contains(in.Base, "\n") {
		in.Base, in.View = in.Base[:at+len(extension)], in.Base[at+len(extension)+1:]
	}
}

// askedQuery is a query and where it is asked from.
type askedQuery struct {
	text   string
	isBase bool
	this   vpath.Path // "" if it is asked from none
	wanted value.Window
}

// asked finds the text of the query.
func (o *Ops) asked(ctx context.Context, s *index.Snapshot, in QueryVault) (asked askedQuery, err error) {
	switch {
	case in.Query != "":
		asked.text = strings.TrimSpace(in.Query)
	case strings.Contains(in.Base, "\n") || strings.Contains(in.Base, ": ") || strings.HasSuffix(in.Base, ":"):
		asked = askedQuery{text: in.Base, isBase: true}
	case strings.HasSuffix(strings.ToLower(in.Base), ".base"):
		asked, err = o.baseFile(ctx, s, in.Base)
	default:
		asked, err = o.queryBlock(ctx, in.Base)
	}
	asked.wanted = value.Window{Offset: in.Offset, Limit: in.Limit}
	if err == nil && in.This != "" {
		_, asked.this, err = o.findNote(ctx, in.This)
	}
	return asked, err
}

// baseFile reads a .base file.
func (o *Ops) baseFile(ctx context.Context, s *index.Snapshot, name string) (askedQuery, error) {
	resolver := s.Paths.From("")
	path, found := resolver.Resolve(name)
	if !found {
		return askedQuery{}, fault.NotFound.Errorf("no base is named '%s'", name).WithHint("list_files with kind='base' lists them")
	}
	file, err := o.vault.Read(ctx, path, vault.MaxNote)
	return askedQuery{text: string(file.Data), isBase: true, this: path}, err
}

// queryBlock reads a dataview or base block of a note: the first, or that with the number behind #.
func (o *Ops) queryBlock(ctx context.Context, name string) (askedQuery, error) {
	number := 1
	if at := strings.LastIndexByte(name, '#'); at >= 0 {
		if n, err := strconv.Atoi(strings.TrimSpace(name[at+1:])); err == nil {
			name, number = name[:at], n
		}
	}
	_, path, err := o.findNote(ctx, strings.TrimSpace(name))
	if err != nil {
		return askedQuery{}, err
	}
	file, err := o.vault.Read(ctx, path, vault.MaxNote)
	if err != nil {
		return askedQuery{}, err
	}
	var blocks []md.Fence
	for _, fence := range md.Scan(file.Data).Fences() {
		switch fence.Language {
		case "dataview", "base", "dataviewjs":
			blocks = append(blocks, fence)
		}
	}
	if number < 1 || number > len(blocks) {
		return askedQuery{}, fault.NotFound.Errorf("'%s' has no query block %d", name, number).WithHint("it has %s", amount.Of(len(blocks), "such block"))
	}
	block := blocks[number-1]
	if block.Language == "dataviewjs" {
		return askedQuery{}, fault.InvalidArgument.Errorf("block %d of '%s' is JavaScript (dataviewjs), which is never run", number, name).
			WithHint("write what it does as a TABLE, LIST or TASK query")
	}
	return askedQuery{text: strings.TrimSpace(block.Text), isBase: block.Language == "base", this: path}, nil
}

// runDataview runs a query or an expression of Dataview.
func (o *Ops) runDataview(ctx context.Context, s *index.Snapshot, asked askedQuery) (queryAnswer, error) {
	clock := dataview.Clock{Now: o.clock.read().In(o.clock.zone), Zone: zones.Load}
	pages := s.Pages(o.clock.zone).At(clock, dataview.Outside{
		Starred: func() map[string]bool { return dataview.Starred(o.vault.Bookmarks(ctx)) },
		File:    func(path string) ([]byte, error) { return o.csvFile(ctx, s, path) },
	})
	if expression, isInline := strings.CutPrefix(asked.text, "="); isInline {
		parsed, err := dataview.ParseExpression(strings.TrimSpace(expression), clock)
		if err != nil {
			return queryAnswer{}, refusedQuery(err)
		}
		v, err := pages.Evaluate(ctx, parsed, string(asked.this))
		if err != nil {
			return queryAnswer{}, refusedQuery(err)
		}
		return expressionAnswer(v, asked.wanted), nil
	}
	query, err := dataview.Parse(asked.text, clock)
	if err != nil {
		return queryAnswer{}, refusedQuery(err)
	}
	result, err := pages.Run(ctx, query, string(asked.this), asked.wanted)
	if err != nil {
		return queryAnswer{}, refusedQuery(err)
	}
	answer := dataviewAnswer(result)
	answer.warnings = append(answer.warnings, pages.Warnings(query, string(asked.this))...)
	return answer, nil
}

// csvFile reads a CSV file that a query names.
func (o *Ops) csvFile(ctx context.Context, s *index.Snapshot, name string) ([]byte, error) {
	path, err := vpath.Parse(name)
	if err != nil || !s.Has(path) || !strings.EqualFold(path.Ext(), ".csv") {
		return nil, errors.New("the vault has no such CSV file")
	}
	file, err := o.vault.Read(ctx, path, vault.MaxNote)
	return file.Data, err
}

// runBase evaluates a view of a base.
func (o *Ops) runBase(ctx context.Context, s *index.Snapshot, view string, asked askedQuery) (queryAnswer, error) {
	base, err := bases.Parse([]byte(asked.text))
	if err != nil {
		return queryAnswer{}, refusedQuery(err)
	}
	files := *s.Bases(index.BaseSettings{Zone: o.clock.zone, Types: o.vault.PropertyTypes(ctx)})
	files.Excluded = search.Excluded(o.vault.Settings(ctx).Excluded)
	result, err := base.Run(ctx, &files, bases.Asking{
		View: view, Wanted: asked.wanted, This: files.ByPath(string(asked.this)), Now: o.clock.read().In(o.clock.zone), Random: rand.Float64,
	})
	if err != nil {
		return queryAnswer{}, refusedQuery(err)
	}
	return baseAnswer(result, files.Resolve), nil
}

// refusedQuery is the error for a query that cannot be understood or evaluated.
func refusedQuery(err error) error {
	refused := fault.InvalidArgument.Errorf("%s", err)
	if _, isSyntax := errors.AsType[*dataview.SyntaxError](err); isSyntax {
		return refused.WithHint("for example: TABLE due, status FROM #project AND -\"Archive\" WHERE !done SORT due DESC LIMIT 10")
	}
	return refused
}
